import { createWriteHealth } from '../write-health.ts'
import type { Connection } from './connection.ts'
import type { MetricColumns } from './schema/metric-columns.ts'
import type { DatabaseRef } from './schema/tables.ts'
import { recordVersion, verifySchema } from './schema/upgrade.ts'
import { DatabaseError, retryAfterSeconds } from './server-errors.ts'

type ReadinessOptions = {
  readonly connection: Connection
  readonly place: DatabaseRef
  readonly metrics: MetricColumns
  readonly clock: () => number
  readonly log: (problem: unknown) => void
}

/** Whether results and questions can be taken now. */
export function createReadiness({ connection, place, metrics, clock, log }: ReadinessOptions) {
  const probe = async () => {
    try {
      await verifySchema(connection, place, metrics)
      await recordVersion(connection, clock())
    } catch (error) {
      if (error instanceof DatabaseError) log(error.message)
      throw error
    }
  }
  const health = createWriteHealth({ clock, probe, retryAfterMs: 1000 * retryAfterSeconds })

  /** A ping would be answered whoever asks. */
  const answers = () =>
    connection.rows({ sql: 'SELECT version FROM tidemark_schema LIMIT 1' }).then(
      () => true,
      () => false,
    )

  return {
    /** The connection for inserts whose failures count. */
    observed: { ...connection, insert: (into: string, rows: Uint8Array) => health.observe(connection.insert(into, rows)) },
    isReady: async () => (await answers()) && (await health.isWritable()),
  }
}
