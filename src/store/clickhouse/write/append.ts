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
  /** Called with results of a shard that are stored, and may be stored with another start, too. */
  readonly settleLater: (shard: number, filed: readonly FiledResult[]) => void
  /** Resolves once those of a shard are settled. */
  readonly settled: (shard: number) => Promise<void>
  readonly readStored: ReadStoredRows
  readonly shardsOf: ShardsOf
  readonly nextArrival: () => Arrival
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
  readonly deadlineMs?: number
}

type Inserted = { readonly news: readonly FiledResult[]; readonly repeated: readonly FiledResult[]; readonly shard: number }
type Commit = ReturnType<typeof groupCommit<FiledResult>>

const retrySeconds = 1
/** How long a caller waits until no id of its results counts twice. */
const settleWaitMs = 1000
/** Callers are answered before proxies give up, which mostly is after a minute. */
const defaultDeadlineMs = 45_000
/** The server refuses an insert into more months than 100. */
const monthsPerInsert = 90
const shortestMonthMs = 28 * dayMs

/** Stores results in batches over callers, those of each shard by themselves: one that cannot take its own does not delay the others. */
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

  /** Results go in last: a retry of a call that failed half-way completes it. */
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
    if (stored.length < elsewhere.length) throw new StoreUnavailable('Not all replicas have what was stored before.', retrySeconds)
    return [...repeatable.flatMap((i) => filed[i] ?? []), ...stored]
  }

  const insert = async ({ into, rows }: EncodedRows, shard: number) => {
    if (rows.length > 0) await connection.insert(into, rows, shardSettings(shard))
  }

  /** The other tables had theirs before results were stored that are repeated. */
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

  /** What a shard has stored is stored, also where another one refuses its part of the call. */
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
      // What has not been written yet is dropped: its caller is told to send it again.
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
  const publicReason = 'The database of results does not answer in time. Send the results again: those that are stored already count once.'
  return new StoreUnavailable('Results were not stored in time.', retrySeconds, { cause, publicReason })
}

/** A client cannot make this call smaller, and would drop the results; a retry may find the server idle. */
function tooMuch(cause: QueryTooLarge): StoreUnavailable {
  const publicReason = 'The database of results lacks the memory to store these results now. Send them again later.'
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

/** Results in groups that the server takes at once, mostly one. */
function byMonths(filed: readonly FiledResult[]): readonly (readonly FiledResult[])[] {
  if (filed.length === 0) return []
  const { from, to } = startedWindow(filed.map(({ result }) => result))
  if (to - from < monthsPerInsert * shortestMonthMs) return [filed]
  const months = [...grouped(filed, ({ result }) => new Date(result.startedAt).toISOString().slice(0, 7)).values()]
  const groups: FiledResult[][] = []
  for (let from = 0; from < months.length; from += monthsPerInsert) groups.push(months.slice(from, from + monthsPerInsert).flat())
  return groups
}
