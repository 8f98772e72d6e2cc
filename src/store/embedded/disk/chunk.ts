import { lruCache } from '../../../cache/lru-cache.ts'
import { dayMs } from '../../../time.ts'
import type { Part } from '../../query/part.ts'
import type { Window } from '../../store.ts'
import { encodeColumns, measuredIn } from '../columns/columns.ts'
import { openChunkKeys } from './chunk-keys.ts'
import { checksum, DamagedData, type Database, verify } from './database.ts'

export const dayOf = (time: number) => Math.floor(time / dayMs)

/** A window that holds every instant there is. */
export const always: Window = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER }

/** What is written down of a sealed day beside its columns. */
export type SealedDay = {
  readonly day: number
  /** Grows whenever the day is written anew. */
  readonly edition: number
  readonly results: number
  readonly columns: ReadonlySet<string>
  /** Those of the columns that hold what was measured. */
  readonly measured: readonly string[]
}

/** Where the bytes of a day's columns come from. */
export type ColumnSource = (name: string, day: SealedDay) => Uint8Array

type Remembering = {
  /** How many bytes of columns that were read are remembered. */
  readonly bytes: number
  /** Called before the disk is asked for what is not. */
  readonly onMiss: () => void
}

/** A question that reads more than this must not drive out what many others need. */
const mostOfOneQuestion = 2 ** 20

/** Reads sealed days. */
export function openChunks(database: Database, { bytes: rememberedBytes, onMiss }: Remembering = { bytes: 0, onMiss: () => {} }) {
  const keys = openChunkKeys(database)
  const readOne = database.prepare('SELECT crc, bytes FROM chunk WHERE key = ?')
  const readRange = database.prepare('SELECT key, crc, bytes FROM chunk WHERE key BETWEEN ? AND ?')
  const readDays = database.prepare(
    'SELECT day, edition, results, columns, crc FROM day WHERE series = ? AND day BETWEEN ? AND ? ORDER BY day',
  )
  const columnSets = new Map<string, Pick<SealedDay, 'columns' | 'measured'>>()
  const verified = lruCache<number, VerifiedColumn>(rememberedBytes, ({ bytes }) => bytes.length)

  const columnsNamed = (text: string) => {
    const known = columnSets.get(text) ?? columnsOf(JSON.parse(text))
    columnSets.set(text, known)
    return known
  }
  const keyOf = (series: number, name: string, { day }: SealedDay) => keys.find(series, name, day) ?? -1
  const recall = (key: number, { edition }: SealedDay) => {
    const known = verified.get(key)
    return known?.edition === edition ? known.bytes : undefined
  }
  /** Verifies columns that were read, and remembers them as long as they are not too many. */
  const checking = (series: number) => {
    let size = 0
    return (name: string, { day, edition }: SealedDay, key: number, stored: StoredColumn | undefined) => {
      const place = placeOf(series, name, day)
      if (!stored) throw new DamagedData(`The stored data at ${place}is missing. Run: tidemark doctor`)
      verify(place, stored.bytes, stored.crc)
      size += stored.bytes.length
      if (size <= mostOfOneQuestion) verified.set(key, { edition, bytes: stored.bytes })
      return stored.bytes
    }
  }

  return {
    days(series: number, fromDay: number, toDay: number): SealedDay[] {
      onMiss()
      return readDays.all(series, fromDay, toDay).map(({ day, edition, results, columns, crc }) => {
        verify(placeOf(series, 'day', day), `${edition} ${results}${columns}`, crc)
        return { day, edition, results, ...columnsNamed(columns) }
      })
    },

    /** Reads one column of one day at a time: for questions that end early. */
    dayByDay(series: number): ColumnSource {
      const checked = checking(series)
      return (name, sealed) => {
        const key = keyOf(series, name, sealed)
        const known = recall(key, sealed)
        if (known) return known
        onMiss()
        return checked(name, sealed, key, readOne.get(key))
      }
    },

    /** Reads a column of all days at once: for questions that need them all. */
    allAtOnce(series: number, days: readonly SealedDay[]): ColumnSource {
      const checked = checking(series)
      const known = new Map<string, ReadonlyMap<number, Uint8Array>>()
      const readColumn = (name: string): ReadonlyMap<number, Uint8Array> => {
        const column = new Map(days.filter(({ columns }) => columns.has(name)).map((day) => [keyOf(series, name, day), day]))
        const bytes = new Map(Array.from(column, ([key, day]) => [key, recall(key, day)]))
        const missing = [...column.keys()].filter((key) => !bytes.get(key))
        if (missing.length > 0) onMiss()
        const rows = missing.length > 0 ? readRange.all(missing[0], missing.at(-1)) : []
        const stored = new Map<number, StoredColumn>(rows.map((row) => [row.key, row]))
        return new Map(Array.from(column, ([key, day]) => [day.day, bytes.get(key) ?? checked(name, day, key, stored.get(key))]))
      }
      return (name, { day }) => {
        const column = known.get(name) ?? readColumn(name)
        known.set(name, column)
        return column.get(day) as Uint8Array
      }
    },
  }
}

function columnsOf(names: readonly string[]): Pick<SealedDay, 'columns' | 'measured'> {
  return { columns: new Set(names), measured: measuredIn(names) }
}

type StoredColumn = { readonly crc: number; readonly bytes: Uint8Array }
type VerifiedColumn = { readonly edition: number; readonly bytes: Uint8Array }

export type Chunks = ReturnType<typeof openChunks>

/** Writes a day anew: all of its results, in order. */
export function openChunkWriter(database: Database) {
  const keys = openChunkKeys(database)
  const insert = database.prepare('INSERT OR REPLACE INTO chunk (key, crc, bytes) VALUES (?, ?, ?)')
  const remove = database.prepare('DELETE FROM chunk WHERE key = ?')
  const setDay = database.prepare('INSERT OR REPLACE INTO day (series, day, edition, results, columns, crc) VALUES (?, ?, ?, ?, ?, ?)')
  const removeDay = database.prepare('DELETE FROM day WHERE series = ? AND day = ?')
  const nextEdition = database.prepare('UPDATE series SET edition = edition + 1, days = days + ? WHERE key = ? RETURNING edition')
  return {
    write(series: number, day: number, part: Part, before: SealedDay | undefined): void {
      const columns = encodeColumns(part, day * dayMs)
      for (const [name, bytes] of columns) insert.run(keys.make(series, name, day), checksum(placeOf(series, name, day), bytes), bytes)
      for (const name of before?.columns ?? []) if (!columns.has(name)) remove.run(keys.make(series, name, day))
      const names = JSON.stringify([...columns.keys()])
      const { edition } = nextEdition.get(before ? 0 : 1, series)
      const crc = checksum(placeOf(series, 'day', day), `${edition} ${part.count}${names}`)
      setDay.run(series, day, edition, part.count, names, crc)
    },
    drop(series: number, { day, columns }: SealedDay): void {
      for (const name of columns) remove.run(keys.make(series, name, day))
      removeDay.run(series, day)
      nextEdition.get(-1, series)
    },
  }
}

export const placeOf = (series: number, name: string, day: number) => `${series} ${name} ${day} `
