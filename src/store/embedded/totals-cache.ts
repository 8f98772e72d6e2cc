import { within } from '../../concurrency/within.ts'
import { checkKey } from '../../ids/check-ref.ts'
import { compareText } from '../../text/compare-text.ts'
import { isRecent } from '../../time.ts'
import { addRun, type RunTotals, tallyAt } from '../kernels/run-totals.ts'
import { flagsOf } from '../query/parts/stored-result.ts'
import type { StoredTotals } from '../query/stored-totals.ts'
import { batchCalls } from '../questions/calls.ts'
import { type CheckRef, type FiledResult, type NewResult, type QuestionOptions, StoreUnavailable, type TotalsOptions } from '../store.ts'
import type { CheckTotals, MissingTotals, TotalsSource } from '../totals.ts'

type TotalsCacheOptions = {
  /** Number of committed results of a check. */
  readonly count: (check: CheckRef) => number
  /** Counts all stored results of a check in one snapshot. */
  readonly read: (source: TotalsSource, options?: QuestionOptions) => Promise<StoredTotals>
  /** Changes whenever the retention drops results; waits for drops in progress. */
  readonly dropGeneration: () => Promise<number>
  readonly clock: () => number
  readonly log: (message: string) => void
}

/** Delay before a check that could not be read is read again. */
const retryMs = 60_000

type Entry = {
  loaded: Promise<void>
  state: 'counting' | 'damaged' | 'counted'
  failedAt: number
  readonly source: TotalsSource
  tallies: Map<string, RunTotals>
  /** While the stored results are being read: results committed since, in commit order. Otherwise null. */
  log: NewResult[] | null
  /** Results to skip: the snapshot already contains them, though their commits are acknowledged later. */
  skip: number
  answer: CheckTotals | null
}

/**
 * Totals of checks in memory: read from the store on first use, then updated by commits. They never decrease: results that the retention
 * drops stay counted.
 *
 * A snapshot contains a prefix of the commits. The number of results of a check at a commit boundary, and in the snapshot, determine which
 * results committed since then it contains.
 */
export function createTotalsCache({ count, read, dropGeneration, clock, log }: TotalsCacheOptions) {
  const byCheck = new Map<string, Entry>()
  const atBoundary: (() => void)[] = []
  let isCommitting = false

  const boundary = (work: () => void): Promise<void> =>
    new Promise((resolve, reject) => {
      const run = () => {
        try {
          resolve(work())
        } catch (error) {
          reject(error)
        }
      }
      if (isCommitting) atBoundary.push(run)
      else run()
    })

  const load = async (entry: Entry, options?: QuestionOptions): Promise<void> => {
    const generation = await dropGeneration()
    let before = 0
    await boundary(() => {
      before = count(entry.source.check)
      entry.log = []
    })
    const { results, byLocation } = await read(entry.source, options)
    if ((await dropGeneration()) !== generation) return load(entry, options)
    const committedMeanwhile = entry.log ?? []
    Object.assign(entry, { tallies: new Map(byLocation), log: null, skip: results - before, state: 'counted' })
    for (const result of committedMeanwhile) add(entry, result)
  }

  const open = (source: TotalsSource, options?: QuestionOptions): Entry => {
    const name = checkKey(source.check)
    const known = byCheck.get(name)
    if (known && known.source.duration === source.duration && !isDueAgain(known)) return known
    const entry = newEntry(source)
    byCheck.set(name, entry)
    entry.loaded = load(entry, options).catch((error) => fail(entry, error))
    return entry
  }
  const isDueAgain = ({ state, failedAt }: Entry) => state === 'damaged' && !isRecent(failedAt, retryMs, clock())
  /** After an overload, the next scrape asks again. Any other error concerns only this check, and must not hide the others. */
  const fail = (entry: Entry, error: unknown): void => {
    const { check } = entry.source
    const name = checkKey(check)
    if (error instanceof StoreUnavailable) {
      if (byCheck.get(name) === entry) byCheck.delete(name)
      return
    }
    Object.assign(entry, { state: 'damaged', failedAt: clock(), log: null })
    log(`Metrics omit the counters of ${check.checkId} of ${check.account}: ${error instanceof Error ? error.message : error}`)
  }

  return {
    /** Drops all totals, so that they are counted again: it is not known which results were committed. */
    forget: () => byCheck.clear(),
    commitStarts(): void {
      isCommitting = true
    },
    /** New results of the commit that is about to end. */
    committed(results: readonly FiledResult[]): void {
      if (byCheck.size === 0) return
      let last: CheckRef | null = null
      let entry: Entry | undefined
      for (const { check, result } of results) {
        if (check !== last) entry = byCheck.get(checkKey(check))
        last = check
        if (entry?.log) entry.log.push(result)
        else if (entry) add(entry, result)
      }
    },
    commitEnds(): void {
      isCommitting = false
      for (const run of atBoundary.splice(0)) run()
    },
    async of(sources: readonly TotalsSource[], options: TotalsOptions = {}): Promise<readonly (CheckTotals | MissingTotals)[]> {
      const { caller, waitMs } = options
      await within(
        batchCalls(sources, (source) => open(source, caller && { caller }).loaded),
        waitMs,
      )
      return sources.map(({ check }) => answerOf(byCheck.get(checkKey(check))))
    },
  }
}

function newEntry(source: TotalsSource): Entry {
  return { loaded: Promise.resolve(), state: 'counting', failedAt: 0, source, tallies: new Map(), log: null, skip: 0, answer: null }
}

function answerOf(entry: Entry | undefined): CheckTotals | MissingTotals {
  if (entry?.state !== 'counted') return entry?.state ?? 'counting'
  entry.answer ??= copied(entry.tallies)
  return entry.answer
}

function add(entry: Entry, result: NewResult): void {
  if (entry.skip > 0) {
    entry.skip--
    return
  }
  const { source, tallies } = entry
  const durationMs = (source.duration === null ? undefined : result.values[source.duration]) ?? Number.NaN
  addRun(tallyAt(tallies, result.runLocation), { flags: flagsOf(result), attempts: result.attempts, durationMs })
  entry.answer = null
}

function copied(tallies: ReadonlyMap<string, RunTotals>): CheckTotals {
  return [...tallies.values()]
    .map((tally) => ({ ...tally, buckets: [...tally.buckets] }))
    .sort((a, b) => compareText(a.location, b.location))
}
