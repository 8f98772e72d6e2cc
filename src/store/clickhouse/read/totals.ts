import { isDeepStrictEqual } from 'node:util'
import { checkKey } from '../../../ids/check-ref.ts'
import { compareText } from '../../../text/compare-text.ts'
import { dayMs, hourMs } from '../../../time.ts'
import { dayOf, startOfDay } from '../../day-number.ts'
import { addRun, type RunTotals, tallyAt } from '../../kernels/totals.ts'
import { flagsOf } from '../../query/parts/stored-result.ts'
import { batchCalls } from '../../questions/batch-calls.ts'
import type { Questions } from '../../questions/questions.ts'
import type { CheckRef, FiledResult, NewResult, QuestionCaller, QuestionOptions, TotalsOptions, Window } from '../../store.ts'
import type { CheckTotals, MissingTotals, TotalsSource } from '../../totals.ts'
import { within } from '../../within.ts'
import { overlapMs } from './announcements.ts'
import type { createCommits } from './commits.ts'

type Tallies = ReadonlyMap<string, RunTotals>

/**
 * The totals of a check. What started before `boundary` is settled: counted once, in steps. A step to which late results were added is counted
 * again. What started after the boundary is counted again from time to time, since other processes add to it.
 */
type Entry = {
  readonly source: TotalsSource
  /** By the number of the step. */
  readonly settled: Map<number, Map<string, RunTotals>>
  readonly outdated: Set<number>
  /** Who asked for it first. */
  caller: QuestionCaller | undefined
  /** Null before the first count. */
  boundary: number | null
  recountedAt: number
  answer: CheckTotals | null
  counting: Promise<void> | null
}

type CountedOptions = {
  /** Counts the results of a check in a window. */
  readonly count: Questions['totals']
  readonly firstStart: (check: CheckRef, options?: QuestionOptions) => Promise<number | null>
  readonly commits: Pick<ReturnType<typeof createCommits>, 'find'>
  readonly clock: () => number
}

const recountMs = 5000
/** What started longer ago counts as settled; it is moved there after a day more. */
const recentDays = 1
const stepMs = 30 * dayMs
/** The log of commits holds those of the last two hours. */
const logMs = hourMs

