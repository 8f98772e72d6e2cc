import { appendFileSync } from 'node:fs'
import type { CheckType } from '../../src/checks/define.ts'
import { serverOf } from '../../src/cli/remote/clickhouse-server.ts'
import { createClickHouseStore } from '../../src/store/clickhouse/clickhouse-store.ts'
import { registeredColumns } from '../../src/store/clickhouse/schema/metric-columns.ts'
import { createEmbeddedStore, type EmbeddedOptions, type EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import type { Store } from '../../src/store/store.ts'
import { emptyTables } from '../clickhouse/empty-tables.ts'
import { serverAt } from '../clickhouse/server-at.ts'
import { temporaryFolder } from './temporary-folder.ts'

/**
 * TIDEMARK_TEST_APP_CLICKHOUSE_URL, set by `app-engine.ts`, selects a ClickHouse server instead of data folders, and the prefix of database
 * names. TIDEMARK_TEST_STATEMENTS names a file to which SQL statements are appended as lines of JSON.
 */
const { TIDEMARK_TEST_APP_CLICKHOUSE_URL: url, TIDEMARK_TEST_STATEMENTS: statementsFile } = process.env

type AppStoreOptions = Omit<EmbeddedOptions, 'directory' | 'workers'> & { readonly checkTypes?: readonly CheckType[] | undefined }

/** The parts of a store that the API and its tests use. */
export type AppStore = Omit<EmbeddedStore, 'addDefinitions'>

/** An empty store for one test of the API. */
export async function openAppStore(options: AppStoreOptions): Promise<AppStore> {
  if (!url) return openFolder(options)
  const { stores, close } = await openPair(url, options)
  return { ...alternating(stores), close, maintain: async () => {}, seal: async () => {} }
}

/** An empty store as each process that may share it sees it: one process for a data folder, two for a ClickHouse database. */
export async function openProcessStores(options: AppStoreOptions): Promise<{ readonly stores: readonly Store[]; close(): Promise<void> }> {
  if (url) return openPair(url, options)
  const store = await openFolder(options)
  return { stores: [store], close: () => store.close() }
}

const openFolder = ({ checkTypes, ...options }: AppStoreOptions) =>
  createEmbeddedStore({ ...options, directory: temporaryFolder(), workers: 0 })

/** Numbers of databases in use, and of existing databases. */
const used = new Set<number>()
const created = new Set<number>()
const collected = new Set<string>()

/** Empties and reuses databases within a process, which is faster than creating new ones. */
async function openPair(url: string, { clock, checkTypes, maxQuestionCost }: AppStoreOptions) {
  const number = takeNumber()
  const server = serverAt(url, `${serverOf(url).database}_${process.pid}_${number}`)
  const options = {
    server,
    metrics: registeredColumns(checkTypes),
    onStatement: collect,
    ...(clock && { clock }),
    ...(maxQuestionCost && { maxQuestionCost }),
  }
  // Empties the tables before opening the stores, which read existing documents when they open.
  if (created.has(number)) await emptyTables(server)
  const stores = [await createClickHouseStore(options), await createClickHouseStore(options)] as const
  created.add(number)
  const close = async () => {
    for (const store of stores) await store.close()
    used.delete(number)
  }
  return { stores, close }
}

function takeNumber(): number {
  let number = 1
  while (used.has(number)) number++
  used.add(number)
  return number
}

type ClickHouseStore = Awaited<ReturnType<typeof createClickHouseStore>>

/** Two stores over one database, like two processes. Calls alternate between them. */
function alternating(pair: readonly [ClickHouseStore, ClickHouseStore]): ClickHouseStore {
  let [next, other] = pair
  const turn = (): ClickHouseStore => {
    ;[next, other] = [other, next]
    return other
  }
  return {
    /** A store announces results of other processes only with a delay. */
    append: pair[0].append,
    onAppended: pair[0].onAppended,
    aggregate: (query, options) => turn().aggregate(query, options),
    states: (query, options) => turn().states(query, options),
    outages: (query, options) => turn().outages(query, options),
    outageTotals: (query, options) => turn().outageTotals(query, options),
    failures: (query, options) => turn().failures(query, options),
    raw: (query, options) => turn().raw(query, options),
    results: (query, options) => turn().results(query, options),
    result: (query, options) => turn().result(query, options),
    scan: (check, window, options) => turn().scan(check, window, options),
    /** Results of the other store become visible within a second, so `fresh` avoids waiting in tests. */
    latest: (checks, options) => turn().latest(checks, { ...options, fresh: true }),
    totals: (sources, options) => turn().totals(sources, options),
    documents: pair[0].documents,
    recordDefinitions: (checks, now) => turn().recordDefinitions(checks, now),
    applyRetention: (days) => turn().applyRetention(days),
    applyEvidenceRetention: (days) => turn().applyEvidenceRetention(days),
    expiring: (days) => turn().expiring(days),
    ready: () => turn().ready(),
    writable: () => turn().writable(),
    close: async () => {
      for (const store of pair) await store.close()
    },
  }
}

function collect(sql: string): void {
  if (statementsFile === undefined || collected.has(sql)) return
  collected.add(sql)
  appendFileSync(statementsFile, `${JSON.stringify(sql)}\n`)
}
