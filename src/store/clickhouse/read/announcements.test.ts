import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { testCheck } from '../../../../test/support/catalogue.ts'
import { anyRunType } from '../../../../test/support/example-config.ts'
import { testResult } from '../../../../test/support/results.ts'
import type { FiledResult, Result, SkippedResults } from '../../store.ts'
import { arrivalAt } from '../write/arrival.ts'
import { createAnnouncements, overlapMs, readLimits } from './announcements.ts'
import type { Commit } from './commits.ts'

const named = testCheck(anyRunType(), { id: 'homepage' })
const { check } = testResult(named, 0)

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 10, 1) }))
afterEach(() => void vi.useRealTimers())

/** A log of commits whose results become visible when the test says so. */
function openLog() {
  const log: { readonly commit: Commit; readonly visible: Result[] }[] = []
  const commitsFrom = (from: number) => log.map(({ commit }) => commit).filter(({ arrival }) => arrival >= arrivalAt(from))
  const find = vi.fn(async ({ from }: { readonly from: number }) => commitsFrom(from))
  const results = vi.fn(async (commits: readonly Commit[]) =>
    log.flatMap(({ commit, visible }) => (commits.includes(commit) ? visible.map((result) => ({ commit, result })) : [])),
  )
  const spans = async ({ accounts, from }: { readonly accounts: readonly string[]; readonly from: number }) => {
    const found = commitsFrom(from)
    const window = { from: Math.min(...found.map(({ window }) => window.from)), to: Math.max(...found.map(({ window }) => window.to)) }
    const results = found.reduce((sum, { results }) => sum + results, 0)
    return new Map(accounts.map((account) => [account, { results, byCheck: new Map([[check.checkId, window]]) }]))
  }
  const announcements = createAnnouncements({ commits: { find, results, spans }, clock: Date.now })
  const announced: number[] = []
  const skipped: SkippedResults[] = []
  const note = (added: readonly FiledResult[], more?: SkippedResults) => {
    announced.push(...added.map(({ result }) => result.startedAt))
    if (more) skipped.push(more)
  }
  return {
    announcements,
    announced,
    skipped,
    find,
    results,
    listen: () => announcements.listen(check.account, note),
    /** Another process stores results at this instant of its clock. */
    store(times: readonly number[], at = Date.now()) {
      const all = times.map((time) => ({ ...testResult(named, time).result, id: `run-${time}` }))
      const window = { from: Math.min(...times), to: Math.max(...times) }
      const commit: Commit = { key: `${times}`, check, arrival: arrivalAt(at), window, results: all.length }
      const visible = [...all]
      log.push({ commit, visible })
      return { commit, all, visible }
    },
    nextPoll: () => vi.advanceTimersByTimeAsync(1000),
  }
}

test('results of other processes are published once, however often they are found', async () => {
  const { announced, listen, store, nextPoll } = openLog()
  store([1], Date.now() - 1)
  listen()
  store([2, 3])
  await nextPoll()
  expect(announced).toEqual([2, 3])
  store([4])
  for (let i = 0; i < 50; i++) await nextPoll()
  expect(announced).toEqual([2, 3, 4])
})

test('results of other processes whose clock is wrong by less than the overlap are published once', async () => {
  const { announced, listen, store, nextPoll } = openLog()
  listen()
  await nextPoll()
  store([1], Date.now() - overlapMs + 5000)
  store([2], Date.now() + 600_000)
  for (let i = 0; i < 50; i++) await nextPoll()
  expect(announced).toEqual([1, 2])
})

test('results that become visible later are published then', async () => {
  const { announced, listen, store, nextPoll } = openLog()
  listen()
  const { all, visible } = store([1, 2])
  visible.splice(1)
  await nextPoll()
  expect(announced).toEqual([1])
  visible.push(all[1] as Result)
  for (let i = 0; i < 3; i++) await nextPoll()
  expect(announced).toEqual([1, 2])
})

