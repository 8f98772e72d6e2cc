import type { ClickHouseOptions } from './clickhouse/clickhouse-store.ts'
import type { Definitions } from './definitions.ts'
import { createEmbeddedStore, type EmbeddedOptions } from './embedded/embedded-store.ts'
import { openReadOnly } from './embedded/read-only.ts'
import type { Store } from './store.ts'

export type StoreOptions = EmbeddedOptions
export type OpenStore = Store & Definitions

/** Opens the store that results go to. */
export function openStore(options: StoreOptions): Promise<OpenStore> {
  return createEmbeddedStore(options)
}

/** Opens the store in a ClickHouse server; its client is loaded only here. */
export async function openClickHouse(options: ClickHouseOptions): Promise<OpenStore> {
  const { createClickHouseStore } = await import('./clickhouse/clickhouse-store.ts')
  return createClickHouseStore(options)
}

/** Opens results for reading beside the server that may be using them. */
export function openStoreReadOnly(directory: string): Pick<Store, 'scan' | 'close'> {
  return openReadOnly(directory)
}
