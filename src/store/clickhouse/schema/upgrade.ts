import type { Connection } from '../connection.ts'
import { DatabaseError, isColumnExists, LateServers } from '../server-errors.ts'
import { type MetricColumns, requireValidNames } from './metric-columns.ts'
import {
  alertTables,
  changedTable,
  columnDefinitions,
  commitLog,
  createVersions,
  type DatabaseRef,
  dayCountTable,
  documentTables,
  firstTables,
  localName,
  retentionTable,
} from './tables.ts'
import { type ColumnTypes, readTables, type Tables, verifiedColumns, verifyTables } from './verify.ts'

/** Each step upgrades the tables by one version. Steps are idempotent, even if several processes run them at once. */
const steps: readonly ((place: DatabaseRef, metrics: MetricColumns) => readonly string[])[] = [
  firstTables,
  commitLog,
  alertTables,
  documentTables,
  retentionTable,
  dayCountTable,
]
const currentVersion = steps.length

const maxAttempts = 10
/** How long a statement waits for all servers of a cluster; shorter once one was late. */
const waitSeconds = { first: 10, afterLate: 1 } as const
const nameGrammar = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/

/** Names of databases and clusters become part of statements, so they must match a grammar. */
export function requireValidPlace({ database, cluster }: DatabaseRef): void {
  for (const name of [database, ...(cluster === null ? [] : [cluster])])
    if (!nameGrammar.test(name)) throw new DatabaseError(`${name} cannot be the name of a database or cluster: use letters, digits and _.`)
}

/**
 * Creates the tables or upgrades them to the current version. Refuses tables of a newer version, and tables that someone else has altered.
 */
export async function upgradeSchema(connection: Connection, place: DatabaseRef, metrics: MetricColumns, now: number): Promise<void> {
  requireValidNames(metrics)
  const { define: change, isAnyLate } = createDefine(connection, place)
  /** Read after the version: another process may be changing tables until it has recorded its version. */
  let known: Promise<Tables> | null = null
  const tables = () => {
    known ??= readTables(connection, place)
    return known
  }
  const define: Define = (sql) => {
    known = null
    return change(sql)
  }
  try {
    // Statements for a whole cluster wait for all of its servers, so none is sent unless it is needed.
    const isNew = !(await hasVersions(connection, place))
    if (isNew) for (const sql of createVersions(place)) await define(sql)
    const version = await storedVersion(connection)
    requireKnown(version, place)
    for (const step of steps.slice(version)) for (const sql of step(place, metrics)) await define(sql)
    if (version < currentVersion) await recordVersion(connection, now)
    await addMetricColumns({ tables, place, define }, metrics)
    verifyTables(await tables(), place, metrics)
  } catch (error) {
    throw isAnyLate() ? new LateServers('Servers of the cluster are behind.', { cause: error }) : error
  }
}

/** Refuses tables of a newer version, and tables that someone else has altered. */
export async function verifySchema(connection: Connection, place: DatabaseRef, metrics: MetricColumns): Promise<void> {
  requireKnown(await storedVersion(connection), place)
  verifyTables(await readTables(connection, place), place, metrics)
}

async function recordVersion(connection: Connection, now: number): Promise<void> {
  await connection.command(`INSERT INTO tidemark_schema (version, appliedAt) VALUES (${currentVersion}, ${Math.floor(now)})`)
}

function requireKnown(version: number, { database }: DatabaseRef): void {
  if (version > currentVersion)
    throw new DatabaseError(
      `The database ${database} was written by a newer Tidemark (version ${version} of its tables; this one supports up to ${currentVersion}). Install that version again.`,
    )
}

async function hasVersions(connection: Connection, { database }: DatabaseRef): Promise<boolean> {
  const sql = 'SELECT name FROM system.columns WHERE database = {database:String} AND table = {table:String} LIMIT 1'
  return (await connection.rows({ sql, params: { database, table: 'tidemark_schema' } })).length > 0
}

async function storedVersion(connection: Connection): Promise<number> {
  const [row] = await connection.rows({ sql: 'SELECT max(version) FROM tidemark_schema' })
  return Number(row?.[0] ?? 0)
}

type Define = (sql: string) => Promise<void>

/** Servers run such statements from a queue, in order. One that is down catches up later, and delays a start only briefly. */
export function createDefine(connection: Pick<Connection, 'define' | 'command'>, { cluster }: Pick<DatabaseRef, 'cluster'>) {
  let isAnyLate = false
  const define: Define = async (sql) => {
    if (cluster === null) await connection.command(sql)
    else if (!(await connection.define(sql, isAnyLate ? waitSeconds.afterLate : waitSeconds.first))) isAnyLate = true
  }
  return { define, isAnyLate: () => isAnyLate }
}

type Defining = { readonly tables: () => Promise<Tables>; readonly place: DatabaseRef; readonly define: Define }

/** Adds columns for new metrics; in a cluster, to the tables that hold the rows first. */
async function addMetricColumns(defining: Defining, metrics: MetricColumns): Promise<void> {
  const wanted = columnDefinitions(metrics)
  for (const table of new Set([localName('results', defining.place), 'results'])) await addMissing(defining, table, wanted)
}

/** Another process may be adding the same columns, so each attempt looks up again what is missing. */
async function addMissing({ tables, place, define }: Defining, table: string, wanted: ColumnTypes): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const existing = verifiedColumns(await tables(), place, table)
    const added = [...wanted].flatMap(([name, type]) => (existing.has(name) ? [] : [`ADD COLUMN IF NOT EXISTS ${name} ${type}`]))
    if (added.length === 0) return
    await define(`ALTER TABLE ${changedTable(table, place)} ${added.join(', ')}`).catch((error) => {
      if (!isColumnExists(error) || attempt === maxAttempts) throw error
    })
  }
}
