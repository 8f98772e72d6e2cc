import { lruCache } from '../../../cache/cache.ts'
import { dateText, dayMs, startOfDay } from '../../../time.ts'
import { type HourStarts, hourStarts } from '../../kernels/time-runs.ts'
import type { Part } from '../../query/parts/part.ts'
import type { Window } from '../../store.ts'
import { columnsPart, type EncodedColumns, encodeColumns, measuredIn, timesFrom } from '../columns/encoded-results.ts'
import { type EncodedColumn, encodedColumn } from '../columns/text-codec.ts'
import { DamagedData } from './errors.ts'
import { checksum, type Database, verify } from './sqlite.ts'

/** Reads one column of a day. */
export type ColumnSource = (name: string, day: SealedDay) => EncodedColumn

/** Scan resistance: a question that reads more than this does not evict cached columns. */
const maxCachedPerQuestion = 2 ** 20

/** Reads sealed days; verified columns are cached up to `cacheBytes`. */
export function openChunkReader(database: Database, cacheBytes = 0) {
  const keys = openChunkKeys(database)
  const readOne = database.prepare('SELECT crc, bytes FROM chunk WHERE key = ?')
  const readRange = database.prepare('SELECT key, crc, bytes FROM chunk WHERE key BETWEEN ? AND ?')
  const verified = lruCache<number, VerifiedColumn>(cacheBytes, ({ column }) => column.bytes.length)

  const keyOf = (series: number, name: string, { day }: SealedDay) => keys.find(series, name, day) ?? -1
  const cached = (key: number, { edition }: SealedDay) => {
    const entry = verified.get(key)
    return entry?.edition === edition ? entry.column : undefined
  }
  /** Verifies the columns that one question reads, and caches the first ones. */
  const verifier = (series: number) => {
    let size = 0
    return (name: string, { day, edition }: SealedDay, key: number, stored: StoredColumn | undefined) => {
      const keyText = chunkKeyText(series, name, day)
      if (!stored) throw new DamagedData(`The stored data at ${keyText}is missing. Run: tidemark doctor`, `the column ${name} is missing`)
      verify({ key: keyText, finding: `the column ${name} is damaged` }, stored.bytes, stored.crc)
      const column = encodedColumn(stored.bytes)
      size += stored.bytes.length
      if (size <= maxCachedPerQuestion) verified.set(key, { edition, column })
      return column
    }
  }

  return {
    days: openDays(database),

    /** Reads single columns of single days, each once: for questions that end early. */
    dayByDay(series: number): ColumnSource {
      const verifyColumn = verifier(series)
      const columns = new Map<number, EncodedColumn>()
      return (name, sealed) => {
        const key = keyOf(series, name, sealed)
        const column = columns.get(key) ?? cached(key, sealed) ?? verifyColumn(name, sealed, key, readOne.get(key))
        columns.set(key, column)
        return column
      }
    },

    /** Reads a column of all days in one query: for questions that need all days. */
    allAtOnce(series: number, days: readonly SealedDay[]): ColumnSource {
      const verifyColumn = verifier(series)
      const byName = new Map<string, ReadonlyMap<number, EncodedColumn>>()
      const readColumn = (name: string): ReadonlyMap<number, EncodedColumn> => {
        const dayByKey = new Map(days.filter(({ columns }) => columns.has(name)).map((day) => [keyOf(series, name, day), day]))
        const columns = new Map(Array.from(dayByKey, ([key, day]) => [key, cached(key, day)]))
        const missing = [...dayByKey.keys()].filter((key) => !columns.get(key))
        const rows = missing.length > 0 ? readRange.all(missing[0], missing.at(-1)) : []
        const stored = new Map<number, StoredColumn>(rows.map((row) => [row.key, row]))
        return new Map(Array.from(dayByKey, ([key, day]) => [day.day, columns.get(key) ?? verifyColumn(name, day, key, stored.get(key))]))
      }
      return (name, { day }) => {
        const column = byName.get(name) ?? readColumn(name)
        byName.set(name, column)
        return column.get(day) as EncodedColumn
      }
    },
  }
}

type StoredColumn = { readonly crc: number; readonly bytes: Uint8Array }
type VerifiedColumn = { readonly edition: number; readonly column: EncodedColumn }

export type ChunkReader = ReturnType<typeof openChunkReader>

const maxDays = 2 ** 22
const maxColumns = 2 ** 10

/** Chunk keys: one number for a check, column and day, ordered in this way, so that the days of a column are adjacent. */
export function openChunkKeys(database: Database) {
  const select = database.prepare('SELECT number FROM column_name WHERE name = ?')
  const insert = database.prepare('INSERT INTO column_name (name) VALUES (?) RETURNING number')
  const numbers = new Map<string, number>()
  return {
    /** Undefined if no day has this column. */
    find(series: number, name: string, day: number): number | undefined {
      const number = numbers.get(name) ?? select.get(name)?.number
      if (number === undefined) return undefined
      numbers.set(name, number)
      return keyOf(series, number, day)
    },
    /** Assigns a number to a new column. Not cached: the transaction may be rolled back. */
    make: (series: number, name: string, day: number) => keyOf(series, select.get(name)?.number ?? insert.get(name).number, day),
  }
}

