import { grouped } from '../../grouped.ts'
import type { CheckRef, Window } from '../store.ts'
import { dayOf, openChunks, sealedPart } from './chunk.ts'
import type { Database } from './database.ts'
import { openHot } from './hot.ts'
import { mergedPart } from './merged-part.ts'
import { memoryPart, type Part } from './part.ts'
import { inOrderOf, type StoredResult } from './stored-result.ts'

/** Whether a question needs every day of its window, or ends as soon as it has enough. */
export type Reading = 'all at once' | 'day by day'

/** Reads a check's results in a window, sealed and hot, as parts in order of time. */
export function openParts(database: Database) {
  const chunks = openChunks(database)
  const findSeries = database.prepare('SELECT key FROM series WHERE account = ? AND checkId = ?')
  const readHot = openHot(database)

  const hotByDay = (series: number, check: CheckRef, window: Window): Map<number, StoredResult[]> => {
    const inside = readHot(series, window)
      .flatMap(({ results }) => results)
      .filter(({ startedAt }) => startedAt >= window.from && startedAt <= window.to)
      .sort(inOrderOf(check))
    return grouped(inside, ({ startedAt }) => dayOf(startedAt))
  }

  return (check: CheckRef, window: Window, reading: Reading): Part[] => {
    const series = findSeries.get(check.account, check.checkId)?.key
    if (series === undefined) return []
    const hot = hotByDay(series, check, window)
    const sealedDays = chunks.days(series, dayOf(window.from), dayOf(window.to))
    const sealed = new Map(sealedDays.map((day) => [day.day, day]))
    const source = reading === 'all at once' ? chunks.allAtOnce(series, sealedDays) : chunks.dayByDay(series)
    const days = [...new Set([...sealed.keys(), ...hot.keys()])].sort((a, b) => a - b)
    return days.flatMap((day) => {
      const sealedDay = sealed.get(day)
      const results = hot.get(day)
      return joinDay(check, sealedDay && sealedPart(sealedDay, window, source), results && memoryPart(results))
    })
  }
}

/** A day's sealed and hot results, in order; interleaved only where they must be. */
export function joinDay(check: CheckRef, sealed: Part | undefined, hot: Part | undefined): Part[] {
  if (!sealed || sealed.count === 0) return hot ? [hot] : []
  if (!hot) return [sealed]
  const lastSealed = sealed.numbers('time')[sealed.count - 1] as number
  return lastSealed < (hot.numbers('time')[0] as number) ? [sealed, hot] : [mergedPart(check, sealed, hot)]
}
