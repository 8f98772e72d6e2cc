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
 * `app-engine.ts` sets the first: a ClickHouse server to keep results in, in place of data folders, and what its databases are called.
 * Texts of statements are added to the file of the second, as lines of JSON.
 */
const { TIDEMARK_TEST_APP_CLICKHOUSE_URL: url, TIDEMARK_TEST_STATEMENTS: statementsFile } = process.env

type AppStoreOptions = Omit<EmbeddedOptions, 'directory' | 'workers'> & { readonly checkTypes?: readonly CheckType[] | undefined }

/** What the API uses of a store, and what its tests do with one. */
export type AppStore = Omit<EmbeddedStore, 'addDefinitions'>

/** An empty store for one test of the API. */
export async function openAppStore(options: AppStoreOptions): Promise<AppStore> {
  if (!url) return openFolder(options)
  const { stores, close } = await openPair(url, options)
  return { ...alternating(stores), close, maintain: async () => {}, seal: async () => {} }
}

/** The same data, empty, as the processes see it that may use it: one of a data folder, two of a database of ClickHouse. */
export async function openProcessStores(options: AppStoreOptions): Promise<{ readonly stores: readonly Store[]; close(): Promise<void> }> {
  if (url) return openPair(url, options)
  const store = await openFolder(options)
  return { stores: [store], close: () => store.close() }
}

const openFolder = ({ checkTypes, ...options }: AppStoreOptions) =>
  createEmbeddedStore({ ...options, directory: temporaryFolder(), workers: 0 })

/** Numbers of databases that are in use, and of those that exist. */
const used = new Set<number>()
const created = new Set<number>()
const collected = new Set<string>()

/** Databases are emptied and used again by the same process, which is quicker than creating others. */
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
  // Before they are opened: what documents there are is read then.
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

/** Two stores over one database, as two processes have them: each call goes to the one that did not have the last. */
function alternating(pair: readonly [ClickHouseStore, ClickHouseStore]): ClickHouseStore {
  let [next, other] = pair
  const turn = (): ClickHouseStore => {
    ;[next, other] = [other, next]
    return other
  }
  return {
    /** A store announces what others have stored too, but later. */
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
    /** What the other has stored is seen within a second, which tests do not wait for. */
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
