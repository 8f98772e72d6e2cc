import { appendFileSync } from 'node:fs'
import type { CheckType } from '../../src/checks/define.ts'
import { serverOf } from '../../src/cli/clickhouse-server.ts'
import { createClickHouseStore } from '../../src/store/clickhouse/clickhouse-store.ts'
import { registeredColumns } from '../../src/store/clickhouse/schema/metric-columns.ts'
import { createEmbeddedStore, type EmbeddedOptions, type EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { emptyTables } from '../clickhouse/empty-tables.ts'
import { temporaryFolder } from './temporary-folder.ts'

/**
 * `app-engine.ts` sets the first: a ClickHouse server to keep results in, in place of data folders, and what its databases are called.
 * Texts of statements are added to the file of the second, as lines of JSON.
 */
const { TIDEMARK_TEST_APP_CLICKHOUSE_URL: url, TIDEMARK_TEST_STATEMENTS: statementsFile, VITEST_POOL_ID: worker = '0' } = process.env

type AppStoreOptions = Omit<EmbeddedOptions, 'directory' | 'workers'> & { readonly checkTypes?: readonly CheckType[] | undefined }

/** An empty store for one test of the API. */
export async function openAppStore(appOptions: AppStoreOptions): Promise<EmbeddedStore> {
  const { checkTypes, ...options } = appOptions
  return url ? openInClickHouse(url, appOptions) : createEmbeddedStore({ ...options, directory: temporaryFolder(), workers: 0 })
}

/** Numbers of databases that are in use. */
const used = new Set<number>()
const collected = new Set<string>()

async function openInClickHouse(url: string, { clock, checkTypes }: AppStoreOptions): Promise<EmbeddedStore> {
  const { database: prefix, username, ...server } = serverOf(url)
  const number = takeNumber()
  const place = { ...server, username: username || 'default', database: `${prefix}_${worker}_${number}`, cluster: null, ca: null }
  const store = await createClickHouseStore({
    server: place,
    metrics: registeredColumns(checkTypes),
    ...(clock && { clock }),
    onStatement: collect,
  })
  await emptyTables(place)
  return {
    ...store,
    maintain: async () => {},
    seal: async () => {},
    async close() {
      await store.close()
      used.delete(number)
    },
  }
}

/** Databases are used again, which is quicker than creating others. */
function takeNumber(): number {
  let number = 1
  while (used.has(number)) number++
  used.add(number)
  return number
}

function collect(sql: string): void {
  if (statementsFile === undefined || collected.has(sql)) return
  collected.add(sql)
  appendFileSync(statementsFile, `${JSON.stringify(sql)}\n`)
}
