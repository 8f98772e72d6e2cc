import { expect, test } from 'vitest'
import type { FailureGroup } from './failures.ts'
import { createFailureMerge } from './merge.ts'

function failed(checkId: string, more: Partial<FailureGroup> = {}): FailureGroup {
  const example = { check: { account: 'acme', checkId }, resultId: `result of ${checkId}`, startedAt: 2, error: 'refused' }
  return { reason: 'refused', count: 1, firstAt: 1, lastAt: 2, locations: ['eu'], checkIds: [checkId], example, ...more }
}

const checksOf = (count: number) => Array.from({ length: count }, (_, i) => `check-${(i * 7919) % count}`)

test('groups of the same reason are merged, with the newest example', () => {
  const merge = createFailureMerge()
  for (const id of ['b', 'c', 'a']) merge.add(failed(id, { locations: id === 'c' ? ['us', 'ap'] : ['eu'] }))
  merge.add(failed('d', { reason: null, count: 2, firstAt: 5, lastAt: 6 }))
  merge.add(failed('e', { firstAt: 0, lastAt: 7 }))
  expect(merge.all()).toEqual([
    failed('e', { count: 4, firstAt: 0, lastAt: 7, locations: ['ap', 'eu', 'us'], checkIds: ['a', 'b', 'c', 'e'] }),
    failed('d', { reason: null, count: 2, firstAt: 5, lastAt: 6 }),
  ])
})

/** The lowest CPU time of several attempts, in microseconds, so that other load on the machine does not matter. */
async function bestTimeOf(checks: number): Promise<number> {
  const groups = checksOf(checks).map((id) => failed(id))
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3; attempt++) {
    const merge = createFailureMerge()
    const begun = process.cpuUsage()
    await merge.addInTurns(groups)
    expect((await merge.allInTurns())[0]?.checkIds).toHaveLength(checks)
    const { user, system } = process.cpuUsage(begun)
    best = Math.min(best, user + system)
  }
  return best
}

test('the time for a reason of many checks is linear in their number', async () => {
  await bestTimeOf(500)
  // 16 times as many checks would take 256 times as long with quadratic growth.
  expect((await bestTimeOf(8000)) / Math.max(500, await bestTimeOf(500))).toBeLessThan(80)
})

test('many groups are merged in many turns of the event loop', async () => {
  const groups = Array.from({ length: 20_000 }, (_, i) => failed(`check-${i}`, { reason: `reason ${i}` }))
  const merge = createFailureMerge()
  let turns = 0
  const count = () => {
    turns++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  await merge.addInTurns(groups)
  const all = await merge.allInTurns()
  clearImmediate(next)
  expect(all).toHaveLength(20_000)
  expect(turns).toBeGreaterThan(30)
})

test('too many checks over all reasons are rejected with a message', async () => {
  const merge = createFailureMerge()
  const ids = checksOf(1000)
  const groups = Array.from({ length: 501 }, (_, i) => failed('a', { reason: `reason ${i}`, checkIds: ids }))
  await merge.addInTurns(groups.slice(0, 500))
  await expect(merge.addInTurns(groups.slice(500))).rejects.toMatchObject({
    name: 'QueryTooLarge',
    message: 'its reasons name checks more than 500,000 times',
  })
})
