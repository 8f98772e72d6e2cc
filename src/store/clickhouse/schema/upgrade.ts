import type { Connection } from '../connection.ts'
import { DatabaseError, isColumnExists } from '../server-errors.ts'
import { type MetricColumns, requireValidNames } from './metric-columns.ts'
import {
  changedTable,
  columnDefinitions,
  commitLog,
  createVersions,
  firstTables,
  localName,
  type Place,
  recreateResults,
} from './tables.ts'

/** Each step brings the tables to its version, and may be done again, also by several processes at once. */
const steps: readonly ((place: Place) => readonly string[])[] = [firstTables, commitLog]
const currentVersion = steps.length

const maxAttempts = 10
const nameGrammar = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/

/** Names of databases and clusters become part of statements. */
export function requireValidPlace({ database, cluster }: Place): void {
  for (const name of [database, ...(cluster === null ? [] : [cluster])])
    if (!nameGrammar.test(name))
      throw new DatabaseError(`${name} cannot be the name of a database or cluster: it must be letters, digits and _.`)
}

/** Creates the tables, or brings them to the current version; refuses those of a newer one. */
export async function upgradeSchema(connection: Connection, place: Place, metrics: MetricColumns, now: number): Promise<void> {
  requireValidNames(metrics)
  for (const sql of createVersions(place)) await connection.command(sql)
  const version = await storedVersion(connection)
  if (version > currentVersion)
    throw new DatabaseError(
      `The database ${place.database} was written by a newer Tidemark (version ${version} of its tables; this one knows up to ${currentVersion}). Install that version again.`,
    )
  for (const step of steps.slice(version)) for (const sql of step(place)) await connection.command(sql)
  if (version < currentVersion)
    await connection.command(`INSERT INTO tidemark_schema (version, appliedAt) VALUES (${currentVersion}, ${now})`)
  await addMetricColumns(connection, place, metrics)
}

async function storedVersion(connection: Connection): Promise<number> {
  const [row] = await connection.rows({ sql: 'SELECT max(version) FROM tidemark_schema' })
  return Number(row?.[0] ?? 0)
}

/** A metric that is new gets a column; a column that is not as it should be has been altered by someone else. */
async function addMetricColumns(connection: Connection, place: Place, metrics: MetricColumns): Promise<void> {
  const wanted = columnDefinitions(metrics)
  const local = localName('results', place)
  await addMissing(connection, place, wanted)
  requireTypes(await columnTypes(connection, place, local), wanted, local)
  if (place.cluster === null) return
  const distributed = await columnTypes(connection, place, 'results')
  if ([...wanted.keys()].every((name) => distributed.has(name))) return
  for (const sql of recreateResults(place)) await connection.command(sql)
}

/** Another process may be adding the same columns, so that what is missing is looked up again. */
async function addMissing(connection: Connection, place: Place, wanted: ReadonlyMap<string, string>): Promise<void> {
  const local = localName('results', place)
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const existing = await columnTypes(connection, place, local)
    const added = [...wanted].flatMap(([name, type]) => (existing.has(name) ? [] : [`ADD COLUMN IF NOT EXISTS ${name} ${type}`]))
    if (added.length === 0) return
    await connection.command(`ALTER TABLE ${changedTable(local, place)} ${added.join(', ')}`).catch((error) => {
      if (!isColumnExists(error) || attempt === maxAttempts) throw error
    })
  }
}

async function columnTypes(connection: Connection, { database }: Place, table: string): Promise<ReadonlyMap<string, string>> {
  const sql = 'SELECT name, type FROM system.columns WHERE database = {database:String} AND table = {table:String}'
  const rows = await connection.rows({ sql, params: { database, table } })
  return new Map(rows.map(([name, type]) => [String(name), String(type)]))
}

const fixedTypes: Readonly<Record<string, string>> = {
  account: 'String',
  checkId: 'String',
  startedAt: 'Int64',
  runLocation: 'String',
  id: 'String',
  flags: 'UInt8',
  attempts: 'UInt16',
  state: 'Nullable(String)',
  error: 'Nullable(String)',
  'pages.url': 'Array(String)',
  precedence: 'UInt64',
}

function requireTypes(existing: ReadonlyMap<string, string>, wanted: ReadonlyMap<string, string>, table: string): void {
  for (const [name, type] of [...Object.entries(fixedTypes), ...wanted]) {
    const found = existing.get(name)
    if (found === type) continue
    const state = found === undefined ? 'is missing' : `has the type ${found} in place of ${type}`
    throw new DatabaseError(`The table ${table} has been altered: its column ${name} ${state}. Undo that, or choose another database.`)
  }
}
