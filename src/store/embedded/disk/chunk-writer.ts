import { startOfDay } from '../../day-number.ts'
import type { Part } from '../../query/parts/part.ts'
import { encodeColumns } from '../columns/columns.ts'
import { checksum } from './checksum.ts'
import { chunkKeyText, openChunkKeys } from './chunk-keys.ts'
import { openDayWriter, type SealedDay } from './days.ts'
import type { Database } from './sqlite.ts'

/** Writes and drops sealed days. */
export function openChunkWriter(database: Database) {
  const keys = openChunkKeys(database)
  const days = openDayWriter(database)
  const replace = database.prepare('INSERT OR REPLACE INTO chunk (key, crc, bytes) VALUES (?, ?, ?)')
  const remove = database.prepare('DELETE FROM chunk WHERE key = ?')
  return {
    /** Writes all results of a day, in order, in place of its previous edition. */
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
