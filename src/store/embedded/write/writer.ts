import { orderedPart, reorderedPart } from '../../query/merged-part.ts'
import type { Part } from '../../query/part.ts'
import type { Acquaintance, CheckRef, Lifetime, Result } from '../../store.ts'
import { type Columns, columnsPart } from '../columns/columns.ts'
import { sealedPart } from '../columns/sealed-part.ts'
import { decodePacket, encodePacket, packetsByDay } from '../columns/segment.ts'
import { always, dayOf, openChunks, openChunkWriter } from '../disk/chunk.ts'
import { openForWriting, transaction } from '../disk/database.ts'
import { openHot, openHotWriter, type Packet } from '../disk/hot.ts'
import { openSeries } from '../disk/series.ts'
import { joinDay } from '../query/days.ts'
import type { Parcel } from './batch.ts'
import { type Identities, identitiesOf, type Known, repeatedIn } from './dedup.ts'
import { firstOf, type HotSeries, oldestOf, openHotIdentity, smallResults } from './dedup-hot.ts'
import { openSealedIdentity } from './dedup-sealed.ts'
import { lastResults, openLatest } from './latest.ts'

/** Seals results of a check that has at least so many hot ones, the oldest of which started before a time. */
export type SealOrder = {
  readonly startedBefore: number
  readonly atLeast: number
  /** Only where there are packets up to this one: else there is no end to it while results come in. */
  readonly upTo: number
}

/** A day is written anew for no less than this part of what it holds, so that busy checks are not rewritten all the time. */
const worthRewriting = 2
/** So many packets are sealed in one go. */
const mostPackets = 1024
/** So many small packets of a check are laid together. */
const enoughToGather = 32

/** The one that writes. Each method is one transaction: it happens wholly or not at all. */
export type Writer = ReturnType<typeof openWriter>

export function openWriter(directory: string) {
  const database = openForWriting(directory)
  const chunks = openChunks(database)
  const chunkWriter = openChunkWriter(database)
  const readHot = openHot(database)
  const hot = openHotWriter(database)
  const series = openSeries(database)
  const hotIdentity = openHotIdentity(database, readHot)
  const sealedIdentity = openSealedIdentity(database, chunks)
  const latest = openLatest(database)
  const daysBefore = database.prepare('SELECT series, day FROM day WHERE day < ? LIMIT 1')

  /** All of `work` or nothing of it, also of what is remembered of it. */
  const commit = <T>(work: () => T): T => {
    try {
      return transaction(database, work)
    } catch (error) {
      hotIdentity.forget()
      series.reload()
      latest.reload()
      throw error
    }
  }

  /** Keeps those of a parcel that are new, as one packet; returns the places of the others. */
  const keep = ({ check, packet }: Parcel): number[] => {
    const key = series.keyOf(check)
    const came = unpack(packet)
    const known = repeatedIn(came.identities)
    hotIdentity.mark(key, came.identities, known)
    sealedIdentity.mark(key, came.identities, known)
    const others = rowsThatAre(1, known)
    if (others.length === known.length) return others
    const fresh = others.length === 0 ? came : unpack(encodePacket(reorderedPart(came.part, Int32Array.from(rowsThatAre(0, known)))))
    hotIdentity.add(key, hot.add(key, fresh.body, fresh.columns), fresh.identities)
    return others
  }

  /** Moves packets of a check into the columns of their days. */
  const sealPackets = (key: number, packets: readonly Packet[]): void => {
    const check = series.checkOf(key)
    const columns = packets.map(({ columns }) => columns)
    for (const [day, part] of packetsByDay(check, columns, always)) {
      const [before] = chunks.days(key, day, day)
      chunkWriter.write(key, day, joinDay(check, before && sealedPart(before, always, chunks.dayByDay(key)), part), before)
      sealedIdentity.add(key, day, part)
      latest.meet(key, check, part)
    }
    hot.remove(key, packets)
  }

  /** Makes one packet of the small ones of a check. */
  const gather = (key: number): void => {
    const packets = readHot.of(key, { below: smallResults })
    const parts = packets.map(({ columns }) => columnsPart(columns, always))
    const { body, columns, identities } = unpack(encodePacket(orderedPart(series.checkOf(key), parts)))
    const gathered = transaction(database, () => {
      hot.remove(key, packets)
      return hot.add(key, body, columns)
    })
    hotIdentity.remove(key, packets)
    hotIdentity.add(key, gathered, identities)
  }

  const isDue = (key: number, held: HotSeries, { startedBefore, atLeast, upTo }: SealOrder): boolean => {
    if (held.results < atLeast || firstOf(held) > upTo) return false
    const oldest = oldestOf(held)
    if (oldest >= startedBefore) return false
    return atLeast === 1 || held.results * worthRewriting >= (chunks.days(key, dayOf(oldest), dayOf(oldest))[0]?.results ?? 0)
  }

  return {
    /** For each parcel: the places of what was there already. */
    append(parcels: readonly Parcel[]): number[][] {
      return commit(() => parcels.map(keep))
    },

    /** The number of the packet that was written last. */
    lastPacket: hot.last,

    /** Seals some packets of one check, or else lays small ones of one together; false where neither is to be done. */
    sealSome(order: SealOrder): boolean {
      for (const [key, held] of hotIdentity.all()) {
        if (!isDue(key, held, order)) continue
        const packets = readHot.of(key, { most: mostPackets })
        commit(() => sealPackets(key, packets))
        hotIdentity.remove(key, packets)
        return true
      }
      for (const [key, { smallPackets }] of hotIdentity.all()) {
        if (smallPackets < enoughToGather) continue
        gather(key)
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
        sealedIdentity.drop(found.series, found.day)
      })
      return true
    },

    acquaint(checks: readonly Acquaintance[], now: number): Lifetime[] {
      return commit(() => checks.map((check) => series.acquaint(check, now)))
    },

    /** Results of every check and location, the newest among them: of those that are sealed, and of each packet. */
    latest(): { readonly check: CheckRef; readonly result: Result }[] {
      const ofSealed = latest.all().map(({ series: key, result }) => ({ check: series.checkOf(key), result }))
      const ofHot = [...hotIdentity.all().keys()].flatMap((key) => {
        const check = series.checkOf(key)
        const packets = readHot.of(key).map(({ columns }) => columnsPart(columns, always))
        return packets.flatMap((part) => lastResults(check, part)).map((result) => ({ check, result }))
      })
      return [...ofSealed, ...ofHot]
    },

    close(): void {
      database.close()
    },
  }
}

/** A packet, and what there is to know of its results. */
type Unpacked = { readonly body: Uint8Array; readonly columns: Columns; readonly part: Part; readonly identities: Identities }

function unpack(body: Uint8Array): Unpacked {
  const columns = decodePacket(body)
  const part = columnsPart(columns, always)
  return { body, columns, part, identities: identitiesOf(part) }
}

function rowsThatAre(state: 0 | 1, known: Known): number[] {
  const rows: number[] = []
  for (let row = 0; row < known.length; row++) if (known[row] === state) rows.push(row)
  return rows
}
