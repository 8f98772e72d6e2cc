import { createStoreStats, type StoreStats } from '../../stats/server-stats.ts'
import type { Definitions } from '../definitions.ts'
import { type CheckRef, type FiledResult, type QuestionOptions, type Store, StoreUnavailable } from '../store.ts'
import { timedStore } from '../timed-store.ts'
import { openConnection } from './connection.ts'
import { createDefinitions } from './read/definitions.ts'
import { createEvidence } from './read/evidence.ts'
import { createLatest } from './read/latest.ts'
import { createOneResult } from './read/one-result.ts'
import { createReader } from './read/reader.ts'
import { createSelect, ofCheck } from './read/select-results.ts'
import { createTotals } from './read/totals.ts'
import { createRetention } from './retention.ts'
import { type MetricColumns, registeredColumns } from './schema/metric-columns.ts'
import { requireValidPlace, upgradeSchema } from './schema/upgrade.ts'
import { startFailure } from './server-errors.ts'
import { createAppend } from './write/append.ts'

/** The server that holds the results. */
export type ClickHouseServer = {
  readonly url: string
  readonly database: string
  /** The cluster over whose servers results are spread; null for one server. */
  readonly cluster: string | null
  readonly username: string
  readonly password: string
  /** Certificates that sign that of the server; null for those that Node trusts. */
  readonly ca: Buffer | null
}

export type ClickHouseOptions = {
  readonly server: ClickHouseServer
  readonly clock?: () => number
  readonly log?: (problem: unknown) => void
  readonly stats?: StoreStats
  /** What results carry; those of all check types by default. */
  readonly metrics?: MetricColumns
  readonly onStatement?: (sql: string) => void
}

/** A quorum has it on disk, also where a batch spans several shards. */
const clusterInserts = { insert_quorum: 'auto', insert_quorum_parallel: 1, distributed_foreground_insert: 1 } as const
/** A question about one check asks one shard. */
const oneShard = { optimize_skip_unused_shards: 1, force_optimize_skip_unused_shards: 2 } as const

/** The store in a ClickHouse server or cluster, which several processes may use. */
export async function createClickHouseStore(options: ClickHouseOptions): Promise<Store & Definitions> {
  const { server, clock = Date.now, log = console.error, stats = createStoreStats(), metrics = registeredColumns() } = options
  const { database, cluster } = server
  const place = { database, cluster }
  requireValidPlace(place)
  const connection = await connect(options, log).catch((error) => {
    throw startFailure(error, server)
  })
  await upgradeSchema(connection, place, metrics, clock()).catch(async (error) => {
    await connection.close()
    throw startFailure(error, server)
  })
  const retention = createRetention({ connection, place, clock, log })
  const settings = cluster === null ? {} : oneShard
  const select = createSelect({ connection, metrics, settings })
  const definitions = createDefinitions(connection)
  const firstStart = async (check: CheckRef, { signal }: QuestionOptions = {}): Promise<number | null> => {
    const sql = `SELECT min(startedAt), count() FROM results WHERE ${ofCheck}`
    const [row] = await connection.rows({ sql, params: { ...check }, settings }, signal)
    return Number(row?.[1] ?? 0) === 0 ? null : Number(row?.[0])
  }
  const reader = createReader({ select, metrics, firstStart, regimesOf: definitions.regimesOf })
  const oneResult = createOneResult({ select, reader, firstStart, clock })
  const evidence = createEvidence({ connection, settings })
  const latest = createLatest({ connection, clock })
  const totals = createTotals({ reader, firstStart, clock })
  const listeners = new Set<(added: readonly FiledResult[]) => void>()
  const append = createAppend({
    connection,
    metrics,
    clock,
    stats,
    added(results) {
      latest.added(results)
      totals.added(results)
      for (const announce of listeners) announce(results)
    },
  })

  let closed = false
  const open = <Part>(part: Part): Part => {
    if (closed) throw new StoreUnavailable('The store is closed.', 5)
    return part
  }
  const store: Store & Definitions = {
    append: async (results) => open(append)(results),
    onAppended(announce) {
      listeners.add(announce)
      return () => listeners.delete(announce)
    },
    aggregate: async (query, options) => open(reader).aggregate(query, options),
    raw: async (query, options) => open(reader).raw(query, options),
    results: async (query, options) => open(reader).results(query, options),
    result: async (query, options) => {
      const found = await open(oneResult)(query, options)
      return found && { ...found, evidence: await evidence.of(query.check, found.result, options) }
    },
    scan: (check, window, options) => open(reader).scan(check, window, options),
    latest: async (checks, options) => open(latest).of(checks, options),
    totals: async (sources, options) => open(totals).of(sources, options),
    states: async (query, options) => open(reader).states(query, options),
    outages: async (query, options) => open(reader).outages(query, options),
    failures: async (query, options) => open(reader).failures(query, options),
    recordDefinitions: async (checks, now) => open(definitions).recordDefinitions(checks, now),
    applyRetention: async (days) => open(retention).applyRetention(days),
    applyEvidenceRetention: async (days) => open(retention).applyEvidenceRetention(days),
    expiring: async (days) => open(retention).expiring(days),
    ready: async () => !closed && (await connection.ping()),
    async close() {
      if (closed) return
      closed = true
      retention.close()
      await connection.close()
    },
  }
  return timedStore(store, stats)
}

/** Connects to the database, which is created where it does not exist. */
export async function connect({ server, onStatement }: Pick<ClickHouseOptions, 'server' | 'onStatement'>, log: (problem: unknown) => void) {
  const { url, database, cluster, username, password, ca } = server
  const access = { url, username, password, ca, log: () => {} }
  const first = await openConnection({ ...access, database: null })
  try {
    const [found] = await first.rows({ sql: 'SELECT name FROM system.databases WHERE name = {database:String}', params: { database } })
    if (!found) await first.command(`CREATE DATABASE IF NOT EXISTS ${database}${cluster === null ? '' : ` ON CLUSTER ${cluster}`}`)
  } finally {
    await first.close()
  }
  return openConnection({
    ...access,
    log,
    database,
    ...(cluster !== null && { insertSettings: clusterInserts }),
    ...(onStatement && { onStatement }),
  })
}
