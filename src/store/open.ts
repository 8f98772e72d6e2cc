import type { ClickHouseOptions } from './clickhouse/clickhouse-store.ts'
import type { ClickHouseServer } from './clickhouse/server.ts'
import type { Coordination } from './coordination.ts'
import type { Definitions } from './definitions.ts'
import type { DocumentLog } from './documents/document-log.ts'
import type { DocumentHome } from './documents/documents.ts'
import { openFolderHeads } from './embedded/document-log.ts'
import { createEmbeddedStore, type EmbeddedOptions } from './embedded/embedded-store.ts'
import { openFolderContents, openFolderDestination } from './embedded/folder-contents.ts'
import { openReadOnly } from './embedded/read-only.ts'
import type { Store } from './store.ts'
import type { Contents, Destination } from './transfer/contents.ts'

export type StoreOptions = EmbeddedOptions
export type OpenStore = Store & Definitions & DocumentHome

export function openStore(options: StoreOptions): Promise<OpenStore> {
  return createEmbeddedStore(options)
}

export async function openCoordination(server: ClickHouseServer): Promise<Coordination> {
  const { connectCoordination } = await import('./clickhouse/coordination.ts')
  return connectCoordination(server)
}

/** Opens the store in a ClickHouse server; only this loads its client. */
export async function openClickHouse(options: ClickHouseOptions): Promise<OpenStore> {
  const { createClickHouseStore } = await import('./clickhouse/clickhouse-store.ts')
  return createClickHouseStore(options)
}

/** Opens results for reading, even while a server is using them. */
export function openStoreReadOnly(directory: string): Pick<Store, 'scan' | 'close'> {
  return openReadOnly(directory)
}

/** Reads the current documents, even while a server is using them. */
export async function openDocumentHeads(
  place: { readonly directory: string } | { readonly server: ClickHouseServer },
): Promise<Pick<DocumentLog, 'heads' | 'close'>> {
  if ('directory' in place) return openFolderHeads(place.directory)
  const { connectDocumentLog } = await import('./clickhouse/documents.ts')
  return connectDocumentLog(place.server)
}

/** The source or destination of a copy: a data folder, or a database of ClickHouse. */
export type StoreRef =
  | { readonly directory: string }
  | (Pick<ClickHouseOptions, 'log'> & { readonly server: ClickHouseServer; readonly warn: (problem: string) => void })

export async function openSource(place: StoreRef): Promise<Contents> {
  if ('directory' in place) return openFolderContents(place.directory)
  const { openDatabaseContents } = await import('./clickhouse/database-contents.ts')
  return openDatabaseContents(place)
}

export async function openDestination(place: StoreRef): Promise<Destination> {
  if ('directory' in place) return openFolderDestination(place.directory)
  const { openDatabaseDestination } = await import('./clickhouse/database-contents.ts')
  return openDatabaseDestination(place)
}
