import { recentlyUsed } from '../../../cache/lru-cache.ts'
import type { CheckRef, Window } from '../../store.ts'
import type { Columns } from '../columns/columns.ts'
import { always, type Chunks, dayOf, type SealedDay } from '../disk/chunk.ts'
import { DamagedData, type Database, demandInstant } from '../disk/database.ts'
import { openHot } from '../disk/hot.ts'

/** What there is of a check: its sealed days in a window, and packets that may hold results of it. */
export type Found = { readonly series: number; readonly days: readonly SealedDay[]; readonly packets: readonly Columns[] }

const mostDays = 20_000
const mostHotResults = 50_000

/** Finds what there is. Which days of a check are sealed is read once, and again after any of them has changed. */
export function openDirectory(database: Database, chunks: Chunks) {
  const find = database.prepare(`
    SELECT key, edition, packets, days, packet, crc
    FROM series LEFT JOIN hot ON hot.series = key
    WHERE account = ? AND checkId = ?
    ORDER BY packet
  `)
  const findByReadingAll = database.prepare('SELECT key FROM series NOT INDEXED WHERE account = ? AND checkId = ?')
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
    const rows: readonly FoundRow[] = find.all(account, checkId)
    const [first] = rows
    if (!first) {
      demandInstant(database)
      if (findByReadingAll.get(account, checkId)) throw missing(checkId)
      return undefined
    }
    const days = daysOf(first.key, first.edition)
    const packets = rows.flatMap(({ packet, crc }) => (packet === null ? [] : columnsIn(first.key, packet, crc)))
    if (days.length !== first.days || packets.length !== first.packets) throw missing(checkId)
    return { series: first.key, days: days.filter(({ day }) => day >= dayOf(from) && day <= dayOf(to)), packets }
  }
}

/** What stands under a key that was damaged is not found, but it is missed. */
function missing(checkId: string): DamagedData {
  return new DamagedData(`Some of the stored data of ${checkId} is missing. Run: tidemark doctor`)
}

type FoundRow = {
  readonly key: number
  readonly edition: number
  /** How many packets and sealed days it should have. */
  readonly packets: number
  readonly days: number
  readonly packet: number | null
  readonly crc: number
}
