import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import type { ClickHouseServer } from '../../src/store/clickhouse/server.ts'

const tables = [
  'results',
  'commits',
  'evidence',
  'latest',
  'definitions',
  'alert_leases',
  'alert_rows',
  'alert_calls',
  'documents',
  'retentions',
  'day_counts',
]

/** Removes everything stored in a database; its tables stay. */
export async function emptyTables({
  url,
  database,
  username,
  password,
}: Pick<ClickHouseServer, 'url' | 'database' | 'username' | 'password'>): Promise<void> {
  const client = createClient({ url, database, username, password, request_timeout: 300_000, log: { level: ClickHouseLogLevel.OFF } })
  await Promise.all(tables.map((table) => client.command({ query: `TRUNCATE TABLE ${table}` })))
  await client.close()
}
