import { expect, test } from 'vitest'
import { checkOf, checkTypeOf, passed, pingedType } from '../../../test/support/checks.ts'
import { resultsOf, temporaryStore } from '../../../test/support/temporary-store.ts'
import { dayMs, hourMs } from '../../time.ts'
import { backfill } from './backfill.ts'

const now = Date.parse('2026-11-14T10:00:00Z')
const type = checkTypeOf(async () => passed)
const more = { everyMs: 2 * hourMs, locations: ['near', 'far'], runParallel: true }
const checks = [
  checkOf('home', type, more),
  checkOf('paused', type, { ...more, activated: false }),
  checkOf('nightly', pingedType, { everyMs: 2 * hourMs }),
]

test('thirty days are generated for each check and location, and later only what is missing since then', async () => {
  const { store } = await temporaryStore(() => now)
  const fractions: number[] = []
  const fill = (until: number) => backfill({ store, checks, now: until, end: now, progress: (fraction) => fractions.push(fraction) })
  const placesOf = async (id: string, last = now) => {
    const results = await resultsOf(store, id)
    return Object.fromEntries(
      [...new Set(results.map(({ runLocation }) => runLocation))].sort().map((place) => {
        const times = results.filter(({ runLocation }) => runLocation === place).map(({ startedAt }) => startedAt)
        expect(new Set(times).size).toBe(times.length)
        expect(Math.min(...times)).toBeGreaterThan(last - 30 * dayMs - 1000)
        expect(Math.min(...times)).toBeLessThan(last - 30 * dayMs + 2 * hourMs)
        return [place, [times.length, Math.floor((last - Math.max(...times)) / (2 * hourMs))]]
      }),
    )
  }
  await fill(now)
  const full = [expect.toSatisfy((count) => count === 360 || count === 361), expect.toBeOneOf([0, -1])]
  expect(await placesOf('home')).toEqual({ far: full, near: full })
  expect(await placesOf('nightly')).toEqual({ ping: full })
  expect(await placesOf('paused', now - 2 * dayMs)).toEqual({ far: full, near: full })
  expect(fractions).toEqual([0])

  const before = await resultsOf(store, 'home')
  await fill(now)
  expect(await resultsOf(store, 'home')).toEqual(before)
  await fill(now + 4 * hourMs)
  const after = await resultsOf(store, 'home')
  expect(after.slice(0, before.length)).toEqual(before)
  expect(after).toHaveLength(before.length + 4)
  expect(await placesOf('paused', now - 2 * dayMs)).toEqual({ far: full, near: full })
})

test('progress advances with each batch', async () => {
  const { store } = await temporaryStore(() => now)
  const fractions: number[] = []
  const many = [checkOf('home', type, { ...more, everyMs: 20 * 60_000 })]
  await backfill({ store, checks: many, now, end: now, progress: (fraction) => fractions.push(Math.round(fraction * 100)) })
  expect(fractions).toEqual([0, 46, 93])
  expect((await resultsOf(store, 'home')).length).toBeGreaterThan(4300)
})
