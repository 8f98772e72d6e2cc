import { expect, test, vi } from 'vitest'
import { calm } from '../../../../test/support/results.ts'
import { checkKey } from '../../../ids/check-ref.ts'
import { addRun, type RunTotals, tallyAt } from '../../kernels/run-totals.ts'
import { flagsOf } from '../../query/parts/stored-result.ts'
import { QueryTooLarge, type Window } from '../../store.ts'
import type { TotalsSource } from '../../totals.ts'
import { createTotals } from './totals.ts'

const dayMs = 86_400_000
const minute = 60_000
const check = { account: 'acme', checkId: 'homepage' }

/** Totals over a log of commits, and over results that the test adds and drops. */
function openTotals(checkIds: readonly string[] = ['homepage']) {
  const sources = checkIds.map((checkId) => ({ check: { ...check, checkId }, duration: null }))
  let now = Date.UTC(2026, 10, 16, 12)
  let starts: number[] = []
  const logged: { readonly arrivedAt: number; readonly startedAt: number }[] = []
  const count = vi.fn(async (_: readonly TotalsSource[], { window, unitMs }: { readonly window: Window; readonly unitMs: number }) => {
    const byUnit = new Map<number, Map<string, RunTotals>>()
    for (const start of starts.filter((start) => start >= window.from && start <= window.to)) {
      const unit = Math.floor(start / unitMs)
      const tallies = byUnit.get(unit) ?? new Map<string, RunTotals>()
      byUnit.set(unit, tallies)
      addRun(tallyAt(tallies, 'eu'), { flags: flagsOf(calm), attempts: 1, durationMs: Number.NaN })
    }
    return new Map([[checkKey(check), byUnit]])
  })
  const spans = async () => new Map(starts.length === 0 ? [] : [[checkKey(check), { first: Math.min(...starts), results: starts.length }]])
  const since = (from: number) => logged.filter(({ arrivedAt }) => arrivedAt >= from).map(({ startedAt }) => startedAt)
  const commits = {
    find: async ({ from, startedBefore }: { readonly from: number; readonly startedBefore: number }) =>
      since(from)
        .filter((start) => start < startedBefore)
        .map((start) => ({ key: '', check, arrival: 0n, window: { from: start, to: start }, results: 1 })),
    firstStarts: async ({ from, startedFrom }: { readonly from: number; readonly startedFrom: number }) => {
      const recent = since(from).filter((start) => start >= startedFrom)
      return new Map(recent.length === 0 ? [] : [[checkKey(check), Math.min(...recent)]])
    },
  }
  const problems: unknown[] = []
  const totals = createTotals({ totals: { count, spans }, commits, clock: () => now, log: (problem) => void problems.push(problem) })
  return {
    count,
    problems,
    sources,
    /** Another process stores a result that started this many days ago. */
    store(daysAgo: number) {
      starts.push(now - daysAgo * dayMs)
      logged.push({ arrivedAt: now, startedAt: now - daysAgo * dayMs })
    },
    /** This process has stored a result that started this many days ago; others may have seen it already. */
    added: (daysAgo: number) =>
      totals.added([{ check, result: { ...calm, id: null, startedAt: now - daysAgo * dayMs, runLocation: 'eu', values: {}, pages: [] } }]),
    drop: (daysAgo: number) => {
      starts = starts.filter((start) => start >= now - daysAgo * dayMs)
    },
    forgetLog: () => logged.splice(0),
    async after(ms: number, waitMs?: number) {
      now += ms
      const [answer] = await totals.of(sources, waitMs === undefined ? {} : { waitMs })
      return typeof answer === 'object' ? answer.reduce((sum, { passed }) => sum + passed, 0) : answer
    },
  }
}

test('late results of other processes are counted, and unchanged counts are not read again', async () => {
  const { store, after, count } = openTotals()
  for (const days of [100, 40, 3, 0]) store(days)
  expect(await after(minute)).toBe(4)
  store(41)
  expect(await after(minute)).toBe(5)
  expect(await after(minute)).toBe(5)
  count.mockClear()
  expect(await after(minute)).toBe(5)
  expect(count).not.toHaveBeenCalled()
  store(0)
  expect(await after(minute)).toBe(6)
  expect(count).toHaveBeenCalledTimes(1)
  expect(count.mock.calls[0]?.[1].window.from).toBe(Date.UTC(2026, 10, 16, 12))
})

test('dropped results stay counted, and passing days are counted once', async () => {
  const { store, drop, after } = openTotals()
  for (const days of [100, 40, 3, 0]) store(days)
  expect(await after(minute)).toBe(4)
  drop(50)
  for (let day = 0; day < 5; day++) expect(await after(dayMs)).toBe(4)
  store(4)
  expect(await after(minute)).toBe(5)
})

test('scrapes during a hanging server share one count afterwards', async () => {
  const { store, after, count, problems } = openTotals()
  store(3)
  const fails: ((problem: Error) => void)[] = []
  count.mockImplementation(() => new Promise((_, reject) => fails.push(reject)))
  for (let i = 0; i < 5; i++) expect(await after(minute, 1)).toBe('counting')
  for (let counted = 1; counted <= 2; counted++) {
    await expect.poll(() => count.mock.calls.length).toBe(counted)
    fails.shift()?.(new Error('It hangs'))
  }
  await expect.poll(() => problems.length).toBe(1)
  expect(await after(minute, 1)).toBe('counting')
  await expect.poll(() => count.mock.calls.length).toBe(3)
})

test('after a time that the log does not cover, everything is counted again', async () => {
  const { store, forgetLog, after } = openTotals()
  store(3)
  expect(await after(minute)).toBe(1)
  store(4)
  forgetLog()
  expect(await after(3 * 60 * minute)).toBe(2)
})

test('a late result is counted once, even if a count sees it before this process knows that it is stored', async () => {
  const { store, added, after } = openTotals()
  store(3)
  expect(await after(minute)).toBe(1)
  store(3.5)
  expect(await after(minute)).toBe(2)
  added(3.5)
  for (let i = 0; i < 3; i++) expect(await after(minute)).toBe(2)
})

test('a late result of this process is counted in addition to what the retention has dropped', async () => {
  const { store, drop, added, after } = openTotals()
  for (const days of [9, 8, 7, 3]) store(days)
  expect(await after(minute)).toBe(4)
  drop(6)
  store(4)
  added(4)
  for (let i = 0; i < 3; i++) expect(await after(minute)).toBe(5)
})

test('only checks with new results are counted again', async () => {
  const { store, after, count, sources } = openTotals(['homepage', 'quiet'])
  store(0)
  await after(minute)
  await after(minute)
  count.mockClear()
  store(0)
  await after(minute)
  expect(count.mock.calls.map(([counted]) => counted)).toEqual([[sources[0]]])
})

test('a count that is too large is logged once, even if nobody waits for it', async () => {
  const { store, after, count, problems } = openTotals()
  store(3)
  count.mockRejectedValue(new QueryTooLarge('it would read too much'))
  for (let i = 0; i < 3; i++) expect(await after(minute, 1000)).toBe('counting')
  expect(problems).toEqual(['The counters of /metrics are not up to date: it would read too much.'])
  await expect(after(minute)).rejects.toThrow('it would read too much')
})

test('results are counted even after the clock was set back', async () => {
  const { store, after } = openTotals()
  store(3)
  expect(await after(minute)).toBe(1)
  await after(-30 * minute)
  store(0)
  expect(await after(minute)).toBe(2)
})
