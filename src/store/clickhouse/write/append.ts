import { grouped } from '../../../collections/lists.ts'
import { within } from '../../../concurrency/within.ts'
import { checkKey } from '../../../ids/check-ref.ts'
import type { StoreStats } from '../../../stats/server-stats.ts'
import { dayMs } from '../../../time.ts'
import { evidenceBytes, groupCommit } from '../../group-commit.ts'
import { toStored } from '../../query/parts/stored-result.ts'
import { type Appended, type FiledResult, QueryTooLarge, StoreUnavailable } from '../../store.ts'
import type { Connection } from '../connection.ts'
import { endingBy } from '../ending-by.ts'
import type { MetricColumns } from '../schema/metric-columns.ts'
import { shardSettings } from '../server.ts'
import { retryAfterSeconds, SilentServer } from '../server-errors.ts'
import type { Arrival, Sequence } from './arrival.ts'
import { type EncodedRows, encodeArrivals, encodeEvidenceRows, encodeResults } from './encode-rows.ts'
import { distinctChecks, type KnownResults, knownAmong, startedWindow } from './known-results.ts'
import type { ShardsOf } from './shards.ts'
import type { ReadStoredRows } from './stored-rows.ts'

type AppendOptions = {
  readonly connection: Connection
  readonly metrics: MetricColumns
  readonly clock: () => number
  readonly stats: StoreStats
  /** Called with stored results of a shard whose ids may be stored with another start, too. */
  readonly settleLater: (shard: number, filed: readonly FiledResult[]) => void
  /** Resolves once the results of a shard are settled. */
  readonly settled: (shard: number) => Promise<void>
  readonly readStored: ReadStoredRows
  readonly shardsOf: ShardsOf
  readonly nextArrival: () => Arrival
  /** Called before results are inserted; the returned function is called if that fails. */
  readonly storing: (arrival: Arrival) => () => void
  /** Has seen every arrival that this process has read from `latest`. */
  readonly sequence: Sequence
  /**
   * In a cluster, a failed write may have left rows on one replica, which shows them and drops them later. So results that are sent again
   * are written again, to a quorum; if the first rows are there, they keep counting. If an id is sent with another start, the stored row is
   * written again instead, since otherwise both would count.
   */
  readonly isReplicated: boolean
  /** Called with the added results, in commit order, before the promise of `append` resolves. */
  readonly added: (results: readonly FiledResult[]) => void
  readonly deadlineMs?: number
}

type Inserted = { readonly news: readonly FiledResult[]; readonly repeated: readonly FiledResult[]; readonly shard: number }
type Commit = ReturnType<typeof groupCommit<FiledResult>>

const retrySeconds = 1
/** How long a caller waits for its ids to be settled, so that none counts twice. */
const settleWaitMs = 1000
/** Callers are answered before proxies give up, which is usually after a minute. */
const defaultDeadlineMs = 45_000
/** The server refuses inserts into more than 100 months. */
const monthsPerInsert = 90
const shortestMonthMs = 28 * dayMs

