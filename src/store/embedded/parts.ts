import type { CheckRef, Result, Window } from '../store.ts'
import { dayMs, dayOf, openChunks } from './chunk.ts'
import { type Database, verify } from './database.ts'
import { mergedPart } from './merged-part.ts'
import { memoryPart, type Part } from './part.ts'
import { comparePositions, fromBody } from './result-body.ts'

/** Reads a check's results in a window, sealed and hot, as parts in order of time. */
export function openParts(database: Database) {
  const chunks = openChunks(database)
  const findSeries = database.prepare('SELECT key FROM series WHERE account = ? AND checkId = ?')
  const readHot = database.prepare(
    'SELECT startedAt, location, id, body, crc FROM hot WHERE series = ? AND startedAt BETWEEN ? AND ? ORDER BY startedAt, location, id',
  )

  const hotByDay = (series: number, window: Window): Map<number, Result[]> => {
    const byDay = new Map<number, Result[]>()
    for (const { startedAt, location, id, body, crc } of readHot.all(series, window.from, window.to)) {
      verify(hotPlace(series, startedAt, location, id), body, crc)
      const day = dayOf(startedAt)
      const results = byDay.get(day)
      const result = fromBody(startedAt, location, id, body)
      if (results) results.push(result)
      else byDay.set(day, [result])
    }
    for (const results of byDay.values()) results.sort(comparePositions)
    return byDay
  }

  return (check: CheckRef, window: Window): Part[] => {
    const series = findSeries.get(check.account, check.checkId)?.key
    if (series === undefined) return []
    const hot = hotByDay(series, window)
    const sealed = new Map(chunks.days(series, dayOf(window.from), dayOf(window.to)).map((day) => [day.day, day]))
    const days = [...new Set([...sealed.keys(), ...hot.keys()])].sort((a, b) => a - b)
    return days.flatMap((day) => {
      const sealedDay = sealed.get(day)
      const sealedPart = sealedDay && chunks.part(series, sealedDay, Math.max(window.from, day * dayMs), window.to)
      const results = hot.get(day)
      return joinDay(check, sealedPart, results && memoryPart(check, results))
    })
  }
}

export const hotPlace = (series: number, startedAt: number, location: string, id: string) => `${series} ${startedAt} ${location} ${id} `

/** A day's sealed and hot results, in order; interleaved only where they must be. */
export function joinDay(check: CheckRef, sealed: Part | undefined, hot: Part | undefined): Part[] {
  if (!sealed || sealed.count === 0) return hot ? [hot] : []
  if (!hot) return [sealed]
  const lastSealed = sealed.numbers('time')[sealed.count - 1] as number
  return lastSealed < (hot.numbers('time')[0] as number) ? [sealed, hot] : [mergedPart(check, sealed, hot)]
}
