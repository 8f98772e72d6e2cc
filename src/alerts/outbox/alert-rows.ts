import { maxPageCharacters } from '../../store/documents/document-log.ts'
import { type Database, transaction } from '../../store/embedded/disk/sqlite.ts'
import { dayMs } from '../../time.ts'

/** Retention of ended incidents and their messages. */
export const keptMs = 400 * dayMs

/** A row of one of the tables, for replicas. An empty body means a deleted row. */
export type AlertRow = { readonly kind: string; readonly key: string; readonly expiresAt: number | null; readonly body: string }

/** Rows up to the version `to`, for a replica that has those up to `from`. */
type RowBatch = { readonly from: number; readonly to: number; readonly rows: readonly (AlertRow & { readonly version: number })[] }

type RowPage = { readonly rows: readonly AlertRow[]; readonly next: RowPlace | null }
type RowPlace = { readonly table: number; readonly after: number }

/** The tables as rows with keys, which other processes replicate. */
export type AlertRows = {
  /** Dry run: the results of calls and the rows they would change. */
  preview(calls: readonly PreviewedCall[], now: number): Preview
  /** Applies nothing unless the replica has reached `from`. */
  applyRows(batch: RowBatch): Applied
  /** The version that this replica has reached; 0 for none. */
  position(): number
  /** A page of rows, in their order: all, or those that a decision may still depend on. At most `limit`, and fewer if they are long. */
  rowsFrom(place: RowPlace, scope: 'live' | 'all', limit: number): RowPage
  /** Empties the tables if the replica is at this version; returns its version afterwards. */
  clear(reached: number): number
}

/** The version that the replica has reached, and the versions of rows that were new to it. */
type Applied = { readonly reached: number; readonly changed: readonly number[] }

export type PreviewedCall = { readonly name: string; readonly args: readonly unknown[] }
type Preview = { readonly values: readonly unknown[]; readonly rows: readonly AlertRow[] }

type TableOfRows = {
  readonly name: string
  readonly key: readonly string[]
  /** SQL condition: rows that decisions may depend on. */
  readonly live: string
  /** When a row may be deleted, as SQL; 0 for never. */
  readonly expiresAt: string
}

const closedAt = `coalesce((SELECT closed_at FROM incidents WHERE id = incident AND is_finished = 1) + ${keptMs}, 0)`
const tables: readonly TableOfRows[] = [
  { name: 'settings', key: ['name'], live: '1', expiresAt: '0' },
  { name: 'incidents', key: ['id'], live: 'is_finished = 0', expiresAt: `iif(is_finished = 1, closed_at + ${keptMs}, 0)` },
  { name: 'told', key: ['incident', 'channel'], live: 'incident IN (SELECT id FROM incidents WHERE is_finished = 0)', expiresAt: closedAt },
  { name: 'deliveries', key: ['id'], live: `state = 'waiting'`, expiresAt: `iif(state = 'waiting', 0, decided_at + ${keptMs})` },
  { name: 'silences', key: ['id'], live: 'ends_at > unixepoch() * 1000', expiresAt: `ends_at + ${keptMs}` },
  {
    name: 'unreachable',
    key: ['account', 'location', 'began_at'],
    live: 'ended_at IS NULL',
    expiresAt: `iif(ended_at IS NULL, 0, ended_at + ${keptMs})`,
  },
  { name: 'agents', key: ['account', 'location', 'instance'], live: '1', expiresAt: `last_at + ${keptMs}` },
  { name: 'health', key: ['account', 'channel'], live: '1', expiresAt: '0' },
]

const schema = `
  CREATE TABLE IF NOT EXISTS replica (position INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS skipped (kind TEXT PRIMARY KEY) STRICT;
  CREATE TEMP TABLE changed (kind TEXT NOT NULL, key TEXT NOT NULL)`