/** Size of each check's key range: a key divided by this, rounded down, is the key of the check. */
export const keysPerSeries = maxColumns * maxDays

/** The key of a chunk in its checksum and in messages. */
export const chunkKeyText = (series: number, name: string, day: number) => `${series} ${name} ${day} `

function keyOf(series: number, column: number, day: number): number {
  if (column >= maxColumns || day < 0 || day >= maxDays) throw new RangeError(`There is no place for column ${column} of day ${day}.`)
  return series * keysPerSeries + column * maxDays + day
}

export function openChunkWriter(database: Database) {
  const keys = openChunkKeys(database)
  const days = openDayWriter(database)
  const replace = database.prepare('INSERT OR REPLACE INTO chunk (key, crc, bytes) VALUES (?, ?, ?)')
  const remove = database.prepare('DELETE FROM chunk WHERE key = ?')
  return {
    /** Writes all results of a day, in order; replaces its previous edition. */
    write(series: number, day: number, part: Part, previous: SealedDay | undefined): void {
      const columns = encodeColumns(part, startOfDay(day))
      for (const [name, bytes] of columns)
        replace.run(keys.make(series, name, day), checksum(chunkKeyText(series, name, day), bytes), bytes)
      for (const name of previous?.columns ?? []) if (!columns.has(name)) remove.run(keys.make(series, name, day))
      days.write(series, day, { results: part.count, columns: [...columns.keys()], isNew: !previous })
    },
    drop(series: number, { day, columns }: SealedDay): void {
      for (const name of columns) remove.run(keys.make(series, name, day))
      days.drop(series, day)
    },
  }
}

/** The results of a sealed day that started within a window. */
export function sealedPart(sealed: SealedDay, window: Window, source: ColumnSource): Part {
  return columnsPart(sealedColumns(sealed, source), window)
}

export function sealedColumns(sealed: SealedDay, source: ColumnSource): EncodedColumns {
  const { day, results: count, columns, measured } = sealed
  const start = startOfDay(day)
  const span = { from: start, to: start + dayMs - 1 }
  const sealedColumns: EncodedColumns = {
    count,
    start,
    span,
    measured,
    columnOf: (name) => (columns.has(name) ? source(name, sealed) : null),
    hours() {
      sealed.hours ??= hourStarts(timesFrom(sealedColumns, 0, count), start, 24)
      return sealed.hours
    },
  }
  return sealedColumns
}

/** The row of a sealed day; its columns are stored in chunks. */
export type SealedDay = {
  readonly day: number
  /** Increases whenever the day is rewritten. */
  readonly edition: number
  readonly results: number
  readonly columns: ReadonlySet<string>
  /** The columns with measured values. */
  readonly measured: readonly string[]
  /** Cached starts of the hours (UTC), null until computed. With them, questions by hour need not read the times. */
  hours: HourStarts | null
}

type ColumnNames = Pick<SealedDay, 'columns' | 'measured'>

const maxCachedNames = 1000

function openDays(database: Database) {
  const select = database.prepare(
    'SELECT day, edition, results, columns, crc FROM day WHERE series = ? AND day BETWEEN ? AND ? ORDER BY day',
  )
  const columnNames = lruCache<string, ColumnNames>(maxCachedNames)
  /** The sealed days of a check, from `fromDay` to `toDay` inclusive. */
  return (series: number, fromDay: number, toDay: number): SealedDay[] =>
    select.all(series, fromDay, toDay).map(({ day, edition, results, columns, crc }) => {
      verify(
        { key: dayKey(series, day), finding: `the list of columns of ${dateText(day)} is damaged` },
        dayText(edition, results, columns),
        crc,
      )
      return { day, edition, results, hours: null, ...columnNames.getOrCreate(columns, () => namesIn(columns)) }
    })
}

export function openDayWriter(database: Database) {
  const replace = database.prepare('INSERT OR REPLACE INTO day (series, day, edition, results, columns, crc) VALUES (?, ?, ?, ?, ?, ?)')
  const remove = database.prepare('DELETE FROM day WHERE series = ? AND day = ?')
  const nextEdition = database.prepare('UPDATE series SET edition = edition + 1, days = days + ? WHERE key = ? RETURNING edition')
  return {
    write(series: number, day: number, { results, columns, isNew }: { results: number; columns: readonly string[]; isNew: boolean }): void {
      const names = JSON.stringify(columns)
      const { edition } = nextEdition.get(isNew ? 1 : 0, series)
      replace.run(series, day, edition, results, names, checksum(dayKey(series, day), dayText(edition, results, names)))
    },
    drop(series: number, day: number): void {
      remove.run(series, day)
      nextEdition.get(-1, series)
    },
  }
}

const dayKey = (series: number, day: number) => `${series} day ${day} `

const dayText = (edition: number, results: number, columns: string) => `${edition} ${results}${columns}`

function namesIn(text: string): ColumnNames {
  const names: readonly string[] = JSON.parse(text)
  return { columns: new Set(names), measured: measuredIn(names) }
}
