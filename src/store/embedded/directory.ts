import type { CheckRef, Window } from '../store.ts'
import { always, type Chunks, dayOf, type SealedDay } from './chunk.ts'
import type { Columns } from './columns.ts'
import { type Database, demandInstant } from './database.ts'
import { openHot } from './hot.ts'
import { recentlyUsed } from './recently-used.ts'

/** What there is of a check in a window: its sealed days, and packets that may hold results of it. */
export type Found = { readonly series: number; readonly days: readonly SealedDay[]; readonly packets: readonly Columns[] }

const mostDays = 20_000
const mostHotResults = 50_000

/** Finds what there is. Which days of a check are sealed is read once, and again after any of them has changed. */
export function openDirectory(database: Database, chunks: Chunks) {
  const find = database.prepare(`
    SELECT key, edition, packet, crc
    FROM series LEFT JOIN hot ON hot.series = key AND lastAt >= ? AND firstAt <= ?
    WHERE account = ? AND checkId = ?
    ORDER BY packet
  `)
  const readHot = openHot(database)
  const known = recentlyUsed<number, { readonly edition: number; readonly days: readonly SealedDay[] }>(mostDays, ({ days }) => days.length)

  const packets = recentlyUsed<number, { readonly crc: number; readonly columns: Columns }>(mostHotResults, ({ columns }) => columns.count)

  /** A packet never changes; another in its place has another checksum. */
  const columnsIn = (series: number, packet: number, crc: number): Columns => {
    const known = packets.get(packet)
    if (known?.crc === crc) return known.columns
    demandInstant(database)
    const { columns } = readHot.one(series, packet)
    packets.set(packet, { crc, columns })
    return columns
  }

  const daysOf = (series: number, edition: number) => {
    const before = known.get(series)
    if (before?.edition === edition) return before.days
    const days = chunks.days(series, dayOf(always.from), dayOf(always.to))
    known.set(series, { edition, days })
    return days
  }

  return ({ account, checkId }: CheckRef, { from, to }: Window): Found | undefined => {
    const rows: readonly FoundRow[] = find.all(from, to, account, checkId)
    const [first] = rows
    if (!first) return undefined
    const days = daysOf(first.key, first.edition).filter(({ day }) => day >= dayOf(from) && day <= dayOf(to))
    const packets = rows.flatMap(({ packet, crc }) => (packet === null ? [] : columnsIn(first.key, packet, crc)))
    return { series: first.key, days, packets }
  }
}

type FoundRow = { readonly key: number; readonly edition: number; readonly packet: number | null; readonly crc: number }
