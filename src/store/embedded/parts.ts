import { grouped } from '../../grouped.ts'
import type { CheckRef, Window } from '../store.ts'
import { dayOf, openChunks } from './chunk.ts'
import { type Database, demandInstant } from './database.ts'
import { openDirectory } from './directory.ts'
import { joinedPart } from './joined-part.ts'
import { mergedPart } from './merged-part.ts'
import { memoryPart, type Part } from './part.ts'
import { isWhole, sealedPart } from './sealed-part.ts'
import { inOrderOf, type StoredResult } from './stored-result.ts'

/** Whether a question needs every day of its window, or ends as soon as it has enough. */
export type Reading = 'all at once' | 'day by day'

/** A day's results in a window, which are not read before they are needed. */
export type Day = { readonly count: () => number; readonly part: () => Part }

/** Finds a check's results in a window, sealed and hot, day by day in order of time. */
export function openDays(database: Database, rememberedBytes: number) {
  const chunks = openChunks(database, { bytes: rememberedBytes, onMiss: () => demandInstant(database) })
  const directory = openDirectory(database, chunks)
  return (check: CheckRef, window: Window, reading: Reading): Day[] => {
    const found = directory(check, window)
    if (!found) return []
    const hot = hotByDay(found.hot, check, window)
    const source = reading === 'all at once' ? chunks.allAtOnce(found.series, found.days) : chunks.dayByDay(found.series)
    const sealedDays = found.days.map((sealed) => {
      const late = hot.get(sealed.day)
      hot.delete(sealed.day)
      const part = once(() => joinedPart(joinDay(check, sealedPart(sealed, window, source), late && memoryPart(late))))
      return { day: sealed.day, count: !late && isWhole(sealed, window) ? () => sealed.results : () => part().count, part }
    })
    if (hot.size === 0) return sealedDays
    const hotDays = Array.from(hot, ([day, results]) => ({ day, count: () => results.length, part: () => memoryPart(results) }))
    return [...sealedDays, ...hotDays].sort((a, b) => a.day - b.day)
  }
}

function hotByDay(hot: readonly StoredResult[], check: CheckRef, { from, to }: Window): Map<number, StoredResult[]> {
  const inside = hot.filter(({ startedAt }) => startedAt >= from && startedAt <= to).sort(inOrderOf(check))
  return grouped(inside, ({ startedAt }) => dayOf(startedAt))
}

/** A day's sealed and hot results, in order; interleaved only where they must be. */
export function joinDay(check: CheckRef, sealed: Part | undefined, hot: Part | undefined): Part[] {
  if (!sealed || sealed.count === 0) return hot ? [hot] : []
  if (!hot) return [sealed]
  const lastSealed = sealed.slice(sealed.count - 1, sealed.count).numbers('time')[0] as number
  return lastSealed < hot.span.from ? [sealed, hot] : [mergedPart(check, sealed, hot)]
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