/** Stores results in group commits per shard: a shard that cannot store its results does not delay the others. */
export function createAppend(options: AppendOptions) {
  const {
    connection,
    metrics,
    clock,
    stats,
    settleLater,
    settled,
    readStored,
    shardsOf,
    nextArrival,
    storing,
    sequence,
    isReplicated,
    added,
  } = options
  const { deadlineMs = defaultDeadlineMs } = options
  const commits = new Map<number, Commit>()
  const waiting = new Map<number, number>()

  const commitOf = (shard: number): Commit => {
    const known = commits.get(shard)
    if (known) return known
    const onQueue = (results: number) => {
      waiting.set(shard, results)
      stats.appendQueue.set([...waiting.values()].reduce((sum, own) => sum + own, 0))
    }
    const created = groupCommit((filed: readonly FiledResult[]) => commit(filed, shard), { onQueue, bytesOf: evidenceBytes })
    commits.set(shard, created)
    return created
  }

  /** Inserts results last, so that a retry completes a call that failed halfway. */
  async function commit(filed: readonly FiledResult[], shard: number): Promise<readonly number[]> {
    const known = await knownAmong(connection, filed)
    const duplicates = new Set(known.duplicates)
    const news = filed.filter((_, i) => !duplicates.has(i))
    const repeated = isReplicated ? await repeatedAmong(filed, known) : []
    const written = [...news, ...repeated]
    if (written.length > 0) await stats.commit.time(() => insertAll({ news, repeated, shard }))
    settleLater(shard, [...written, ...known.doubled.flatMap((i) => filed[i] ?? [])])
    return known.duplicates
  }

  async function repeatedAmong(filed: readonly FiledResult[], { repeatable, elsewhere }: KnownResults): Promise<readonly FiledResult[]> {
    const stored = await readStored(elsewhere)
    if (stored.length < elsewhere.length) throw new StoreUnavailable('Not all replicas have the earlier results.', retrySeconds)
    return [...repeatable.flatMap((i) => filed[i] ?? []), ...stored]
  }

  const insert = async ({ into, rows }: EncodedRows, shard: number) => {
    if (rows.length > 0) await connection.insert(into, rows, shardSettings(shard))
  }

  /** Only new results need rows in the other tables: repeated ones had theirs before they were stored. */
  async function insertAll({ news, repeated, shard }: Inserted): Promise<void> {
    const arrived = sequence.next(nextArrival())
    const evidence = byMonths(news.filter(({ evidence }) => evidence)).map((some) => encodeEvidenceRows(some, arrived))
    await Promise.all([insert(encodeArrivals(news, arrived, clock()), shard), insertEach(evidence, shard)])
    for (const some of byMonths([...news, ...repeated])) await insertResults(some, shard)
  }

  async function insertEach(encoded: readonly EncodedRows[], shard: number): Promise<void> {
    for (const rows of encoded) await insert(rows, shard)
  }

  async function insertResults(filed: readonly FiledResult[], shard: number): Promise<void> {
    const arrival = nextArrival()
    const failed = storing(arrival)
    await insert(encodeResults(filed, metrics, arrival), shard).catch((error) => {
      failed()
      throw error
    })
  }

  /** A shard's part is stored even if another shard refuses its own. */
  async function commitPart(shard: number, part: readonly IndexedResult[], signal: AbortSignal): Promise<readonly number[]> {
    const filed = part.map(({ filed }) => filed)
    const duplicates = new Set(await commitOf(shard)(filed, signal))
    const news = duplicates.size === 0 ? filed : filed.filter((_, i) => !duplicates.has(i))
    if (news.length > 0) added(news)
    if (filed.some(({ result }) => result.id !== null)) await within(settled(shard), settleWaitMs)
    return part.filter((_, i) => duplicates.has(i)).map(({ index }) => index)
  }

  async function commitInTime(leftMs: number, shard: number, part: readonly IndexedResult[]): Promise<readonly number[]> {
    const unawaited = new AbortController()
    try {
      return await endingBy(leftMs, commitPart(shard, part, unawaited.signal))
    } catch (error) {
      // Results that are still queued are dropped: the caller is told to send them again.
      unawaited.abort(error)
      throw asUnavailable(error)
    }
  }

  return async (results: readonly FiledResult[]): Promise<Appended> => {
    const until = performance.now() + deadlineMs
    const parts = await endingBy(deadlineMs, byShard(results.map(toStored), shardsOf)).catch((error) => {
      throw asUnavailable(error)
    })
    const leftMs = until - performance.now()
    const outcomes = await Promise.allSettled(Array.from(parts, ([shard, part]) => commitInTime(leftMs, shard, part)))
    const duplicates = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : [])).sort((a, b) => a - b)
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    if (failures.length === 0) return { duplicates }
    const failure = failures.find((error) => !(error instanceof StoreUnavailable)) ?? failures[0]
    if (!isReplicated || !(failure instanceof StoreUnavailable)) throw failure
    const refused = [...parts.values()].flatMap((part, i) => (outcomes[i]?.status === 'rejected' ? part : []))
    const partly = { duplicates, refusedChecks: new Set(refused.map(({ filed }) => checkKey(filed.check))) }
    const { message, retryAfterSeconds, publicReason } = failure
    throw new StoreUnavailable(message, retryAfterSeconds, { cause: failure, publicReason, partly })
  }
}

function asUnavailable(error: unknown): unknown {
  return error instanceof SilentServer ? tooLate(error) : error instanceof QueryTooLarge ? tooMuch(error) : error
}

function tooLate(cause: SilentServer): StoreUnavailable {
  const publicReason = 'The results database does not answer in time. Send the results again: duplicates are skipped.'
  return new StoreUnavailable('Results were not stored in time.', retrySeconds, { cause, publicReason })
}

/** The client is told to retry: it cannot make this call smaller and would drop the results, and the server may be idle later. */
function tooMuch(cause: QueryTooLarge): StoreUnavailable {
  const publicReason = 'The results database does not have enough memory for these results now. Send them again later.'
  return new StoreUnavailable(`Results were not stored: ${cause.message}.`, retryAfterSeconds, { cause, publicReason })
}

type IndexedResult = { readonly index: number; readonly filed: FiledResult }

async function byShard(results: readonly FiledResult[], shardsOf: ShardsOf): Promise<ReadonlyMap<number, readonly IndexedResult[]>> {
  const checks = distinctChecks(results)
  const shards = await shardsOf(checks)
  const shardOf = new Map(checks.map((check, i) => [checkKey(check), shards[i] as number]))
  const indexed = results.map((filed, index) => ({ index, filed }))
  return grouped(indexed, ({ filed }) => shardOf.get(checkKey(filed.check)) as number)
}

/** Groups of results that fit into one insert, mostly one group. */
function byMonths(filed: readonly FiledResult[]): readonly (readonly FiledResult[])[] {
  if (filed.length === 0) return []
  const { from, to } = startedWindow(filed.map(({ result }) => result))
  if (to - from < monthsPerInsert * shortestMonthMs) return [filed]
  const months = [...grouped(filed, ({ result }) => new Date(result.startedAt).toISOString().slice(0, 7)).values()]
  const groups: FiledResult[][] = []
  for (let from = 0; from < months.length; from += monthsPerInsert) groups.push(months.slice(from, from + monthsPerInsert).flat())
  return groups
}
