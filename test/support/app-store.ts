import type { CheckType } from '../../src/checks/define.ts'
import { createClickHouseStore } from '../../src/store/clickhouse/clickhouse-store.ts'
import { registeredColumns } from '../../src/store/clickhouse/schema/metric-columns.ts'
import { createEmbeddedStore, type EmbeddedOptions, type EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A ClickHouse server to run the tests of the API on, in place of data folders. */
const { TIDEMARK_TEST_APP_CLICKHOUSE_URL: url } = process.env

type AppStoreOptions = Omit<EmbeddedOptions, 'directory' | 'workers'> & { readonly checkTypes?: readonly CheckType[] | undefined }

/** What the API uses of a store, and what its tests do with one. */
export type AppStore = Omit<EmbeddedStore, 'addDefinitions'>

/** An empty store for one test of the API. */
export async function openAppStore(appOptions: AppStoreOptions): Promise<AppStore> {
  const { checkTypes, ...options } = appOptions
  return url ? openInClickHouse(url, appOptions) : createEmbeddedStore({ ...options, directory: temporaryFolder(), workers: 0 })
}

async function openInClickHouse(url: string, { clock, checkTypes }: AppStoreOptions): Promise<AppStore> {
  const database = `app_${process.pid}_${Math.random().toString(36).slice(2)}`
  const store = await createClickHouseStore({
    server: { url, database, cluster: null, username: 'default', password: '', ca: null },
    metrics: registeredColumns(checkTypes),
    ...(clock && { clock }),
  })
  return { ...store, maintain: async () => {}, seal: async () => {} }
}
