import { serverOf } from '../../src/cli/remote/clickhouse-server.ts'
import type { ClickHouseServer } from '../../src/store/clickhouse/clickhouse-store.ts'

/** A database of a server; the URL may contain a user and password. */
export function serverAt(url: string, database: string, cluster: string | null = null): ClickHouseServer {
  const { url: origin, username, password } = serverOf(url)
  return { url: origin, database, cluster, username: username || 'default', password, ca: null }
}
