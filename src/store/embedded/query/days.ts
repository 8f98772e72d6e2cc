import type { Day } from '../../query/day.ts'
import { joinedPart } from '../../query/joined-part.ts'
import { orderedPart } from '../../query/merged-part.ts'
import type { Part } from '../../query/part.ts'
import type { CheckRef, Window } from '../../store.ts'
import { columnsPart, isWithin } from '../columns/columns.ts'
import { sealedColumns } from '../columns/sealed-part.ts'
import { segmentsByDay } from '../columns/segment.ts'
import { openChunks } from '../disk/chunk.ts'
import { type Database, requireSnapshot } from '../disk/database.ts'
import { openLookup } from './lookup.ts'

/** Whether a question needs every day of its window, or ends as soon as it has enough. */
export type Reading = 'all at once' | 'day by day'

/** Finds a check's results in a window, sealed and hot, day by day in order of time. */
export function openDays(database: Database, rememberedBytes: number) {
  const chunks = openChunks(database, { bytes: rememberedBytes, onMiss: () => requireSnapshot(database) })
  const directory = openLookup(database, chunks)
  return (check: CheckRef, window: Window, reading: Reading): Day[] => {
    const found = directory(check, window)
    if (!found) return []
    const hot = segmentsByDay(found.segments, window)
    const source = reading === 'all at once' ? chunks.allAtOnce(found.series, found.days) : chunks.dayByDay(found.series)
    const sealedDays = found.days.map((sealed) => {
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

/** A day's sealed and hot results, in order; interleaved only where they must be. */
export function joinDay(sealed: Part | undefined, hot: Part | undefined): Part {
  if (!sealed || sealed.count === 0) return hot ?? joinedPart([])
  if (!hot) return sealed
  const [lastSealed] = sealed.slice(sealed.count - 1, sealed.count).numbers('time')
  return (lastSealed as number) < hot.span.from ? joinedPart([sealed, hot]) : orderedPart([sealed, hot])
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