export function createTotals({ count: countIn, firstStart, commits, clock }: CountedOptions) {
  const byCheck = new Map<string, Entry>()
  /** Late results that came before were looked for. */
  let lookedAt = clock()
  let looking: Promise<void> | null = null

  const count = async ({ source, caller }: Entry, window: Window): Promise<Tallies> =>
    (await countIn({ ...source, window }, caller && { caller })).byLocation
  const settledBefore = () => startOfDay(dayOf(clock()) - recentDays)

  async function settleUpTo(entry: Entry, boundary: number): Promise<void> {
    const first = entry.boundary ?? (await firstStart(entry.source.check)) ?? boundary
    for (let from = first; from < boundary; from = startOfStep(stepOf(from) + 1)) {
      const step = stepOf(from)
      const counted = await count(entry, { from, to: Math.min(boundary, startOfStep(step + 1)) - 1 })
      entry.settled.set(step, addAll(entry.settled.get(step) ?? new Map(), counted))
      entry.boundary = Math.min(boundary, startOfStep(step + 1))
    }
    entry.boundary = boundary
  }

  /** What the retention has dropped since stays counted. */
  async function countAgain(entry: Entry, step: number, boundary: number): Promise<void> {
    if (startOfStep(step) >= boundary) return
    const counted = await count(entry, { from: startOfStep(step), to: Math.min(boundary, startOfStep(step + 1)) - 1 })
    if (resultsIn(counted) >= resultsIn(entry.settled.get(step) ?? new Map())) entry.settled.set(step, addAll(new Map(), counted))
  }

  async function recount(entry: Entry): Promise<void> {
    entry.recountedAt = clock()
    const wanted = settledBefore()
    if (entry.boundary === null || wanted - entry.boundary >= dayMs) await settleUpTo(entry, wanted)
    const boundary = entry.boundary as number
    for (const step of entry.outdated) {
      entry.outdated.delete(step)
      await countAgain(entry, step, boundary)
    }
    const all = addAll(new Map(), await count(entry, { from: boundary, to: Number.MAX_SAFE_INTEGER }))
    for (const tallies of entry.settled.values()) addAll(all, tallies)
    const answer = [...all.values()].sort((a, b) => compareText(a.location, b.location))
    if (!isDeepStrictEqual(answer, entry.answer)) entry.answer = answer
  }

  function refreshed(source: TotalsSource, caller: QuestionCaller | undefined): Promise<void> {
    const entry = entryOf(source)
    entry.caller ??= caller
    if (entry.answer !== null && clock() - entry.recountedAt < recountMs) return Promise.resolve()
    entry.counting ??= recount(entry)
      .catch((error) => {
        entry.recountedAt = Number.NEGATIVE_INFINITY
        throw error
      })
      .finally(() => {
        entry.counting = null
      })
    return entry.counting
  }

  function entryOf(source: TotalsSource): Entry {
    const known = byCheck.get(checkKey(source.check))
    if (known && known.source.duration === source.duration) return known
    const state = {
      settled: new Map(),
      outdated: new Set<number>(),
      caller: undefined,
      boundary: null,
      recountedAt: 0,
      answer: null,
      counting: null,
    }
    const entry: Entry = { source, ...state }
    byCheck.set(checkKey(source.check), entry)
    return entry
  }

  /** Looks for late results of all processes. Those of the last seconds are found again and again, until all of them can be seen. */
  async function lookForLate(): Promise<void> {
    const now = clock()
    const entries = [...byCheck.values()]
    const accounts = [...new Set(entries.map(({ source }) => source.check.account))]
    const startedBefore = settledBefore()
    if (now - lookedAt > logMs) for (const entry of entries) for (const step of entry.settled.keys()) entry.outdated.add(step)
    for (const { check, window } of await commits.find({ accounts, from: lookedAt - overlapMs, startedBefore })) {
      const entry = byCheck.get(checkKey(check))
      const last = Math.min(window.to, startedBefore - 1)
      if (entry) for (let step = stepOf(window.from); step <= stepOf(last); step++) entry.outdated.add(step)
    }
    lookedAt = now
  }

  function lookedForLate(): Promise<void> {
    if (byCheck.size === 0) lookedAt = clock()
    if (clock() - lookedAt < recountMs) return Promise.resolve()
    looking ??= lookForLate().finally(() => {
      looking = null
    })
    return looking
  }

  const refreshedAll = async (sources: readonly TotalsSource[], caller: QuestionCaller | undefined): Promise<void> => {
    await lookedForLate()
    await batchCalls(sources, (source) => refreshed(source, caller))
  }

  return {
    async of(sources: readonly TotalsSource[], { caller, waitMs }: TotalsOptions = {}): Promise<readonly (CheckTotals | MissingTotals)[]> {
      await within(refreshedAll(sources, caller), waitMs)
      return sources.map(({ check }) => byCheck.get(checkKey(check))?.answer ?? 'counting')
    },
    /** This process has stored results. */
    added(filed: readonly FiledResult[]): void {
      for (const { check, result } of filed) {
        const entry = byCheck.get(checkKey(check))
        if (!entry) continue
        entry.recountedAt = Number.NEGATIVE_INFINITY
        if (result.startedAt >= settledBefore()) continue
        if (entry.counting) entry.outdated.add(stepOf(result.startedAt))
        else if (entry.boundary !== null && result.startedAt < entry.boundary) addResult(entry, result)
      }
    },
  }
}

const stepOf = (instant: number) => Math.floor(instant / stepMs)
const startOfStep = (step: number) => step * stepMs

function addResult({ source, settled }: Entry, result: NewResult): void {
  const durationMs = (source.duration === null ? undefined : result.values[source.duration]) ?? Number.NaN
  const step = stepOf(result.startedAt)
  const tallies = settled.get(step) ?? new Map<string, RunTotals>()
  settled.set(step, tallies)
  addRun(tallyAt(tallies, result.runLocation), { flags: flagsOf(result), attempts: result.attempts, durationMs })
}

function addAll(sums: Map<string, RunTotals>, tallies: Tallies): Map<string, RunTotals> {
  for (const [location, { passed, degraded, failed, retries, durationMicros, buckets }] of tallies) {
    const sum = tallyAt(sums, location)
    sum.passed += passed
    sum.degraded += degraded
    sum.failed += failed
    sum.retries += retries
    sum.durationMicros += durationMicros
    for (const [i, own] of buckets.entries()) sum.buckets[i] = (sum.buckets[i] ?? 0) + own
  }
  return sums
}

const resultsIn = (tallies: Tallies) =>
  [...tallies.values()].reduce((sum, { passed, degraded, failed }) => sum + passed + degraded + failed, 0)
