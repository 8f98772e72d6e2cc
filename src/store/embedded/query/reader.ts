import { allTime } from '../../day-number.ts'
import type { FailureGroup, FailuresQuery } from '../../failures/failures.ts'
import { groupFailures } from '../../failures/group.ts'
import { aggregate } from '../../query/aggregate.ts'
import { createScratchBuffer } from '../../query/buffers.ts'
import type { DayReader } from '../../query/day.ts'
import { foundOutages, type OutagesInSlice } from '../../query/found-outages.ts'
import { type PackedAnswer, packAnswer } from '../../query/packed-answer.ts'
import { isBounded, raw } from '../../query/raw.ts'
import { stateResults } from '../../query/state-results.ts'
import { type StoredTotals, totalsOf } from '../../query/totals.ts'
import type { CheckStates, FoundOutage, StateSource, StatesQuery } from '../../states.ts'
import {
  type AggregateQuery,
  type FoundResult,
  QueryTooLarge,
  type RawGroup,
  type RawQuery,
  type Result,
  type ResultQuery,
  type ResultsQuery,
  type Window,
} from '../../store.ts'
import { sweepStates } from '../../timeline/check-states.ts'
import type { Regime } from '../../timeline/regime.ts'
import type { TotalsSource } from '../../totals.ts'
import { openForReading } from '../disk/database.ts'
import { openEvidence } from '../disk/evidence.ts'
import { openRegimes } from '../disk/regimes.ts'
import { readSnapshot } from '../disk/transaction.ts'
import { oneResult } from './one-result.ts'
import { openStoredDays } from './stored-days.ts'
import { resultsAfter, type ScanQuery, wholeResults } from './whole-results.ts'

/** A question that is not admitted, as a value: the class of an error is lost on the way between threads. */
export type Refusal = { readonly refused: string }

/** Answers questions on a connection of its own, each from one snapshot. */
export type Reader = {
  aggregate(query: AggregateQuery): PackedAnswer | Refusal
  raw(query: RawQuery): RawGroup[]
  results(query: ResultsQuery): Result[]
  result(query: ResultQuery): FoundResult | null
  scan(query: ScanQuery & { readonly window: Window }): Result[]
  /** For each source. */
  states(query: StatesQuery): readonly CheckStates[] | Refusal
  outages(query: OutagesInSlice): readonly FoundOutage[]
  /** The groups of each source. */
  failures(query: FailuresQuery): readonly FailureGroup[] | Refusal
  totals(source: TotalsSource): StoredTotals
  close(): void
}

/** `checkpoint` is called before each column of a day is read, and may throw to end the question. */
export function openReader(directory: string, cacheBytes: number, checkpoint: () => void = () => {}): Reader {
  const database = openForReading(directory)
  const days = openStoredDays(database, cacheBytes, checkpoint)
  const reader: DayReader = {
    days,
    hasBefore: (check, instant) => days(check, { from: allTime.from, to: instant - 1 }, 'day by day').length > 0,
  }
  const evidence = openEvidence(database)
  const recordedRegimes = openRegimes(database)
  /** What runs today applies to the time before the first record. */
  const regimesOf = ({ check, rhythm }: StateSource): readonly Regime[] => [
    { from: Number.NEGATIVE_INFINITY, ...rhythm },
    ...recordedRegimes(check),
  ]
  const buffers = { values: createScratchBuffer(), partitioned: createScratchBuffer() }
  return {
    aggregate: (query) =>
      refusing(() =>
        readSnapshot(database, () => {
          const sources = query.sources.map((source) => ({
            source,
            parts: days(source.check, query.window, 'all at once').map((day) => day.part()),
          }))
          return packAnswer(aggregate(query, sources, buffers))
        }),
      ),
    raw: (query) =>
      readSnapshot(database, () => raw(query, days(query.check, query.window, isBounded(query) ? 'day by day' : 'all at once'))),
    results: (query) => {
      const to = query.before ? Math.min(query.window.to, query.before.startedAt) : query.window.to
      return readSnapshot(database, () => wholeResults(query, days(query.check, { ...query.window, to }, 'day by day')))
    },
    result: (query) =>
      readSnapshot(database, () => {
        const found = oneResult(query, days)
        return found && { ...found, evidence: evidence.of(query.check, found.result) }
      }),
    scan: (query) => {
      const from = query.after ? Math.max(query.window.from, query.after.startedAt) : query.window.from
      return readSnapshot(database, () => resultsAfter(query, days(query.check, { ...query.window, from }, 'day by day')))
    },
    states: (query) =>
      refusing(() =>
        readSnapshot(database, () =>
          query.sources.map((source) =>
            sweepStates({ ...query, ...source, regimes: regimesOf(source) }, stateResults(reader, source.check)),
          ),
        ),
      ),
    outages: (query) => readSnapshot(database, () => foundOutages(query, reader, regimesOf)),
    failures: ({ sources, window, locations }) =>
      refusing(() =>
        readSnapshot(database, () => sources.flatMap((check) => groupFailures(check, days(check, window, 'day by day'), locations))),
      ),
    totals: ({ check, duration }) => readSnapshot(database, () => totalsOf(days(check, allTime, 'day by day'), duration)),
    close: () => database.close(),
  }
}

function refusing<T>(answer: () => T): T | Refusal {
  try {
    return answer()
  } catch (error) {
    if (error instanceof QueryTooLarge) return { refused: error.message }
    throw error
  }
}
