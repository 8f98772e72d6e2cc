import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { compareText } from '../../../text/compare-text.ts'
import { dayMs } from '../../../time.ts'
import { dayOf, startOfDay } from '../../day-number.ts'
import { addRun, emptyTally, type Tally, tallyAt } from '../../kernels/totals.ts'
import { batchCalls } from '../../query/batch-calls.ts'
import { flagsOf } from '../../query/stored-result.ts'
import type { Questions } from '../../questions.ts'
import type { CheckRef, FiledResult, NewResult, QuestionOptions, TotalsOptions, Window } from '../../store.ts'
import type { CheckTotals, MissingTotals, TotalsSource } from '../../totals.ts'

type Tallies = ReadonlyMap<string, Tally>

/**
 * The totals of a check. What started before `boundary` is counted once, since results that arrive later than that are rare; those that this
 * process stores are added. What started after it is counted again from time to time, since other processes add to it.
 */
type Entry = {
  readonly source: TotalsSource
  settled: Map<string, Tally>
  /** Null until the first count is over. */
  boundary: number | null
  /** Own results before the boundary that came during the first count. */
  isOutdated: boolean
  recountedAt: number
  answer: CheckTotals | null
  counting: Promise<void> | null
}

type CountedOptions = {
  /** Counts the results of a check in a window. */
  readonly count: Questions['totals']
  readonly firstStart: (check: CheckRef, options?: QuestionOptions) => Promise<number | null>
  readonly clock: () => number
}

const recountMs = 5000
/** What started longer ago counts as settled; it is moved there after a day more. */
const recentDays = 1
const stepMs = 30 * dayMs

export function createTotals({ count: countIn, firstStart, clock }: CountedOptions) {
  const byCheck = new Map<string, Entry>()

  const count = async ({ source }: Entry, window: Window): Promise<Tallies> => (await countIn({ ...source, window })).byLocation

  async function settleUpTo(entry: Entry, boundary: number): Promise<void> {
    const first = entry.boundary ?? (await firstStart(entry.source.check)) ?? boundary
    const settled = new Map(entry.settled)
    for (let from = first; from < boundary; from += stepMs)
      addAll(settled, await count(entry, { from, to: Math.min(boundary, from + stepMs) - 1 }))
    if (entry.isOutdated) throw new Outdated()
    Object.assign(entry, { settled, boundary })
  }

  async function recount(entry: Entry): Promise<void> {
    const now = clock()
    const wanted = startOfDay(dayOf(now) - recentDays)
    if (entry.boundary === null || wanted - entry.boundary >= dayMs) await settleUpTo(entry, wanted)
    const recent = await count(entry, { from: entry.boundary as number, to: Number.MAX_SAFE_INTEGER })
    const all = addAll(copied(entry.settled), recent)
    const answer = [...all.values()].sort((a, b) => compareText(a.location, b.location))
    if (!isDeepStrictEqual(answer, entry.answer)) entry.answer = answer
    entry.recountedAt = now
  }

  function refreshed(source: TotalsSource): Promise<void> {
    const entry = entryOf(source)
    if (entry.answer !== null && clock() - entry.recountedAt < recountMs) return Promise.resolve()
    entry.counting ??= recount(entry)
      .catch((error) => {
        byCheck.delete(nameOf(source.check))
        if (!(error instanceof Outdated)) throw error
      })
      .finally(() => {
        entry.counting = null
      })
    return entry.counting
  }

  function entryOf(source: TotalsSource): Entry {
    const known = byCheck.get(nameOf(source.check))
    if (known && known.source.duration === source.duration) return known
    const entry: Entry = { source, settled: new Map(), boundary: null, isOutdated: false, recountedAt: 0, answer: null, counting: null }
    byCheck.set(nameOf(source.check), entry)
    return entry
  }

  return {
    async of(sources: readonly TotalsSource[], { waitMs }: TotalsOptions = {}): Promise<readonly (CheckTotals | MissingTotals)[]> {
      await within(batchCalls(sources, refreshed), waitMs)
      return sources.map(({ check }) => byCheck.get(nameOf(check))?.answer ?? 'counting')
    },
    /** This process has stored results. */
    added(filed: readonly FiledResult[]): void {
      for (const { check, result } of filed) {
        const entry = byCheck.get(nameOf(check))
        if (!entry) continue
        entry.recountedAt = Number.NEGATIVE_INFINITY
        if (entry.boundary === null || entry.counting) entry.isOutdated ||= result.startedAt < clock() - recentDays * dayMs
        else if (result.startedAt < entry.boundary) addResult(entry, result)
      }
    },
  }
}

/** Results that belong to what was being counted were stored meanwhile. */
class Outdated extends Error {}

function addResult({ source, settled }: Entry, result: NewResult): void {
  const durationMs = (source.duration === null ? undefined : result.values[source.duration]) ?? Number.NaN
  addRun(tallyAt(settled, result.runLocation), { flags: flagsOf(result), attempts: result.attempts, durationMs })
}

function addAll(sums: Map<string, Tally>, tallies: Tallies): Map<string, Tally> {
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

function copied(tallies: Tallies): Map<string, Tally> {
  return addAll(new Map(Array.from(tallies.keys(), (location) => [location, emptyTally(location)])), tallies)
}

/** Waits for work, but no longer than this; the work goes on. */
async function within(work: Promise<unknown>, waitMs: number | undefined): Promise<void> {
  if (waitMs === undefined) return void (await work)
  const timeout = new AbortController()
  await Promise.race([work.catch(() => {}), sleep(waitMs, undefined, { signal: timeout.signal }).catch(() => {})])
  timeout.abort()
}

const nameOf = ({ account, checkId }: CheckRef) => `${account}\n${checkId}`
