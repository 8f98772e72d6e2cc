import { aggregate } from '../../query/aggregate.ts'
import { createScratchBuffer } from '../../query/buffers.ts'
import { isBounded, raw } from '../../query/raw.ts'
import type { AggregateGroup, AggregateQuery, RawGroup, RawQuery, Result, ResultsQuery, Window } from '../../store.ts'
import { openForReading } from '../disk/database.ts'
import { readSnapshot } from '../disk/transaction.ts'
import { openStoredDays } from './stored-days.ts'
import { resultsAfter, type ScanQuery, wholeResults } from './whole-results.ts'

/** Answers questions on a connection of its own, each from one snapshot. */
export type Reader = {
  aggregate(query: AggregateQuery): AggregateGroup[]
  aggregateMany(queries: readonly AggregateQuery[]): AggregateGroup[][]
  raw(query: RawQuery): RawGroup[]
  results(query: ResultsQuery): Result[]
  scan(query: ScanQuery & { readonly window: Window }): Result[]
  close(): void
}

export function openReader(directory: string, cacheBytes: number): Reader {
  const database = openForReading(directory)
  const days = openStoredDays(database, cacheBytes)
  const buffers = { values: createScratchBuffer(), partitioned: createScratchBuffer() }
  const aggregateOne = (query: AggregateQuery) =>
    readSnapshot(database, () =>
      aggregate(
        query,
        days(query.check, query.window, 'all at once').map((day) => day.part()),
        buffers,
      ),
    )
  return {
    aggregate: aggregateOne,
    aggregateMany: (queries) => queries.map(aggregateOne),
    raw: (query) =>
      readSnapshot(database, () => raw(query, days(query.check, query.window, isBounded(query) ? 'day by day' : 'all at once'))),
    results: (query) => {
      const to = query.before ? Math.min(query.window.to, query.before.startedAt) : query.window.to
      return readSnapshot(database, () => wholeResults(query, days(query.check, { ...query.window, to }, 'day by day')))
    },
    scan: (query) => {
      const from = query.after ? Math.max(query.window.from, query.after.startedAt) : query.window.from
      return readSnapshot(database, () => resultsAfter(query, days(query.check, { ...query.window, from }, 'day by day')))
    },
    close: () => database.close(),
  }
}
