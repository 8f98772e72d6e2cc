import { isDeepStrictEqual } from 'node:util'
import { grouped } from '../../../collections/lists.ts'
import { within } from '../../../concurrency/within.ts'
import { checkKey } from '../../../ids/check-ref.ts'
import { compareText } from '../../../text/compare-text.ts'
import { dayMs, dayOf, hourMs, isRecent, startOfDay } from '../../../time.ts'
import { addRun, type RunTotals, tallyAt } from '../../kernels/run-totals.ts'
import { flagsOf } from '../../query/parts/stored-result.ts'
import { type FiledResult, type NewResult, StoreUnavailable, type TotalsOptions } from '../../store.ts'
import type { CheckTotals, MissingTotals, TotalsSource } from '../../totals.ts'
import { overlapMs } from './announcements.ts'
import { batchesBy } from './batches-by.ts'
import type { createCommits } from './commits.ts'
import type { CountTotals } from './count-totals.ts'
import { addTallies, noTallies, resultsIn, type Tallies } from './tallies.ts'

/**
 * The totals of a check. Results that started before `boundary` are settled: counted once, in steps; a step that gets late results is
 * counted again. Later results are counted by hour, and again from the first hour that gets results.
 */
type Entry = {
  readonly source: TotalsSource
  /** By step number. */
  readonly settled: Map<number, Map<string, RunTotals>>
  readonly outdated: Set<number>
  /** Results that this process added to a step since it was counted. */
  readonly late: Map<number, Map<string, RunTotals>>
  /** By hour number. */
  readonly hours: Map<number, Map<string, RunTotals>>
  /** Over all steps and hours. */
  readonly sum: Map<string, RunTotals>
  /** Results that started since then must be counted again. */
  recountFrom: number
  /** Null before the first count. */
  boundary: number | null
  answer: CheckTotals | null
}
type SettledEntry = Entry & { boundary: number }

/** A refresh that has not begun, with its entries. */
type Waiting = { readonly entries: Set<Entry>; readonly done: Promise<void> }

type CountedOptions = {
  readonly totals: CountTotals
  readonly commits: Pick<ReturnType<typeof createCommits>, 'find' | 'firstStarts'>
  readonly clock: () => number
  readonly log: (problem: unknown) => void
}

const recountMs = 5000
/** Full days before today that are not settled yet; the boundary moves once a day. */
const recentDays = 1
const stepMs = 30 * dayMs
/** Well within the log of commits, which covers two hours. */
const logMs = hourMs
/** Approximate number of results that one statement counts. */
const resultsPerStatement = 5_000_000
/** Approximate number of rows that one statement sends; this thread adds them up. */
const rowsPerStatement = 30_000
const rowsPerHour = 12
const upToDate = Number.POSITIVE_INFINITY

