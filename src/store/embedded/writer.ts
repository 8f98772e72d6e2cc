import type { Acquaintance, CheckRef, Lifetime, Result } from '../store.ts'
import { always, dayOf, openChunks, openChunkWriter } from './chunk.ts'
import { columnsPart } from './columns.ts'
import { openForWriting, transaction } from './database.ts'
import { openHot, openHotWriter, type Packet } from './hot.ts'
import { openLatest } from './latest.ts'
import { orderedPart, positions, reorderedPart } from './merged-part.ts'
import { decodePacket, encodePacket, packetsByDay } from './packet.ts'
import type { Parcel } from './parcel.ts'
import { joinDay } from './parts.ts'
import { identitiesIn, openSealedIdentity } from './sealed-identity.ts'
import { sealedPart } from './sealed-part.ts'
import { openSeries } from './series.ts'
import { identityOf } from './stored-result.ts'

/** Seals results of a check that has at least so many hot ones, the oldest of which started before a time. */
export type SealOrder = { readonly startedBefore: number; readonly atLeast: number }

/** A day is written anew for no less than this part of what it holds, so that busy checks are not rewritten all the time. */
const worthRewriting = 4
/** So many packets are sealed in one go. */
const mostPackets = 1024
/** So many packets that are smaller than this are laid together: to find and read many costs more than what they hold. */
const small = { packets: 32, results: 1024 } as const

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
  const smallPackets = new Map<number, number>()
  const countSmall = database.prepare('SELECT series, count(*) AS packets FROM hot WHERE results < ? GROUP BY series')
  const daysBefore = database.prepare('SELECT series, day FROM day WHERE day < ? LIMIT 1')

  const identitiesOf = (key: number): Set<string> => {
    const known = hotIdentities.get(key) ?? new Set<string>()
    hotIdentities.set(key, known)
    return known
  }
  const recall = () => {
    hotIdentities.clear()
    smallPackets.clear()
    for (const { series, packets } of countSmall.all(small.results)) smallPackets.set(series, packets)
    for (const { series } of database.prepare('SELECT DISTINCT series FROM hot').all())
      for (const { columns } of readHot.of(series))
        for (const identity of identitiesIn(columnsPart(columns, always))) identitiesOf(series).add(identity)
  }
  recall()

  /** Keeps those of a parcel that are new, as one packet; returns the places of the others. */
  const keep = ({ check, packet }: Parcel): number[] => {
    const key = series.keyOf(check)
    const known = identitiesOf(key)
    const part = columnsPart(decodePacket(packet), always)
    const position = positions(part)
    const [news, others]: [number[], number[]] = [[], []]
    for (let row = 0; row < part.count; row++) {
      const identity = identityOf(position(row))
      const isKnown = known.has(identity) || sealed.has(key, position(row))
      if (!isKnown) known.add(identity)
      ;(isKnown ? others : news).push(row)
    }
    if (news.length === 0) return others
    const fresh = others.length === 0 ? part : reorderedPart(part, Int32Array.from(news))
    hot.add(key, fresh === part ? packet : encodePacket(fresh))
    if (fresh.count < small.results) smallPackets.set(key, (smallPackets.get(key) ?? 0) + 1)
    latest.meet(key, check, fresh)
    return others
  }

  /** Moves packets of a check into the columns of their days. */
  const sealPackets = (key: number, packets: readonly Packet[]): void => {
    const check = series.checkOf(key)
    const columns = packets.map(({ columns }) => columns)
    for (const [day, part] of packetsByDay(check, columns, always)) {
      const [before] = chunks.days(key, day, day)
      chunkWriter.write(key, day, joinDay(check, before && sealedPart(before, always, chunks.dayByDay(key)), part), before)
      sealed.add(key, day, part)
    }
    hot.remove(key, packets)
  }

  /** Makes one packet of the small ones of a check. */
  const gather = (key: number): void => {
    const packets = readHot.of(key, { below: small.results })
    const parts = packets.map(({ columns }) => columnsPart(columns, always))
    hot.remove(key, packets)
    hot.add(key, encodePacket(orderedPart(series.checkOf(key), parts)))
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

    /** Seals some packets of one check, or else lays small ones of one together; false where neither is to be done. */
    sealSome(order: SealOrder): boolean {
      for (const [key, identities] of hotIdentities) {
        if (!isDue(key, order)) continue
        const packets = readHot.of(key, { most: mostPackets })
        transaction(database, () => sealPackets(key, packets))
        if (packets.length < mostPackets) identities.clear()
        else
          for (const { columns } of packets) for (const identity of identitiesIn(columnsPart(columns, always))) identities.delete(identity)
        smallPackets.set(key, 0)
        return true
      }
      for (const [key, count] of smallPackets) {
        if (count < small.packets) continue
        transaction(database, () => gather(key))
        smallPackets.set(key, 0)
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
      return latest.all().map(({ series: key, result }) => ({ check: series.checkOf(key), result }))
    },

    close(): void {
      database.close()
    },
  }
}
