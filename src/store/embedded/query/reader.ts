import { aggregate } from '../../query/aggregate.ts'
import { createScratchBuffer } from '../../query/buffers.ts'
import { isBounded, raw } from '../../query/raw.ts'
import type { AggregateGroup, AggregateQuery, RawGroup, RawQuery, Result, ResultsQuery, Window } from '../../store.ts'
import { openForReading, readSnapshot } from '../disk/database.ts'
import { openDays } from './days.ts'
import { resultsAfter, type ScanQuery, wholeResults } from './whole-results.ts'

/** Answers questions on a connection of its own. Each answer is of one instant. */
export type Reader = {
  aggregate(query: AggregateQuery): AggregateGroup[]
  aggregateMany(queries: readonly AggregateQuery[]): AggregateGroup[][]
  raw(query: RawQuery): RawGroup[]
  results(query: ResultsQuery): Result[]
  scan(query: ScanQuery & { readonly window: Window }): Result[]
  close(): void
}

/** Remembers columns that it has read, up to so many bytes. */
export function openReader(directory: string, rememberedBytes: number): Reader {
  const database = openForReading(directory)
  const days = openDays(database, rememberedBytes)
  const memory = { values: createScratchBuffer(), parted: createScratchBuffer() }
  const aggregateOne = (query: AggregateQuery) =>
    readSnapshot(database, () =>
      aggregate(
        query,
        days(query.check, query.window, 'all at once').map((day) => day.part()),
        memory,
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
