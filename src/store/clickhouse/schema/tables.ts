import { dayMs } from '../../../time.ts'
import { type MetricColumns, pageColumn, valueColumn } from './metric-columns.ts'

/** Where tables are: on one server, or on all servers of a cluster. */
export type DatabaseRef = { readonly database: string; readonly cluster: string | null }

/** How a cluster spreads rows: over its shards by check, or all rows to every server. */
type Spread = 'by check' | 'everywhere'

export type Table = {
  readonly name: string
  readonly spread: Spread
  readonly columns: readonly string[]
  readonly engine: string
  readonly args?: string
  readonly order: string
  readonly partition?: string
  readonly ttl?: string
  /** Default: the settings of a durable table. */
  readonly settings?: readonly string[]
}

/** Acknowledged means on disk. */
const durable = [
  'fsync_after_insert = 1',
  'fsync_part_directory = 1',
  'min_rows_to_fsync_after_merge = 1',
  'min_compressed_bytes_to_fsync_after_merge = 1',
]

const byMonth = "toYYYYMM(toDateTime(intDiv(startedAt, 1000), 'UTC'))"
const checkColumns = ['account String', 'checkId String']

const valueType = 'Nullable(Float64)'
const pageType = `Array(${valueType})`

export function columnDefinitions({ values, pageValues }: MetricColumns): ReadonlyMap<string, string> {
  return new Map([
    ...values.map((name) => [valueColumn(name), valueType] as const),
    ...pageValues.map((name) => [pageColumn(name), pageType] as const),
  ])
}

const plainPages = 'pages Nested(url String)'

/** Of results with the same key the first to arrive counts: it has the largest precedence. */
const results: Table = {
  name: 'results',
  spread: 'by check',
  columns: [
    ...checkColumns,
    'startedAt Int64 CODEC(DoubleDelta, LZ4)',
    'runLocation String',
    'id String CODEC(ZSTD(1))',
    'flags UInt8',
    'attempts UInt16',
    'state Nullable(String)',
    'error Nullable(String) CODEC(ZSTD(1))',
    plainPages,
    'precedence UInt64 CODEC(DoubleDelta, LZ4)',
  ],
  engine: 'ReplacingMergeTree',
  args: 'precedence',
  order: '(account, checkId, startedAt, runLocation, id)',
  partition: byMonth,
}

/** Marks a row that replaces one that does not count, because its id is stored with an earlier start, too. */
export const voidFlag = 128
/** Condition for rows of results that count. */
export const notVoid = `flags < ${voidFlag}`

const evidence: Table = {
  name: 'evidence',
  spread: 'by check',
  columns: [...checkColumns, 'startedAt Int64', 'resultId String', 'body String', 'precedence UInt64'],
  engine: 'ReplacingMergeTree',
  args: 'precedence',
  order: '(account, checkId, startedAt, resultId)',
  partition: byMonth,
}

/**
 * Kinds of results, in the column `isFuture` of `latest`, which has the newest result of each kind. `future`: stamped in the future on
 * arrival. `setBack`: arrived after a clock was set back, so they start before results that arrived earlier.
 */
export const candidates = { ordinary: 0, future: 1, setBack: 2 } as const

/** The newest result of each check, location and kind. */
const latest: Table = {
  name: 'latest',
  spread: 'by check',
  columns: [
    ...checkColumns,
    'runLocation String',
    'isFuture UInt8',
    'newest AggregateFunction(argMax, String, String)',
    'arrived AggregateFunction(max, UInt64)',
  ],
  engine: 'AggregatingMergeTree',
  order: '(account, checkId, runLocation, isFuture)',
}

export const arrivalColumns = [...checkColumns, 'runLocation String', 'isFuture UInt8', 'position String', 'body String', 'arrival UInt64']

/** The history of each check's definition, one row per change. */
const definitions: Table = {
  name: 'definitions',
  spread: 'everywhere',
  columns: [...checkColumns, 'seenAt Int64', 'fingerprint String', 'rhythm String'],
  engine: 'MergeTree',
  order: '(account, checkId, seenAt)',
}

/** An arrival counts 2^20 per millisecond. */
const arrivalsPerSecond = 1000 * 2 ** 20

/** Log of recent commits, in which processes find what others have stored. */
const commits: Table = {
  name: 'commits',
  spread: 'by check',
  columns: [...checkColumns, 'arrival UInt64', 'firstStart Int64', 'lastStart Int64', 'results UInt64'],
  engine: 'MergeTree',
  order: '(account, arrival, checkId)',
  partition: `intDiv(arrival, ${3600 * arrivalsPerSecond})`,
  ttl: `toDateTime(intDiv(arrival, ${arrivalsPerSecond})) + INTERVAL 2 HOUR`,
  settings: ['ttl_only_drop_parts = 1'],
}

