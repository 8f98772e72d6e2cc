import { firstNotBefore } from '../../kernels/buckets.ts'
import type { Window } from '../../store.ts'
import { columnsPart } from '../columns/columns.ts'
import { always } from '../disk/chunk.ts'
import type { Database } from '../disk/database.ts'
import type { Hot, Packet } from '../disk/hot.ts'
import { type Identities, identitiesOf, type Known, markDerived, markIds } from './dedup.ts'

/** A packet of fewer results is small: to find and read many such costs more than what they hold. */
export const smallResults = 1024

/** What is known of the hot results of a check without reading them. */
export type HotSeries = {
  readonly packets: Map<number, HotPacket>
  /** The ids that any of them came with. */
  readonly ids: Set<string>
  results: number
  smallPackets: number
}

type HotPacket = {
  readonly packet: number
  readonly span: Window
  readonly results: number
  readonly ids: readonly string[]
  /** Null where the packet was there at the start and nothing that came since could be the same. */
  identities: Identities | null
}

/** Knows which results are hot already. Most are newer than all that is hot of their check, and need no further look. */
export function openHotIdentity(database: Database, hot: Hot) {
  const allSeries = database.prepare('SELECT DISTINCT series FROM hot')
  let bySeries: Map<number, HotSeries> | null = null

  const all = (): Map<number, HotSeries> => {
    bySeries ??= new Map(allSeries.all().map(({ series }) => [series, readSeries(series)]))
    return bySeries
  }
  const readSeries = (series: number): HotSeries => {
    const read = newSeries()
    for (const { packet, columns } of hot.of(series)) {
      const ids = columns.bytesOf('id') ? columnsPart(columns, always).texts('id').dictionary : []
      put(read, { packet, span: columns.span, results: columns.count, ids, identities: null })
    }
    return read
  }
  const identitiesIn = (series: number, held: HotPacket): Identities => {
    held.identities ??= identitiesOf(columnsPart(hot.one(series, held.packet).columns, always))
    return held.identities
  }
  all()

  return {
    all: (): ReadonlyMap<number, HotSeries> => all(),

    /** Marks those that are hot already. */
    mark(series: number, identities: Identities, known: Known): void {
      const found = all().get(series)
      if (!found) return
      markIds(identities, known, (id) => found.ids.has(id))
      const { times } = identities
      const [from, to] = [times[0] as number, times.at(-1) as number]
      for (const held of found.packets.values()) {
        if (from > held.span.to || to < held.span.from) continue
        const [first, end] = [firstNotBefore(times, held.span.from), firstNotBefore(times, held.span.to + 1)]
        markDerived(identities, known, { first, end, read: () => identitiesIn(series, held) })
      }
    },

    add(series: number, { packet, columns }: Packet, identities: Identities): void {
      const found = all().get(series) ?? newSeries()
      put(found, { packet, span: columns.span, results: columns.count, ids: identities.ids.dictionary, identities })
      all().set(series, found)
    },

    remove(series: number, packets: readonly Packet[]): void {
      const found = all().get(series)
      if (!found) return
      for (const { packet } of packets) take(found, packet)
      if (found.packets.size === 0) all().delete(series)
    },

    /** Lets go of what a rolled-back transaction has brought: it is all read anew before it is next needed. */
    forget(): void {
      bySeries = null
    },
  }
}

/** The number of the packet that was written first. */
export function firstOf({ packets }: HotSeries): number {
  const [first = Number.POSITIVE_INFINITY] = packets.keys()
  return first
}

/** When the first of them started. */
export function oldestOf({ packets }: HotSeries): number {
  let oldest = Number.POSITIVE_INFINITY
  for (const { span } of packets.values()) oldest = Math.min(oldest, span.from)
  return oldest
}

const newSeries = (): HotSeries => ({ packets: new Map(), ids: new Set(), results: 0, smallPackets: 0 })
const isSmall = ({ results }: HotPacket) => results < smallResults

function put(series: HotSeries, packet: HotPacket): void {
  series.packets.set(packet.packet, packet)
  series.results += packet.results
  if (isSmall(packet)) series.smallPackets++
  for (const id of packet.ids) series.ids.add(id)
}

function take(series: HotSeries, number: number): void {
  const packet = series.packets.get(number)
  if (!packet) return
  series.packets.delete(number)
  series.results -= packet.results
  if (isSmall(packet)) series.smallPackets--
  for (const id of packet.ids) series.ids.delete(id)
}
