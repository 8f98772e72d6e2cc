import type { StoreStats } from '../../../stats/server-stats.ts'
import { groupCommit } from '../../group-commit.ts'
import { toStored } from '../../query/parts/stored-result.ts'
import { type Appended, type FiledResult, StoreUnavailable } from '../../store.ts'
import type { Connection } from '../connection.ts'
import type { MetricColumns } from '../schema/metric-columns.ts'
import { type Arrival, createArrivals, type Sequence } from './arrival.ts'
import { type EncodedRows, encodeArrivals, encodeEvidenceRows, encodeResults } from './encode-rows.ts'
import { type KnownResults, knownAmong } from './known-results.ts'
import type { createRepeatedIds } from './repeated-ids.ts'
import type { ReadStoredRows } from './stored-rows.ts'

type AppendOptions = {
  readonly connection: Connection
  readonly metrics: MetricColumns
  readonly clock: () => number
  readonly stats: StoreStats
  readonly repeatedIds: ReturnType<typeof createRepeatedIds>
  readonly readStored: ReadStoredRows
  /** Called before results are inserted; what it returns is called if that fails. */
  readonly storing: (arrival: Arrival) => () => void
  /** Has seen what this process knows of the newest results. */
  readonly sequence: Sequence
  /**
   * In a cluster, a write that failed may have left rows on one replica, which shows them and drops them later. So what is sent again is
   * written again, to a quorum; where the rows are there, the first ones go on to count. Of an id that is sent with another start, the row
   * that is there is written again: both would count.
   */
  readonly isReplicated: boolean
  /** Called with what was added, in the order of commits, before the promise of `append` resolves. */
  readonly added: (results: readonly FiledResult[]) => void
}

const retrySeconds = 1

/** Stores results in batches over callers. */
export function createAppend(options: AppendOptions) {
  const { connection, metrics, clock, stats, repeatedIds, readStored, storing, sequence, isReplicated, added } = options
  const nextArrival = createArrivals(clock)

  /** Results go in last: whoever repeats a call that failed half-way completes it. */
  const commit = groupCommit(async (filed: readonly FiledResult[]) => {
    const known = await knownAmong(connection, filed)
    const duplicates = new Set(known.duplicates)
    const news = filed.filter((_, i) => !duplicates.has(i))
    const repeated = isReplicated ? await repeatedAmong(filed, known) : []
    if (news.length + repeated.length > 0) await stats.commit.time(() => insertAll(news, repeated))
    return known.duplicates
  }, stats.appendQueue.set)

  async function repeatedAmong(filed: readonly FiledResult[], { repeatable, elsewhere }: KnownResults): Promise<readonly FiledResult[]> {
    const stored = await readStored(elsewhere)
    if (stored.length < elsewhere.length) throw new StoreUnavailable('Not all replicas have what was stored before.', retrySeconds)
    return [...repeatable.flatMap((i) => filed[i] ?? []), ...stored]
  }

  const insert = async ({ into, rows }: EncodedRows) => {
    if (rows.length > 0) await connection.insert(into, rows)
  }

  /** The other tables had theirs before results were stored that are repeated. */
  async function insertAll(news: readonly FiledResult[], repeated: readonly FiledResult[]): Promise<void> {
    const arrival = nextArrival()
    const results = encodeResults([...news, ...repeated], metrics, arrival)
    const evidence = encodeEvidenceRows(news, arrival)
    await Promise.all([insert(encodeArrivals(news, sequence.next(arrival), clock())), evidence && insert(evidence)])
    const failed = storing(arrival)
    await insert(results).catch((error) => {
      failed()
      throw error
    })
    await repeatedIds.remove(news, arrival).catch(() => {}) // The results are stored; what fails here is in the log.
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
