import { ClickHouseLogLevel, createClient } from '@clickhouse/client'

/** Drops the databases of a server whose names begin with `prefix`. */
export async function dropDatabases(url: string, prefix: string): Promise<void> {
  const client = createClient({ url, request_timeout: 300_000, log: { level: ClickHouseLogLevel.OFF } })
  const query = 'SELECT name FROM system.databases WHERE startsWith(name, {prefix:String})'
  const databases = await client.query({ query, query_params: { prefix }, format: 'JSONCompact' })
  for (const [name] of (await databases.json<[string]>()).data) await client.command({ query: `DROP DATABASE ${name}` })
  await client.close()
}
