import type { StoreStats } from '../../../stats/server-stats.ts'
import { groupCommit } from '../../group-commit.ts'
import { toStored } from '../../query/stored-result.ts'
import type { Appended, FiledResult } from '../../store.ts'
import type { Connection } from '../connection.ts'
import type { MetricColumns } from '../schema/metric-columns.ts'
import { type Arrival, createArrivals } from './arrival.ts'
import { type EncodedRows, encodeArrivals, encodeEvidence, encodeResults } from './encode-rows.ts'
import { knownAmong } from './known-results.ts'
import type { createRepeatedIds } from './repeated-ids.ts'

type AppendOptions = {
  readonly connection: Connection
  readonly metrics: MetricColumns
  readonly clock: () => number
  readonly stats: StoreStats
  readonly repeatedIds: ReturnType<typeof createRepeatedIds>
  /** Called before results are inserted; what it returns is called if that fails. */
  readonly storing: (arrival: Arrival) => () => void
  /** Called with what was added, in the order of commits, before the promise of `append` resolves. */
  readonly added: (results: readonly FiledResult[]) => void
}

/** Stores results in batches over callers. */
export function createAppend({ connection, metrics, clock, stats, repeatedIds, storing, added }: AppendOptions) {
  const nextArrival = createArrivals(clock)

  /** Results go in last: whoever repeats a call that failed half-way completes it. */
  const commit = groupCommit(async (filed: readonly FiledResult[]) => {
    const duplicates = await knownAmong(connection, filed)
    const known = new Set(duplicates)
    const news = filed.filter((_, i) => !known.has(i))
    if (news.length > 0) await stats.commit.time(() => insertAll(news))
    return duplicates
  }, stats.appendQueue.set)

  const insert = ({ into, rows }: EncodedRows) => connection.insert(into, rows)

  async function insertAll(filed: readonly FiledResult[]): Promise<void> {
    const arrival = nextArrival()
    const results = encodeResults(filed, metrics, arrival)
    const evidence = encodeEvidence(filed, arrival)
    await Promise.all([insert(encodeArrivals(filed, arrival, clock())), evidence && insert(evidence)])
    const failed = storing(arrival)
    await insert(results).catch((error) => {
      failed()
      throw error
    })
    await repeatedIds.remove(filed).catch(() => {}) // The results are stored; what fails here is in the log.
  }

  return async (results: readonly FiledResult[]): Promise<Appended> => {
    const stored = results.map(toStored)
    const duplicates = stored.length === 0 ? [] : await commit(stored)
    const known = new Set(duplicates)
    const news = known.size === 0 ? stored : stored.filter((_, i) => !known.has(i))
    if (news.length > 0) added(news)
    return { duplicates }
  }
}
