import { connectTo } from '../src/store/clickhouse/server.ts'
import { openDestination, openSource } from '../src/store/open.ts'
import { copyChecks } from '../src/store/transfer/copy.ts'
import { serverAt } from '../test/clickhouse/server-at.ts'

/** Copies missing results from a data folder to a database, like `tidemark migrate`. */
export async function fillClickHouse(directory: string, url: string, database: string): Promise<void> {
  const source = await openSource({ directory })
  const destination = await openDestination({ server: serverAt(url, database), log: () => {}, warn: console.error })
  const checks = await source.checks()
  const total = checks.reduce((sum, { results }) => sum + results, 0)
  let copied = 0
  const advance = (results: number) => {
    if (Math.floor((10 * (copied + results)) / total) > Math.floor((10 * copied) / total))
      console.error(`  ClickHouse: ${Math.floor((100 * (copied + results)) / total)} % of ${total.toLocaleString('en')} results`)
    copied += results
  }
  await copyChecks({ source, destination, advance, settled: new Map() }, checks)
  await source.close()
  await destination.close()
}

/** Bytes on disk per result in a database. */
export async function storedBytes(url: string, database: string): Promise<number> {
  const connection = await connectTo(serverAt(url, database), { log: () => {} })
  const sql = "SELECT sum(bytes) / sum(rows) FROM system.parts WHERE active AND database = {database:String} AND table = 'results'"
  const [row] = await connection.rows({ sql, params: { database } })
  await connection.close()
  return Number(row?.[0])
}
