import { open } from 'node:fs/promises'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { CommandFailure } from '../../context.ts'

export type KumaRow = Readonly<Record<string, unknown>>

/** Read-only access to the database of Uptime Kuma. */
export type KumaDatabase = {
  tables(): readonly string[]
  columns(table: string): ReadonlySet<string>
  /** All rows of a small table; none if the table does not exist. */
  all(table: string): readonly KumaRow[]
  count(table: string): number
  /** The highest `position` of a row in `each`, at least 1. */
  lastPosition(table: string): number
  /** Streams the rows of a table in insertion order. */
  each(table: string, columns: string): Generator<KumaRow>
  close(): void
}

const maxRows = 100_000
const maxValueBytes = 4 * 1024 * 1024
const maxTableLength = 256 * 1024 * 1024
const rowsOfPage = 5000
const rowsOfSmallPage = 20

export async function openKumaDatabase(file: string): Promise<KumaDatabase> {
  await refuseOthers(file)
  const database = reading(file, () => new DatabaseSync(file, { readOnly: true, timeout: 10_000 }))
  const attempt = <Value>(work: () => Value): Value => reading(file, work)
  attempt(() => {
    database.limits.length = maxValueBytes
    database.exec('PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON')
  })
  const tables = attempt(() => ordinaryTables(database))
  const counted = (table: string) =>
    tables.has(table) ? attempt(() => Number((database.prepare(`SELECT count(*) AS n FROM "${table}"`).get() as KumaRow).n)) : 0
  /** Reads pages, because an iterator of the library does not keep its statement alive. */
  function* each(table: string, columns: string, pageSize = rowsOfPage): Generator<KumaRow> {
    const page = attempt(() =>
      database.prepare(`SELECT rowid AS position, ${columns} FROM "${table}" WHERE rowid > ? ORDER BY rowid LIMIT ${pageSize}`),
    )
    let last = Number.MIN_SAFE_INTEGER
    for (;;) {
      const rows = attempt(() => page.all(last) as readonly KumaRow[])
      yield* rows
      const reached = Number(rows.at(-1)?.position)
      // A custom table may have its own column `rowid`, so the loop stops if the position does not increase.
      if (rows.length < pageSize || !(reached > last)) return
      last = reached
    }
  }
  return {
    tables: () => [...tables.keys()],
    columns: (table) => tables.get(table) ?? new Set(),
    count: counted,
    lastPosition: (table) =>
      Math.max(
        1,
        attempt(() => Number((database.prepare(`SELECT max(rowid) AS position FROM "${table}"`).get() as KumaRow).position)) || 1,
      ),
    all(table) {
      if (counted(table) > maxRows) throw new CommandFailure(`${file} has more than ${maxRows} rows in ${table}.`)
      return tables.has(table) ? withinLimit(each(table, '*', rowsOfSmallPage), `${file} has too much data in ${table}.`) : []
    },
    each,
    close: () => database.close(),
  }
}

function withinLimit(rows: Iterable<KumaRow>, message: string): readonly KumaRow[] {
  const kept: KumaRow[] = []
  let length = 0
  for (const row of rows) {
    for (const value of Object.values(row)) length += typeof value === 'string' || value instanceof Uint8Array ? value.length : 8
    if (length > maxTableLength) throw new CommandFailure(message)
    kept.push(row)
  }
  return kept
}

/** Tables with their columns. Views and virtual tables are left out, because they could run any query. */
function ordinaryTables(database: DatabaseSyncInstance): ReadonlyMap<string, ReadonlySet<string>> {
  const found = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' LIMIT 1000").all() as readonly KumaRow[]
  const ordinary = found.filter(({ name, sql }) => /^\w+$/.test(String(name)) && !/^\s*CREATE\s+VIRTUAL/i.test(String(sql)))
  return new Map(ordinary.map(({ name }) => [String(name), columnsOf(database, String(name))]))
}

function columnsOf(database: DatabaseSyncInstance, table: string): ReadonlySet<string> {
  return new Set((database.prepare(`PRAGMA table_info("${table}")`).all() as readonly KumaRow[]).map(({ name }) => String(name)))
}

function reading<Value>(file: string, work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    const why = error instanceof Error ? error.message : String(error)
    const advice = /unable to open|readonly|read-only/i.test(why)
      ? ' Copy it, with the -wal file next to it, to a folder that you may write to.'
      : ''
    throw new CommandFailure(`${file} cannot be read as an Uptime Kuma database: ${why}.${advice}`)
  }
}

const magic = 'SQLite format 3\u0000'

async function refuseOthers(file: string): Promise<void> {
  const handle = await open(file, 'r').catch(() => null)
  if (!handle) throw new CommandFailure(`Cannot read ${file}: missing or not readable.`)
  const { bytesRead, buffer } = await handle
    .read(Buffer.alloc(4096), 0, 4096, 0)
    .finally(() => handle.close())
    .catch(() => ({ bytesRead: 0, buffer: Buffer.alloc(0) }))
  const start = buffer.toString('latin1', 0, bytesRead)
  if (start.startsWith(magic)) return
  if (/MariaDB dump|MySQL dump|CREATE TABLE|INSERT INTO|ENGINE=/i.test(start))
    throw new CommandFailure(
      `${file} is a database dump. Uptime Kuma on MariaDB is not supported: only kuma.db, the SQLite database of 1.x and, by default, of 2.x.`,
    )
  throw new CommandFailure(`${file} is not an SQLite database. Uptime Kuma has kuma.db in its data folder.`)
}