export function createTotals({ totals, commits, clock, log }: CountedOptions) {
  const byCheck = new Map<string, Entry>()
  /** Commits up to this instant have been looked up. */
  let lookedAt = clock()
  let refreshing: Promise<void> = Promise.resolve()
  let waiting: Waiting | null = null
  let hasFailed = false

  const settledBefore = () => startOfDay(dayOf(clock()) - recentDays)

  /** Counts all results of checks for the first time, in batches of checks. */
  async function countFirst(entries: readonly Entry[]): Promise<void> {
    const spans = await totals.spans(entries.map(({ source }) => source.check))
    const boundary = settledBefore()
    const spanOf = ({ source }: Entry) => spans.get(checkKey(source.check)) ?? { first: boundary, results: 0 }
    for (const some of batchesBy(entries, (entry) => spanOf(entry).results, resultsPerStatement)) {
      const first = Math.min(...some.map((entry) => spanOf(entry).first))
      for (let step = stepOf(first); startOfStep(step) < boundary; step++) await countStep(some, step, boundary)
      for (const entry of some) Object.assign(entry, { boundary, recountFrom: boundary })
      await countRecent(some.filter(isSettled))
    }
  }

  /** If the retention has dropped results since the last count, that count stays, and late results of this process are added to it. */
  async function countStep(entries: readonly Entry[], step: number, boundary: number): Promise<void> {
    const window = { from: startOfStep(step), to: Math.min(boundary, startOfStep(step + 1)) - 1 }
    if (window.to < window.from) return
    const added = entries.map(({ late }) => late.get(step) ?? noTallies)
    for (const entry of entries) {
      entry.outdated.delete(step)
      entry.late.delete(step)
    }
    const counted = await totals.count(sourcesOf(entries), { window, unitMs: stepMs }).catch((error) => {
      for (const [i, entry] of entries.entries()) {
        entry.outdated.add(step)
        entry.late.set(step, addTallies(entry.late.get(step) ?? new Map(), added[i] ?? noTallies))
      }
      throw error
    })
    for (const [i, { source, settled, sum }] of entries.entries()) {
      const replaced = { sum, of: settled, number: step }
      const isWhole = replaceTallies(replaced, counted.get(checkKey(source.check))?.get(step) ?? noTallies)
      if (!isWhole) extendTallies(replaced, added[i] ?? noTallies)
    }
  }

  /** Counts hours again that got new results. */
  async function countRecent(entries: readonly SettledEntry[]): Promise<void> {
    const due = entries.filter(({ recountFrom }) => recountFrom !== upToDate)
    const lastHour = clock() - hourMs
    for (const together of grouped(due, ({ recountFrom }) => recountFrom >= lastHour).values()) await countHours(together)
  }

  /** One statement covers all checks, unless these are many. */
  async function countHours(due: readonly SettledEntry[]): Promise<void> {
    const from = startOfHour(Math.min(...due.map(({ recountFrom }) => recountFrom)))
    const hours = Math.max(1, Math.ceil((clock() - from) / hourMs))
    for (const some of batchesBy(due, () => hours * rowsPerHour, rowsPerStatement)) {
      const before = some.map(({ recountFrom }) => recountFrom)
      for (const entry of some) entry.recountFrom = upToDate
      const counted = await totals
        .count(sourcesOf(some), { window: { from, to: Number.MAX_SAFE_INTEGER }, unitMs: hourMs })
        .catch((error) => {
          for (const [i, entry] of some.entries()) entry.recountFrom = Math.min(entry.recountFrom, before[i] as number)
          throw error
        })
      for (const entry of some) addHours(entry, counted.get(checkKey(entry.source.check)) ?? new Map())
    }
  }

  /** Looks up what any process has stored. Commits of the last seconds are looked up repeatedly, until all of them are visible. */
  async function lookForChanges(): Promise<void> {
    const now = clock()
    const entries = [...byCheck.values()].filter(isSettled)
    if (entries.length === 0 || isRecent(lookedAt, recountMs, now)) return
    const accounts = [...new Set(entries.map(({ source }) => source.check.account))]
    const boundary = settledBefore()
    if (now - lookedAt > logMs)
      for (const entry of entries) {
        for (const step of entry.settled.keys()) entry.outdated.add(step)
        entry.recountFrom = entry.boundary
      }
    const from = Math.min(lookedAt, now) - overlapMs
    const [late, recent] = await Promise.all([
      commits.find({ accounts, from, startedBefore: boundary }),
      commits.firstStarts({ accounts, from, startedFrom: boundary }),
    ])
    for (const { check, window } of late)
      noteLate(byCheck.get(checkKey(check)), { from: window.from, to: Math.min(window.to, boundary - 1) })
    for (const entry of entries) {
      const first = recent.get(checkKey(entry.source.check)) ?? upToDate
      entry.recountFrom = Math.min(entry.recountFrom, Math.max(entry.boundary, first))
    }
    lookedAt = now
  }

  async function refresh(entries: readonly Entry[]): Promise<void> {
    if (byCheck.size === entries.length && entries.every(({ boundary }) => boundary === null)) lookedAt = clock()
    await lookForChanges()
    const known = entries.filter(isSettled)
    for (const entry of known) settleUpTo(entry, settledBefore())
    const outdated = known.flatMap((entry) => [...entry.outdated].map((step) => ({ step, entry })))
    for (const [step, some] of grouped(outdated, ({ step }) => step))
      await countOutdated(
        some.map(({ entry }) => entry),
        step,
      )
    await countRecent(known)
    for (const entry of known) updateAnswer(entry)
    const fresh = entries.filter((entry) => !isSettled(entry))
    if (fresh.length > 0) await countFirst(fresh)
    for (const entry of fresh.filter(isSettled)) updateAnswer(entry)
  }

  async function countOutdated(entries: readonly SettledEntry[], step: number): Promise<void> {
    for (const some of grouped(entries, ({ boundary }) => boundary).values())
      for (const batch of batchesBy(some, ({ settled }) => resultsIn(settled.get(step) ?? noTallies), resultsPerStatement))
        await countStep(batch, step, batch[0]?.boundary ?? 0)
  }

  function entryOf(source: TotalsSource): Entry {
    const known = byCheck.get(checkKey(source.check))
    if (known && known.source.duration === source.duration) return known
    const counts = { settled: new Map(), outdated: new Set<number>(), late: new Map(), hours: new Map(), sum: new Map() }
    const entry: Entry = { source, ...counts, recountFrom: upToDate, boundary: null, answer: null }
    byCheck.set(checkKey(source.check), entry)
    return entry
  }

  /** Callers with `waitMs` get no error, so it is logged here. Server failures are logged already. */
  function noteFailure(error: unknown): void {
    if (!hasFailed && !(error instanceof StoreUnavailable))
      log(`The counters of /metrics are not up to date: ${error instanceof Error ? error.message : error}.`)
    hasFailed = true
  }

  /** One refresh at a time, since the next one need not repeat its counts. Callers that arrive during a refresh share the next one. */
  function refreshed(sources: readonly TotalsSource[]): Promise<void> {
    waiting ??= waitingRefresh()
    for (const source of sources) waiting.entries.add(entryOf(source))
    return waiting.done
  }

  function waitingRefresh(): Waiting {
    const entries = new Set<Entry>()
    const done = refreshing.then(() => {
      waiting = null
      return refresh([...entries])
    })
    refreshing = done.then(() => {
      hasFailed = false
    }, noteFailure)
    return { entries, done }
  }

  return {
    async of(sources: readonly TotalsSource[], { waitMs }: TotalsOptions = {}): Promise<readonly (CheckTotals | MissingTotals)[]> {
      await within(refreshed(sources), waitMs)
      return sources.map(({ check }) => byCheck.get(checkKey(check))?.answer ?? 'counting')
    },
    /** Call after this process has stored results. */
    added(filed: readonly FiledResult[]): void {
      for (const { check, result } of filed) {
        const entry = byCheck.get(checkKey(check))
        if (!entry) continue
        const { boundary } = entry
        if (boundary !== null && result.startedAt >= boundary) entry.recountFrom = Math.min(entry.recountFrom, result.startedAt)
        else addLate(entry, result)
      }
    },
  }
}

