import { once } from '../../../cache/once.ts'
import type { DayReader } from '../../query/parts/day.ts'
import { joinedPart } from '../../query/parts/joined-part.ts'
import { partWith } from '../../query/parts/merged-part.ts'
import type { Part } from '../../query/parts/part.ts'
import { columnsPart, isWithin } from '../columns/columns.ts'
import { sealedColumns } from '../columns/sealed-part.ts'
import { segmentsByDay } from '../columns/segment.ts'
import { type ColumnSource, openChunkReader } from '../disk/chunk-reader.ts'
import type { Database } from '../disk/sqlite.ts'
import { openLookup } from './lookup.ts'

export type StoredDays = DayReader['days']

export function openStoredDays(database: Database, cacheBytes: number, checkpoint: () => void): StoredDays {
  const chunks = openChunkReader(database, cacheBytes)
  const lookup = openLookup(database, chunks)
  return (check, window, mode) => {
    checkpoint()
    const stored = lookup(check, window)
    if (!stored) return []
    const hot = segmentsByDay(stored.segments, window)
    const columnOf = mode === 'all at once' ? chunks.allAtOnce(stored.series, stored.days) : chunks.dayByDay(stored.series)
    const source: ColumnSource = (name, day) => {
      checkpoint()
      return columnOf(name, day)
    }
    const sealedDays = stored.days.map((sealed) => {
      const late = hot.get(sealed.day)
      hot.delete(sealed.day)
      const columns = sealedColumns(sealed, source)
      const part = once(() => joinDay(columnsPart(columns, window), late))
      return { day: sealed.day, count: !late && isWithin(columns, window) ? () => sealed.results : () => part().count, part }
    })
    if (hot.size === 0) return sealedDays
    const hotDays = Array.from(hot, ([day, part]) => ({ day, count: () => part.count, part: () => part }))
    return [...sealedDays, ...hotDays].sort((a, b) => a.day - b.day)
  }
}

/** The sealed and hot results of a day, in order; merged only where they overlap in time. */
export function joinDay(sealed: Part | undefined, hot: Part | undefined): Part {
  if (!sealed || sealed.count === 0) return hot ?? joinedPart([])
  if (!hot) return sealed
  const [lastSealed] = sealed.slice(sealed.count - 1, sealed.count).numbers('time')
  return (lastSealed as number) < hot.span.from ? joinedPart([sealed, hot]) : partWith(sealed, hot)
}
