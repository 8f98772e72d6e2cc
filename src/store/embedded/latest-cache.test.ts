import { describe, expect, test } from 'vitest'
import { calm } from '../../../test/support/results.ts'
import { temporaryStore } from '../../../test/support/temporary-store.ts'
import type { FiledResult } from '../store.ts'
import { createLatestCache } from './latest-cache.ts'

const check = { account: 'acme', checkId: 'homepage' }
const now = Date.UTC(2026, 10, 14, 12)
const minute = 60_000
const day = 86_400_000

function result(startedAt: number, runLocation = 'eu'): FiledResult {
  return { check, result: { id: `at-${startedAt}`, startedAt, runLocation, ...calm, values: {}, pages: [] } }
}

function openCache() {
  const clock = { now }
  const cache = createLatestCache(() => clock.now)
  const newest = () => cache.of(check).byLocation.map(({ startedAt }) => startedAt)
  return { clock, cache, newest }
}

describe('the newest result', () => {
  test('is the one with the latest start, in any order of arrival', () => {
    const { cache, newest } = openCache()
    cache.observe([result(now - minute), result(now), result(now - 2 * minute)])
    cache.observe([result(now - 3 * minute)])
    expect(newest()).toEqual([now])
  })

  test('is not one from the future of a clock that was set back', () => {
    const { cache, clock, newest } = openCache()
    clock.now = now + day
    cache.observe([result(now + day)])
    clock.now = now
    expect(newest()).toEqual([now + day])
    cache.observe([result(now)])
    expect(newest()).toEqual([now])
    clock.now = now + day
    expect(newest()).toEqual([now + day])
    cache.observe([result(now + day + minute)])
    expect(newest()).toEqual([now + day + minute])
  })

  test('may be slightly in the future, and is then not replaced by results of the past', () => {
    const { cache, clock, newest } = openCache()
    cache.observe([result(now - minute), result(now + 5000)])
    expect(newest()).toEqual([now + 5000])
    cache.observe([result(now - 10 * minute)])
    expect(newest()).toEqual([now + 5000])
    clock.now = now + minute
    cache.observe([result(now + 1000)])
    expect(newest()).toEqual([now + 5000])
  })
})

test.each([false, true])('a result from the future does not hide newer ones after a restart (sealed: %s)', async (sealed) => {
  const { store, reopen } = await temporaryStore(() => now)
  await store.append([result(now - minute), result(now + day), result(now - 2 * minute, 'us'), result(now + day, 'asia')])
  if (sealed) await store.seal()
  const [latest] = await (await reopen()).latest([check])
  expect(latest?.byLocation.map(({ runLocation, startedAt }) => [runLocation, startedAt])).toEqual([
    ['asia', now + day],
    ['eu', now - minute],
    ['us', now - 2 * minute],
  ])
})