const stepOf = (instant: number) => Math.floor(instant / stepMs)
const startOfStep = (step: number) => step * stepMs
const hourOf = (instant: number) => Math.floor(instant / hourMs)
const startOfHour = (instant: number) => hourOf(instant) * hourMs
const sourcesOf = (entries: readonly Entry[]) => entries.map(({ source }) => source)
const isSettled = (entry: Entry): entry is SettledEntry => entry.boundary !== null

function noteLate(entry: Entry | undefined, { from, to }: { readonly from: number; readonly to: number }): void {
  if (entry) for (let step = stepOf(from); step <= stepOf(to); step++) entry.outdated.add(step)
}

/** Moves the hours of past days into their steps. */
function settleUpTo(entry: SettledEntry, wanted: number): void {
  if (wanted - entry.boundary < dayMs) return
  for (const [hour, tallies] of entry.hours) {
    if (hour * hourMs >= wanted) continue
    const step = stepOf(hour * hourMs)
    entry.settled.set(step, addTallies(entry.settled.get(step) ?? new Map(), tallies))
    entry.hours.delete(hour)
  }
  entry.boundary = wanted
}

function addHours({ hours, sum, boundary }: SettledEntry, counted: ReadonlyMap<number, Tallies>): void {
  for (const [hour, tallies] of counted) if (hour * hourMs >= boundary) replaceTallies({ sum, of: hours, number: hour }, tallies)
}

type Replaced = { readonly sum: Map<string, RunTotals>; readonly of: Map<number, Map<string, RunTotals>>; readonly number: number }

/** Replaces a count unless it has fallen, since counters never fall. False if the old count stays. */
function replaceTallies({ sum, of, number }: Replaced, tallies: Tallies): boolean {
  const before = of.get(number) ?? noTallies
  if (resultsIn(tallies) < resultsIn(before)) return false
  addTallies(addTallies(sum, before, -1), tallies)
  of.set(number, addTallies(new Map(), tallies))
  return true
}

function extendTallies({ sum, of, number }: Replaced, tallies: Tallies): void {
  addTallies(sum, tallies)
  of.set(number, addTallies(of.get(number) ?? new Map(), tallies))
}

function updateAnswer(entry: Entry): void {
  const all = Array.from(entry.sum.values(), (tally) => ({ ...tally, buckets: [...tally.buckets] }))
  const answer = all.sort((a, b) => compareText(a.location, b.location))
  if (!isDeepStrictEqual(answer, entry.answer)) entry.answer = answer
}

/** A concurrent count may already include the result, so its step is counted again instead of adding to it. */
function addLate({ source, outdated, late }: Entry, result: NewResult): void {
  const durationMs = (source.duration === null ? undefined : result.values[source.duration]) ?? Number.NaN
  const step = stepOf(result.startedAt)
  const tallies = late.get(step) ?? new Map<string, RunTotals>()
  late.set(step, tallies)
  outdated.add(step)
  addRun(tallyAt(tallies, result.runLocation), { flags: flagsOf(result), attempts: result.attempts, durationMs })
}
