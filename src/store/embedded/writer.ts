import { grouped } from '../../grouped.ts'
import type { Acquaintance, CheckRef, Lifetime, Result } from '../store.ts'
import { always, dayOf, openChunks, openChunkWriter } from './chunk.ts'
import { openForWriting, transaction } from './database.ts'
import { openHot, openHotWriter, type Packet } from './hot.ts'
import { joinedPart } from './joined-part.ts'
import { openLatest } from './latest.ts'
import { type Parcel, positionIn, textIn } from './parcel.ts'
import { memoryPart } from './part.ts'
import { joinDay } from './parts.ts'
import { openSealedIdentity } from './sealed-identity.ts'
import { sealedPart } from './sealed-part.ts'
import { openSeries } from './series.ts'
import { identityOf, inOrderOf, toResult } from './stored-result.ts'

/** Seals results of a check that has at least so many hot ones, the oldest of which started before a time. */
export type SealOrder = { readonly startedBefore: number; readonly atLeast: number }

/** A day is written anew for no less than this part of what it holds, so that busy checks are not rewritten all the time. */
const worthRewriting = 8
/** So many packets are sealed in one go. */
const mostPackets = 1024

/** The one that writes. Each method is one transaction: it happens wholly or not at all. */
export type Writer = ReturnType<typeof openWriter>

export function openWriter(directory: string) {
  const database = openForWriting(directory)
  const chunks = openChunks(database)
  const chunkWriter = openChunkWriter(database)
  const readHot = openHot(database)
  const hot = openHotWriter(database)
  const series = openSeries(database)
  const sealed = openSealedIdentity(database, chunks)
  const latest = openLatest(database)
  const hotIdentities = new Map<number, Set<string>>()
  const daysBefore = database.prepare('SELECT series, day FROM day WHERE day < ? LIMIT 1')

  const identitiesOf = (key: number): Set<string> => {
    const known = hotIdentities.get(key) ?? new Set<string>()
    hotIdentities.set(key, known)
    return known
  }
  const recall = () => {
    hotIdentities.clear()
    for (const { series } of database.prepare('SELECT DISTINCT series FROM hot').all())
      for (const { results } of readHot(series)) for (const result of results) identitiesOf(series).add(identityOf(result))
  }
  recall()

  /** Keeps those of a parcel that are new, as one packet; returns the places of the others. */
  const keep = (parcel: Parcel): number[] => {
    const key = series.keyOf(parcel.check)
    const known = identitiesOf(key)
    const news: number[] = []
    const others: number[] = []
    for (let place = 0; place < parcel.times.length; place++) {
      const position = positionIn(parcel, place)
      const identity = identityOf(position)
      const isKnown = known.has(identity) || sealed.has(key, position)
      if (!isKnown) known.add(identity)
      ;(isKnown ? others : news).push(place)
    }
    if (news.length === 0) return others
    if (others.length === 0) hot.add(key, parcel.body, parcel.times)
    else
      hot.add(
        key,
        news.map((place) => textIn(parcel, place)).join(','),
        Float64Array.from(news, (place) => parcel.times[place] as number),
      )
    latest.meet(key, parcel, news)
    return others
  }

  /** Moves packets of a check into the columns of their days. */
  const sealPackets = (key: number, packets: readonly Packet[]): void => {
    const check = series.checkOf(key)
    const byDay = grouped(
      packets.flatMap(({ results }) => results),
      (result) => dayOf(result.startedAt),
    )
    for (const [day, results] of byDay) {
      const [before] = chunks.days(key, day, day)
      const part = before && sealedPart(before, always, chunks.dayByDay(key))
      chunkWriter.write(key, day, joinedPart(joinDay(check, part, memoryPart(results.sort(inOrderOf(check))))), before)
      sealed.add(key, day, results)
    }
    hot.remove(packets)
  }

  const isDue = (key: number, { startedBefore, atLeast }: SealOrder): boolean => {
    const count = hotIdentities.get(key)?.size ?? 0
    if (count < atLeast || count === 0) return false
    const oldest = database.prepare('SELECT min(firstAt) AS startedAt FROM hot WHERE series = ?').get(key).startedAt
    if (oldest === null || oldest >= startedBefore) return false
    return atLeast === 1 || count * worthRewriting >= (chunks.days(key, dayOf(oldest), dayOf(oldest))[0]?.results ?? 0)
  }

  return {
    /** For each parcel: the places of what was there already. */
    append(parcels: readonly Parcel[]): number[][] {
      try {
        return transaction(database, () => parcels.map(keep))
      } catch (error) {
        latest.reload()
        series.reload()
        recall()
        throw error
      }
    },

    /** Seals some packets of one check; false where nothing is to be sealed. */
    sealSome(order: SealOrder): boolean {
      for (const [key, identities] of hotIdentities) {
        if (!isDue(key, order)) continue
        const packets = readHot(key, mostPackets)
        transaction(database, () => sealPackets(key, packets))
        for (const { results } of packets) for (const result of results) identities.delete(identityOf(result))
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
      })
      return true
    },

    acquaint(checks: readonly Acquaintance[], now: number): Lifetime[] {
      return transaction(database, () => checks.map((check) => series.acquaint(check, now)))
    },

    /** The newest result of every check and location. */
    latest(): { readonly check: CheckRef; readonly result: Result }[] {
      return latest.all().map(({ series: key, result }) => ({ check: series.checkOf(key), result: toResult(series.checkOf(key), result) }))
    },

    close(): void {
      database.close()
    },
  }
}
