import { lruCache } from '../../../cache/lru-cache.ts'
import { type EncodedColumn, encodedColumn } from '../columns/text-codec.ts'
import { verify } from './checksum.ts'
import { chunkKeyText, openChunkKeys } from './chunk-keys.ts'
import { openDays, type SealedDay } from './days.ts'
import { DamagedData } from './errors.ts'
import type { Database } from './sqlite.ts'

/** Where the columns of a day come from. */
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
  /** Verifies columns that one question has read, and caches the first of them. */
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

    /** Reads one column of one day at a time, each once: for questions that end early. */
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

    /** Reads a column of all days at once: for questions that need them all. */
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