/** How many rows were ever stored per check and day: while a count is the same, so are the results. */
const dayCounts: Table = {
  name: 'day_counts',
  spread: 'by check',
  columns: [...checkColumns, 'day Int64', 'results UInt64'],
  engine: 'SummingMergeTree',
  args: 'results',
  order: '(account, checkId, day)',
}

/** Claims to the lease of the process that sends alerts. */
const alertLeases: Table = {
  name: 'alert_leases',
  spread: 'everywhere',
  columns: ['term UInt64', 'owner String', 'beat UInt64', 'ended UInt8'],
  engine: 'ReplacingMergeTree',
  args: 'beat',
  order: '(term, owner)',
}

/** The state of alerts and what was sent, written by the leader. */
const alertRows: Table = {
  name: 'alert_rows',
  spread: 'everywhere',
  columns: ['kind String', 'key String', 'version UInt64', 'expiresAt Int64', 'body String CODEC(ZSTD(1))'],
  engine: 'ReplacingMergeTree',
  args: 'version',
  order: '(kind, key)',
}

/** Calls of other processes to the leader, and its answers. */
const alertCalls: Table = {
  name: 'alert_calls',
  spread: 'everywhere',
  columns: ['id String', 'kind String', 'at DateTime DEFAULT now()', 'body String'],
  engine: 'MergeTree',
  order: '(kind, at, id)',
  partition: 'toYYYYMMDD(at)',
  ttl: 'at + INTERVAL 1 DAY',
  settings: ['ttl_only_drop_parts = 1'],
}

/**
 * Versions of documents that are written over the API. Inserts with the same deduplication token count once, so that only one process gets
 * a position of the log. Tokens are remembered for a window of inserts.
 */
const documents: Table = {
  name: 'documents',
  spread: 'everywhere',
  columns: [
    'position UInt64',
    'ordinal UInt32',
    'writer String',
    'kind String',
    'account String',
    'id String',
    'version UInt64',
    'at Int64',
    'keyId String',
    'keyName String',
    'action String',
    'changes String CODEC(ZSTD(1))',
    'isDeleted UInt8',
    'body String CODEC(ZSTD(1))',
  ],
  engine: 'MergeTree',
  order: '(position, ordinal)',
  settings: [...durable, 'non_replicated_deduplication_window = 10000', 'replicated_deduplication_window = 10000'],
}

/** How long each process wants results and evidence to be kept, renewed every hour. */
const retentions: Table = {
  name: 'retentions',
  spread: 'everywhere',
  columns: ['process String', 'days Float64', 'evidenceDays Float64', 'beat UInt64', 'at DateTime DEFAULT now()'],
  engine: 'ReplacingMergeTree',
  args: 'beat',
  order: 'process',
  ttl: 'at + INTERVAL 1 DAY',
}

const schemaVersions: Table = {
  name: 'tidemark_schema',
  spread: 'everywhere',
  columns: ['version UInt32', 'appliedAt Int64'],
  engine: 'MergeTree',
  order: 'version',
}

const tablesOfFirstVersion: readonly Table[] = [results, evidence, latest, definitions]

/** Tables that hold rows. */
export const storedTables: readonly Table[] = [
  ...tablesOfFirstVersion,
  commits,
  alertLeases,
  alertRows,
  alertCalls,
  documents,
  retentions,
  dayCounts,
]

/**
 * The tables of the first version, with a column for each metric: a server that is down could not create them later if they had been
 * altered in the meantime. Inserts into `arrivals`, which stores nothing itself, feed `latest`.
 */
export function firstTables(place: DatabaseRef, { values, pageValues }: MetricColumns): readonly string[] {
  const pages = ['url String', ...pageValues.map((name) => `${pageColumn(name).replace('pages.', '')} ${valueType}`)]
  const columns = [
    ...results.columns.map((column) => (column === plainPages ? `pages Nested(${pages.join(', ')})` : column)),
    ...values.map((name) => `${valueColumn(name)} ${valueType}`),
  ]
  const tables = tablesOfFirstVersion.map((table) => (table === results ? { ...table, columns } : table))
  return [...tables.flatMap((table) => createTable(table, place)), ...createArrivals(place)]
}