/** `callOf` finds the function that changes the tables; it must join the current transaction, if there is one. */
export function openAlertRows(database: Database, callOf: (name: string) => (...args: readonly unknown[]) => unknown): AlertRows {
  database.exec(schema)
  for (const { name, key } of tables) {
    for (const [event, row] of [
      ['INSERT', 'new'],
      ['UPDATE', 'new'],
      ['DELETE', 'old'],
    ] as const)
      database.exec(
        `CREATE TEMP TRIGGER ${name}_${event} AFTER ${event} ON main.${name} BEGIN
           INSERT INTO changed VALUES ('${name}', json_array(${key.map((column) => `${row}.${column}`).join(', ')}));
         END`,
      )
  }
  const forget = database.prepare('DELETE FROM changed')
  const changed = database.prepare('SELECT kind, key FROM changed GROUP BY kind, key ORDER BY min(rowid)')
  const readPosition = database.prepare('SELECT position FROM replica')
  const statements = new Map(tables.map((table) => [table.name, statementsOf(database, table)]))

  const position = () => (readPosition.get() as { readonly position: number } | undefined)?.position ?? 0
  function setPosition(to: number): void {
    database.exec('DELETE FROM replica')
    database.prepare('INSERT INTO replica (position) VALUES (?)').run(to)
  }
  function startOver(): void {
    for (const { name } of tables) database.exec(`DELETE FROM ${name}`)
    database.exec('DELETE FROM skipped')
    setPosition(0)
    forget.run()
  }
  const skip = database.prepare('INSERT OR IGNORE INTO skipped (kind) VALUES (?)')
  const skipped = database.prepare('SELECT kind FROM skipped').all() as { readonly kind: string }[]
  // The version that skipped these rows passed their position, so only a replica that starts over gets them.
  if (skipped.some(({ kind }) => statements.has(kind))) transaction(database, startOver)
  const of = (kind: string) => {
    const found = statements.get(kind)
    if (!found) throw new Error(`there is no table ${kind}`)
    return found
  }

  /** Includes notifications of finished incidents, since these expire with their incident. */
  function changedRows(now: number): readonly AlertRow[] {
    const keys = changed.all() as { readonly kind: string; readonly key: string }[]
    const rows = keys.map(({ kind, key }) => of(kind).read(key) ?? { kind, key, expiresAt: now + keptMs, body: '' })
    const finished = rows.filter(({ kind, expiresAt, body }) => kind === 'incidents' && body !== '' && expiresAt !== null)
    const notified = finished.flatMap(({ key }) => of('told').all('incident = ?', JSON.parse(key)[0]))
    return [...new Map([...rows, ...notified].map((row) => [JSON.stringify([row.kind, row.key]), row])).values()]
  }

  return {
    position,
    preview(calls, now) {
      database.exec('BEGIN IMMEDIATE')
      try {
        forget.run()
        const values = calls.map(({ name, args }) => callOf(name)(...args))
        return { values, rows: changedRows(now) }
      } finally {
        database.exec('ROLLBACK')
      }
    },
    applyRows: ({ from, to, rows }) =>
      transaction(database, () => {
        const before = position()
        if (before < from) return { reached: before, changed: [] }
        const known = rows.filter(({ kind }) => statements.has(kind))
        // Only a newer version knows the others, and it may have led before.
        for (const { kind } of rows) if (!statements.has(kind)) skip.run(kind)
        const news = known.filter(({ kind, key, body, version }) => version <= before || of(kind).read(key)?.body !== body)
        for (const row of news) if (row.version > before) of(row.kind).apply(row)
        const reached = Math.max(before, to)
        setPosition(reached)
        forget.run()
        return { reached, changed: news.map(({ version }) => version) }
      }),
    rowsFrom({ table, after }, scope, limit) {
      const found = tables[table]
      if (!found) return { rows: [], next: null }
      const { rows, last } = of(found.name).page(scope === 'live' ? found.live : '1', after, limit)
      return { rows, next: rows.length === 0 ? nextTable(table) : { table, after: last } }
    },
    clear: (reached) =>
      transaction(database, () => {
        const now = position()
        if (now !== reached) return now
        startOver()
        return 0
      }),
  }
}

const nextTable = (table: number): RowPlace | null => (table + 1 < tables.length ? { table: table + 1, after: 0 } : null)

type StoredRow = Readonly<Record<string, string | number | null>>

function statementsOf(database: Database, { name, key, expiresAt }: TableOfRows) {
  const columns = (database.prepare(`PRAGMA table_info(${name})`).all() as { readonly name: string }[]).map((column) => column.name)
  const rest = columns.filter((column) => !key.includes(column))
  const selected = `SELECT ${columns.join(', ')}, json_array(${key.join(', ')}) AS "row key", ${expiresAt} AS "row expires", rowid AS "row place" FROM ${name}`
  const isKey = key.map((column, i) => `${column} = json_extract(:key, '$[${i}]')`).join(' AND ')
  const one = database.prepare(`${selected} WHERE ${isKey}`)
  const put = database.prepare(
    `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
     ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${rest.map((column) => `${column} = excluded.${column}`).join(', ')}`,
  )
  const remove = database.prepare(`DELETE FROM ${name} WHERE ${isKey}`)
  const rowOf = (row: StoredRow): AlertRow => ({
    kind: name,
    key: String(row['row key']),
    expiresAt: Number(row['row expires']) || null,
    body: JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column]]))),
  })
  return {
    read(rowKey: string): AlertRow | null {
      const found = one.get({ key: rowKey }) as StoredRow | undefined
      return found ? rowOf(found) : null
    },
    all: (where: string, value: string) => (database.prepare(`${selected} WHERE ${where}`).all(value) as StoredRow[]).map(rowOf),
    /** Ends with the row that reaches `maxPageCharacters`, since an incident may have thousands of members. */
    page(where: string, after: number, limit: number) {
      const sql = `${selected} WHERE rowid > ? AND ${where} ORDER BY rowid LIMIT ?`
      const rows: AlertRow[] = []
      let [last, left] = [after, maxPageCharacters]
      for (const found of database.prepare(sql).iterate(after, limit) as Iterable<StoredRow>) {
        const row = rowOf(found)
        rows.push(row)
        last = Number(found['row place'])
        left -= row.body.length
        if (left <= 0) break
      }
      return { rows, last }
    },
    /** Updates in place, so that a row keeps its rowid. */
    apply({ key: rowKey, body }: AlertRow): void {
      if (body === '') return void remove.run({ key: rowKey })
      const row = JSON.parse(body) as StoredRow
      put.run(...columns.map((column) => row[column] ?? null))
    },
  }
}
