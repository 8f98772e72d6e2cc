import { randomUUID } from 'node:crypto'
import { createClient } from '@clickhouse/client'
import { startServer } from '../clickhouse/engines/server.ts'

/** The server that tests of the API keep their results in, and what the names of their databases begin with, as a URL. */
const variable = 'TIDEMARK_TEST_APP_CLICKHOUSE_URL'

/** Starts ClickHouse once for all files; each project of the run calls this. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[variable]) return
  const { url, stop } = await startServer()
  const prefix = `app_${randomUUID().slice(0, 8)}`
  const place = new URL(url)
  place.pathname = prefix
  process.env[variable] = place.href
  return async () => {
    await dropDatabases(url, prefix)
    await stop()
  }
}

async function dropDatabases(url: string, prefix: string): Promise<void> {
  const client = createClient({ url })
  const query = 'SELECT name FROM system.databases WHERE startsWith(name, {prefix:String})'
  const databases = await client.query({ query, query_params: { prefix }, format: 'JSONCompact' })
  for (const [name] of (await databases.json<[string]>()).data) await client.command({ query: `DROP DATABASE ${name}` })
  await client.close()
}