/** The log of commits, fed by inserts into `results`. */
export function commitLog(place: DatabaseRef): readonly string[] {
  const [results, log] = [localName('results', place), localName('commits', place)].map((name) => qualified(name, place))
  const feed = `CREATE MATERIALIZED VIEW IF NOT EXISTS ${qualified('feed_commits', place)}${onCluster(place)} TO ${log} AS SELECT account, checkId, bitNot(precedence) AS arrival, min(startedAt) AS firstStart, max(startedAt) AS lastStart, count() AS results FROM ${results} GROUP BY account, checkId, precedence`
  return [...createTable(commits, place), feed]
}

/** Tables by which processes elect the leader for alerts, and call it. */
export function alertTables(place: DatabaseRef): readonly string[] {
  return [alertLeases, alertRows, alertCalls].flatMap((table) => createTable(table, place))
}

export const documentTables = (place: DatabaseRef): readonly string[] => createTable(documents, place)

export const retentionTable = (place: DatabaseRef): readonly string[] => createTable(retentions, place)

/** Row counts per day, fed by inserts into `results`. */
export function dayCountTable(place: DatabaseRef): readonly string[] {
  const [results, counts] = [localName('results', place), localName('day_counts', place)].map((name) => qualified(name, place))
  const feed = `CREATE MATERIALIZED VIEW IF NOT EXISTS ${qualified('feed_day_counts', place)}${onCluster(place)} TO ${counts} AS SELECT account, checkId, toInt64(floor(startedAt / ${dayMs})) AS day, count() AS results FROM ${results} GROUP BY account, checkId, day`
  return [...createTable(dayCounts, place), feed]
}

export const createVersions = (place: DatabaseRef): readonly string[] => createTable(schemaVersions, place)

/** The table that holds the rows; in a cluster, a server's share of them. */
export const localName = (name: string, { cluster }: DatabaseRef) => (cluster === null ? name : `${name}_local`)

/** A table as named in statements that change it, on all servers of a cluster. */
export const changedTable = (table: string, place: DatabaseRef) => `${qualified(table, place)}${onCluster(place)}`

const onCluster = ({ cluster }: DatabaseRef) => (cluster === null ? '' : ` ON CLUSTER ${cluster}`)

/** Statements for a cluster run on each of its servers without a current database. */
const qualified = (name: string, { database }: DatabaseRef) => `${database}.${name}`

/** All rows of a check are on one shard, so that a question about it asks only that shard. */
export const shardingKey = 'cityHash64(account, checkId)'

function createTable(table: Table, place: DatabaseRef): readonly string[] {
  const isSharded = place.cluster !== null && table.spread === 'by check'
  const name = isSharded ? localName(table.name, place) : table.name
  const partition = table.partition ? ` PARTITION BY ${table.partition}` : ''
  const ttl = table.ttl ? ` TTL ${table.ttl}` : ''
  const settings = (table.settings ?? durable).join(', ')
  const create = `CREATE TABLE IF NOT EXISTS ${qualified(name, place)}${onCluster(place)} (${table.columns.join(', ')}) ENGINE = ${engineOf(table, place)}${partition} ORDER BY ${table.order}${ttl} SETTINGS ${settings}`
  return isSharded ? [create, createDistributed(table.name, place)] : [create]
}

function createDistributed(name: string, place: DatabaseRef): string {
  const local = localName(name, place)
  return `CREATE TABLE IF NOT EXISTS ${qualified(name, place)}${onCluster(place)} AS ${qualified(local, place)} ENGINE = Distributed(${place.cluster}, ${place.database}, ${local}, ${shardingKey})`
}

/** In a cluster, tables are replicated: sharded ones within their shard, others across all servers. */
function engineOf({ name, engine, args = '', spread }: Table, { database, cluster }: DatabaseRef): string {
  if (cluster === null) return `${engine}(${args})`
  const [path, replica] = spread === 'by check' ? ['{shard}', '{replica}'] : ['all', '{shard}-{replica}']
  return `Replicated${engine}('/clickhouse/tables/${path}/${database}/${name}', '${replica}'${args && `, ${args}`})`
}

function createArrivals(place: DatabaseRef): readonly string[] {
  const name = qualified(localName('arrivals', place), place)
  const create = `CREATE TABLE IF NOT EXISTS ${name}${onCluster(place)} (${arrivalColumns.join(', ')}) ENGINE = Null`
  const feed = `CREATE MATERIALIZED VIEW IF NOT EXISTS ${qualified('feed_latest', place)}${onCluster(place)} TO ${qualified(localName('latest', place), place)} AS SELECT account, checkId, runLocation, isFuture, argMaxState(body, position) AS newest, maxState(arrival) AS arrived FROM ${name} GROUP BY account, checkId, runLocation, isFuture`
  return place.cluster === null ? [create, feed] : [create, feed, createDistributed('arrivals', place)]
}
