import { grouped } from '../../collections/lists.ts'
import type { CheckRef } from '../store.ts'
import { createWriteHealth } from '../write-health.ts'
import type { Connection, StatementSettings } from './connection.ts'
import { ofCheck } from './read/select-results.ts'
import { createRowWriter } from './row-binary.ts'
import type { MetricColumns } from './schema/metric-columns.ts'
import type { DatabaseRef } from './schema/tables.ts'
import { verifySchema } from './schema/upgrade.ts'
import { shardSettings } from './server.ts'
import { DatabaseError, retryAfterSeconds } from './server-errors.ts'
import { arrivalAt } from './write/arrival.ts'
import type { ShardsOf } from './write/shards.ts'

type ReadinessOptions = {
  readonly connection: Connection
  readonly place: DatabaseRef
  readonly metrics: MetricColumns
  readonly shardsOf: ShardsOf
  /** For questions about one check. */
  readonly settings: StatementSettings
  readonly clock: () => number
  readonly log: (problem: unknown) => void
}

/** After this time without a write, a small write shows whether results can be stored. */
const trustMs = 10_000
/** One account and different checks: enough that each shard of a cluster gets some. */
const probed = Array.from({ length: 64 }, (_, i): CheckRef => ({ account: '', checkId: `probe-${i}` }))

/** Readiness for queries, and whether at least one shard can store results. */
export function createReadiness({ connection, place, metrics, shardsOf, settings, clock, log }: ReadinessOptions) {
  /** Tries each shard; fails only if all of them fail. */
  async function atAnyShard(work: (checks: readonly CheckRef[], shard?: number) => Promise<unknown>): Promise<void> {
    const shards = await shardsOf(probed)
    const byShard = grouped(probed, (check) => shards[probed.indexOf(check)])
    await Promise.any(Array.from(byShard, ([shard, checks]) => work(checks, shard))).catch(rethrowFirst)
  }
  const probe = async () => {
    try {
      await verifySchema(connection, place, metrics)
      await atAnyShard(insertProbes)
    } catch (error) {
      if (error instanceof DatabaseError) log(error.message)
      throw error
    }
  }
  const insertProbes = (checks: readonly CheckRef[], shard = 0) =>
    connection.insert(
      'commits (account, checkId, arrival, firstStart, lastStart, results)',
      emptyCommits(checks, clock()),
      shardSettings(shard),
    )
  /** Asks about a check that does not exist: this reads next to nothing, but needs the rights and tables of a real question. */
  const askProbe = async ([check]: readonly CheckRef[]) => {
    const sql = `SELECT startedAt FROM results WHERE ${ofCheck} LIMIT 1`
    if (check) await connection.rows({ sql, params: { ...check }, settings })
  }
  /** Concurrent callers share one query: anyone may ask, and queries wait for the same connections as inserts. */
  let asking: Promise<boolean> | null = null
  function isReady(): Promise<boolean> {
    asking ??= atAnyShard(askProbe)
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        asking = null
      })
    return asking
  }
  const health = createWriteHealth({ clock, probe, retryAfterMs: 1000 * retryAfterSeconds, trustMs })

  return {
    /** For inserts. A failed one only raises doubt, and the next probe decides: a single shard may be refusing its results. */
    observed: {
      ...connection,
      insert(into: string, rows: Uint8Array, settings?: StatementSettings): Promise<void> {
        const inserted = connection.insert(into, rows, settings)
        inserted.then(health.succeeded, health.doubt)
        return inserted
      },
    },
    /** A single unavailable shard does not count: no process can answer for its checks, and every process can for the others. */
    isReady,
    isWritable: health.isWritable,
  }
}

function rethrowFirst(error: unknown): never {
  throw error instanceof AggregateError ? error.errors[0] : error
}

/** Commits of no account: written to the same shards and as many replicas as results, and dropped after two hours. */
function emptyCommits(checks: readonly CheckRef[], now: number): Uint8Array {
  const rows = createRowWriter()
  for (const { account, checkId } of checks) {
    rows.text(account)
    rows.text(checkId)
    rows.uint64(arrivalAt(now))
    for (const count of [now, now]) rows.int64(Math.floor(count))
    rows.uint64(0n)
  }
  return rows.written()
}
