import { randomUUID } from 'node:crypto'
import { dropDatabases } from '../clickhouse/drop-databases.ts'
import { isGiven, startServer } from '../clickhouse/engines/server.ts'

/** URL of the ClickHouse server for API tests. Its path is the prefix of their database names. */
const variable = 'TIDEMARK_TEST_APP_CLICKHOUSE_URL'

/** Starts ClickHouse once for all files. Each project of the run calls this. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[variable]) return
  const { url, stop } = await startServer()
  const prefix = `app_${randomUUID().slice(0, 8)}`
  const place = new URL(url)
  place.pathname = prefix
  process.env[variable] = place.href
  return async () => {
    if (isGiven) await dropDatabases(url, prefix)
    await stop()
  }
}
