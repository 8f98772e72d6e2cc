import { createWriteHealth } from '../write-health.ts'
import type { Connection } from './connection.ts'
import { createRowWriter } from './row-binary.ts'
import type { MetricColumns } from './schema/metric-columns.ts'
import type { DatabaseRef } from './schema/tables.ts'
import { verifySchema } from './schema/upgrade.ts'
import { DatabaseError, retryAfterSeconds } from './server-errors.ts'
import { arrivalAt } from './write/arrival.ts'

type ReadinessOptions = {
  readonly connection: Connection
  readonly place: DatabaseRef
  readonly metrics: MetricColumns
  readonly clock: () => number
  readonly log: (problem: unknown) => void
}

/** Where no results are written, a small write shows every so often whether they could be. */
const trustMs = 10_000
/** Of one account and different checks: enough for each shard of a cluster to get some. */
const probeRows = 64

/** Whether questions and results can be taken now. */
export function createReadiness({ connection, place, metrics, clock, log }: ReadinessOptions) {
  const probe = async () => {
    try {
      await verifySchema(connection, place, metrics)
      await connection.insert('commits (account, checkId, arrival, firstStart, lastStart, results)', emptyCommits(clock()))
    } catch (error) {
      if (error instanceof DatabaseError) log(error.message)
      throw error
    }
  }
  const health = createWriteHealth({ clock, probe, retryAfterMs: 1000 * retryAfterSeconds, trustMs })

  return {
    /** The connection for inserts whose failures count. */
    observed: { ...connection, insert: (into: string, rows: Uint8Array) => health.observe(connection.insert(into, rows)) },
    /** A ping would be answered whoever asks. */
    isReady: () =>
      connection.rows({ sql: 'SELECT version FROM tidemark_schema LIMIT 1' }).then(
        () => true,
        () => false,
      ),
    isWritable: health.isWritable,
  }
}

/** Commits of no account: written to the same shards, and to as many replicas, as results are, and dropped after two hours. */
function emptyCommits(now: number): Uint8Array {
  const rows = createRowWriter()
  for (let i = 0; i < probeRows; i++) {
    rows.text('')
    rows.text(`probe-${i}`)
    rows.uint64(arrivalAt(now))
    for (const count of [now, now]) rows.int64(Math.floor(count))
    rows.uint64(0n)
  }
  return rows.written()
}