test('own results are published at once, not read back, and not published again as those of others', async () => {
  const { announcements, announced, listen, store, results, nextPoll } = openLog()
  listen()
  const { commit, all } = store([1])
  announcements.storing(commit.arrival)
  announcements.added(all.map((result) => ({ check, result })))
  expect(announced).toEqual([1])
  await nextPoll()
  expect(results.mock.lastCall?.[0]).toEqual([])
  const { visible } = store([2], Date.now())
  visible.splice(0, 1, ...all)
  await nextPoll()
  expect(announced).toEqual([1])
})

test('a result that another process has stored just before is published once', async () => {
  const { announcements, announced, listen, store, nextPoll } = openLog()
  listen()
  const { all } = store([1])
  await nextPoll()
  announcements.added(all.map((result) => ({ check, result })))
  await nextPoll()
  expect(announced).toEqual([1])
})

test('own results whose insert failed but which are stored are published', async () => {
  const { announcements, announced, listen, store, nextPoll } = openLog()
  listen()
  const { commit } = store([1])
  announcements.storing(commit.arrival)()
  await nextPoll()
  expect(announced).toEqual([1])
})

test('nothing is read without subscribers', async () => {
  const { announcements, find, listen, nextPoll } = openLog()
  await nextPoll()
  const stop = listen()
  await nextPoll()
  expect(find).toHaveBeenCalledTimes(1)
  stop()
  for (let i = 0; i < 5; i++) await nextPoll()
  expect(find).toHaveBeenCalledTimes(1)
  listen()
  announcements.close()
  for (let i = 0; i < 5; i++) await nextPoll()
  expect(find).toHaveBeenCalledTimes(1)
})

test('after a failure, results that were stored in the meantime are published', async () => {
  const { announced, find, listen, store, nextPoll } = openLog()
  listen()
  await nextPoll()
  store([1])
  find.mockRejectedValueOnce(new Error('the connection was lost'))
  await nextPoll()
  expect(announced).toEqual([])
  for (let i = 0; i < 5; i++) await nextPoll()
  expect(announced).toEqual([1])
})

test('a subscriber that returns during a read does not cause a second read', async () => {
  const { announced, find, listen, store, nextPoll } = openLog()
  const stop = listen()
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const search = find.getMockImplementation()
  find.mockImplementationOnce(async (query) => {
    await gate
    return search?.(query) ?? []
  })
  await nextPoll()
  stop()
  listen()
  store([1])
  open()
  for (let i = 0; i < 5; i++) await nextPoll()
  expect(find).toHaveBeenCalledTimes(6)
  expect(announced).toEqual([1])
})

const times = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i)

test('more results than one read allows are skipped, with a single notice, and later ones are published', async () => {
  const { announced, skipped, results, listen, store, nextPoll } = openLog()
  listen()
  store(times(0, readLimits.results + 1))
  await nextPoll()
  expect(results.mock.lastCall?.[0]).toEqual([])
  const byCheck = new Map([[check.checkId, { from: 0, to: readLimits.results }]])
  expect([announced, skipped]).toEqual([[], [{ results: readLimits.results + 1, byCheck }]])
  store([-1])
  for (let i = 0; i < 50; i++) await nextPoll()
  expect([announced, skipped.length]).toEqual([[-1], 1])
})

test('more commits than one read allows are skipped until all are read, and nothing in between is lost', async () => {
  const { announced, skipped, results, listen, store, nextPoll } = openLog()
  listen()
  for (const time of times(0, readLimits.commits + 1)) store([time])
  await nextPoll()
  store([-1])
  for (let i = 0; i < 50; i++) await nextPoll()
  expect([announced, results.mock.calls.every(([commits]) => commits.length === 0)]).toEqual([[], true])
  expect(skipped.at(-1)?.byCheck.get(check.checkId)?.from).toBe(-1)
  store([-2])
  await nextPoll()
  expect(announced).toEqual([-2])
})
