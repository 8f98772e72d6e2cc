import { grouped } from '../../../collections/lists.ts'
import type { Connection } from '../connection.ts'
import { DatabaseError } from '../server-errors.ts'
import type { MetricColumns } from './metric-columns.ts'
import { arrivalColumns, columnDefinitions, type DatabaseRef, localName, storedTables, type Table } from './tables.ts'

/** Column types by column name. */
export type ColumnTypes = ReadonlyMap<string, string>
/** Columns by name of the table or view. */
export type Tables = ReadonlyMap<string, ColumnTypes>

/** Refuses tables that someone else has altered or dropped. */
export function verifyTables(tables: Tables, place: DatabaseRef, metrics: MetricColumns): void {
  for (const [table, expected] of expectedColumns(place, metrics)) requireColumns(table, verifiedColumns(tables, place, table), expected)
}

/** The columns of a table; refuses a database that has lost it. */
export function verifiedColumns(tables: Tables, { database }: DatabaseRef, table: string): ColumnTypes {
  const columns = tables.get(table)
  if (columns) return columns
  throw new DatabaseError(`The database ${database} no longer has the table ${table}. Restore it, or choose another database.`)
}

function requireColumns(table: string, found: ColumnTypes, expected: ColumnTypes): void {
  for (const [name, type] of expected) {
    const actual = withoutStateVersion(found.get(name))
    if (actual === type) continue
    const state = actual === undefined ? 'is missing' : `has the type ${actual} instead of ${type}`
    throw new DatabaseError(`The table ${table} has been altered: its column ${name} ${state}. Undo that, or choose another database.`)
  }
}

export async function readTables(connection: Connection, { database }: DatabaseRef): Promise<Tables> {
  const sql = 'SELECT table, name, type FROM system.columns WHERE database = {database:String}'
  const rows = await connection.rows({ sql, params: { database } })
  const byTable = [...grouped(rows, ([table]) => String(table))]
  return new Map(byTable.map(([table, columns]) => [table, new Map(columns.map(([, name, type]) => [String(name), String(type)]))]))
}

/** Expected columns by local table name; views only need to exist. */
function expectedColumns(place: DatabaseRef, metrics: MetricColumns): ReadonlyMap<string, ColumnTypes> {
  const nameOf = ({ name, spread }: Table) => (spread === 'by check' ? localName(name, place) : name)
  const tables = storedTables.map((table) => [nameOf(table), definedTypes(table.columns)] as const)
  const results = localName('results', place)
  return new Map([
    ...tables,
    [results, new Map([...(new Map(tables).get(results) ?? []), ...columnDefinitions(metrics)])],
    [localName('arrivals', place), definedTypes(arrivalColumns)],
    ['feed_latest', new Map()],
    ['feed_commits', new Map()],
    ['feed_day_counts', new Map()],
  ])
}

/** `pages Nested(url String)` is a column `pages.url`. */
function definedTypes(definitions: readonly string[]): ColumnTypes {
  return new Map(
    definitions.map((definition) => {
      const [, name = '', type = ''] = /^(\S+) (.*?)(?: (?:CODEC\(|DEFAULT ).*)?$/.exec(definition) ?? []
      const [, inner, innerType] = /^Nested\((\S+) (.*)\)$/.exec(type) ?? []
      return inner === undefined ? [name, type] : [`${name}.${inner}`, `Array(${innerType})`]
    }),
  )
}

/** Some server versions include the state version of an aggregate function in its type. */
const withoutStateVersion = (type: string | undefined) => type?.replace(/^AggregateFunction\(\d+, /, 'AggregateFunction(')
