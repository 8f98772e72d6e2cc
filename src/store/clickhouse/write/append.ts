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
  /**
   * In a cluster, a write that failed may have left rows on one replica, which shows them and drops them later. So what is sent again is
   * written again, to a quorum; where the rows are there, the first ones go on to count.
   */
  readonly isReplicated: boolean
  /** Called with what was added, in the order of commits, before the promise of `append` resolves. */
  readonly added: (results: readonly FiledResult[]) => void
}

/** Stores results in batches over callers. */
export function createAppend({ connection, metrics, clock, stats, repeatedIds, storing, isReplicated, added }: AppendOptions) {
  const nextArrival = createArrivals(clock)

  /** Results go in last: whoever repeats a call that failed half-way completes it. */
  const commit = groupCommit(async (filed: readonly FiledResult[]) => {
    const { duplicates, repeatable } = await knownAmong(connection, filed)
    const known = new Set(duplicates)
    const news = filed.filter((_, i) => !known.has(i))
    const repeated = isReplicated ? repeatable.flatMap((i) => filed[i] ?? []) : []
    if (news.length + repeated.length > 0) await stats.commit.time(() => insertAll(news, repeated))
    return duplicates
  }, stats.appendQueue.set)

  const insert = async ({ into, rows }: EncodedRows) => {
    if (rows.length > 0) await connection.insert(into, rows)
  }

  /** The other tables had theirs before results were stored that are repeated. */
  async function insertAll(news: readonly FiledResult[], repeated: readonly FiledResult[]): Promise<void> {
    const arrival = nextArrival()
    const results = encodeResults([...news, ...repeated], metrics, arrival)
    const evidence = encodeEvidence(news, arrival)
    await Promise.all([insert(encodeArrivals(news, arrival, clock())), evidence && insert(evidence)])
    const failed = storing(arrival)
    await insert(results).catch((error) => {
      failed()
      throw error
    })
    await repeatedIds.remove(news).catch(() => {}) // The results are stored; what fails here is in the log.
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
