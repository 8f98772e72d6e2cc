import type { Acquaintance, CheckRef, Lifetime, Position, Result } from '../store.ts'
import { dayMs, dayOf, openChunks, openChunkWriter } from './chunk.ts'
import { checksum, openForWriting, transaction, verify } from './database.ts'
import { joinedPart } from './joined-part.ts'
import { openLatest } from './latest.ts'
import { isDerived, memoryPart } from './part.ts'
import { hotPlace, joinDay } from './parts.ts'
import { comparePositions, fromBody } from './result-body.ts'
import { openSealedIdentity } from './sealed-identity.ts'
import { openSeries } from './series.ts'

/** A result on its way to the disk: its check, its position, and the text of the rest. */
export type Parcel = CheckRef & Position & { readonly body: string }

/** Seals hot results that started before a time, of a check that has at least so many. */
export type SealOrder = { readonly startedBefore: number; readonly atLeast: number }

/** The newest result of a check at one location. */
export type LatestEntry = { readonly check: CheckRef; readonly result: Result }

/** A day is written anew for no less than this part of what it holds, so that busy checks are not rewritten all the time. */
const worthRewriting = 16

/** The one that writes. Each method is one transaction: it happens wholly or not at all. */
export type Writer = ReturnType<typeof openWriter>

export function openWriter(directory: string) {
  const database = openForWriting(directory)
  const chunks = openChunks(database)
  const chunkWriter = openChunkWriter(database)
  const series = openSeries(database)
  const sealed = openSealedIdentity(database, chunks)
  const latest = openLatest(database)
  const insert = database.prepare('INSERT OR IGNORE INTO hot (series, startedAt, location, id, body, crc) VALUES (?, ?, ?, ?, ?, ?)')
  const hotWithin = database.prepare('SELECT startedAt, location, id, body, crc FROM hot WHERE series = ? AND startedAt BETWEEN ? AND ?')
  const dropHot = database.prepare('DELETE FROM hot WHERE series = ? AND startedAt BETWEEN ? AND ?')
  const oldestHot = database.prepare('SELECT min(startedAt) AS startedAt FROM hot WHERE series = ?')
  const daysBefore = database.prepare('SELECT series, day FROM day WHERE day < ? LIMIT 1')
  const hotCounts = new Map<number, number>()
  for (const { series, count } of database.prepare('SELECT series, count(*) AS count FROM hot GROUP BY series').all())
    hotCounts.set(series, count)

  const keep = (parcel: Parcel, touched: Map<number, number>): boolean => {
    const { startedAt, runLocation, id, body } = parcel
    const key = series.keyOf(parcel)
    if (sealed.has(key, parcel, isDerived(parcel, parcel))) return false
    const crc = checksum(hotPlace(key, startedAt, runLocation, id), body)
    if (insert.run(key, startedAt, runLocation, id, body, crc).changes === 0) return false
    latest.meet(key, parcel)
    touched.set(key, (touched.get(key) ?? 0) + 1)
    return true
  }

  const readHot = (key: number, from: number, to: number): Result[] =>
    hotWithin
      .all(key, from, to)
      .map(({ startedAt, location, id, body, crc }) => {
        verify(hotPlace(key, startedAt, location, id), body, crc)
        return fromBody(startedAt, location, id, body)
      })
      .sort(comparePositions)

  /** Moves what is hot of one day of one check, up to a time, into that day's columns. */
  const sealDay = (key: number, day: number, startedBefore: number): number => {
    const check = series.checkOf(key)
    const to = Math.min(startedBefore, (day + 1) * dayMs) - 1
    const results = readHot(key, day * dayMs, to)
    const [before] = chunks.days(key, day, day)
    const part = before && chunks.part(key, before, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
    chunkWriter.write(key, day, joinedPart(joinDay(check, part, memoryPart(check, results))), before)
    const explicit = results.filter((result) => !isDerived(check, result)).map((result) => result.id)
    sealed.add(key, day, explicit)
    sealed.forget(key, day)
    dropHot.run(key, day * dayMs, to)
    return results.length
  }

  const resultsOn = (key: number, day: number) => chunks.days(key, day, day)[0]?.results ?? 0

  return {
    /** For each parcel: whether it was new. */
    append(parcels: readonly Parcel[]): boolean[] {
      const touched = new Map<number, number>()
      try {
        const news = transaction(database, () => {
          const kept = parcels.map((parcel) => keep(parcel, touched))
          latest.write()
          return kept
        })
        for (const [key, count] of touched) hotCounts.set(key, (hotCounts.get(key) ?? 0) + count)
        return news
      } catch (error) {
        latest.reload()
        series.reload()
        throw error
      }
    },

    /** Seals one day of one check; false where there is none to seal. */
    sealOne({ startedBefore, atLeast }: SealOrder): boolean {
      for (const [key, count] of hotCounts) {
        const oldest = count >= atLeast ? oldestHot.get(key)?.startedAt : null
        if (oldest === null || oldest === undefined || oldest >= startedBefore) continue
        if (atLeast > 1 && count * worthRewriting < resultsOn(key, dayOf(oldest))) continue
        const moved = transaction(database, () => sealDay(key, dayOf(oldest), startedBefore))
        hotCounts.set(key, count - moved)
        return true
      }
      return false
    },

    /** Drops one sealed day of one check that lies before the first day to keep; false where there is none. */
    dropOne(firstDay: number): boolean {
      const found = daysBefore.get(firstDay)
      if (!found) return false
      transaction(database, () => {
        const [day] = chunks.days(found.series, found.day, found.day)
        if (day) chunkWriter.drop(found.series, day)
        sealed.drop(found.series, found.day)
        sealed.forget(found.series, found.day)
      })
      return true
    },

    acquaint(checks: readonly Acquaintance[], now: number): Lifetime[] {
      return transaction(database, () => checks.map((check) => series.acquaint(check, now)))
    },

    latest: (): LatestEntry[] => latest.all().map(({ key, result }) => ({ check: series.checkOf(key), result })),

    close(): void {
      database.close()
    },
  }
}
