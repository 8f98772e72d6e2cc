import type { CheckRef, Window } from '../store.ts'
import { always, type Chunks, dayOf, type SealedDay } from './chunk.ts'
import type { Database } from './database.ts'
import { type PacketRow, readPacketRow } from './hot.ts'
import { recentlyUsed } from './recently-used.ts'
import type { StoredResult } from './stored-result.ts'

/** What there is of a check in a window: its sealed days, and packets that may hold results of it. */
export type Found = { readonly series: number; readonly days: readonly SealedDay[]; readonly hot: readonly StoredResult[] }

const mostDays = 20_000
const mostHotResults = 20_000

/** Finds what there is. Which days of a check are sealed is read once, and again after any of them has changed. */
export function openDirectory(database: Database, chunks: Chunks) {
  const find = database.prepare(`
    SELECT key, edition, packet, body, crc
    FROM series LEFT JOIN hot ON hot.series = key AND lastAt >= ? AND firstAt <= ?
    WHERE account = ? AND checkId = ?
    ORDER BY packet
  `)
  const known = recentlyUsed<number, { readonly edition: number; readonly days: readonly SealedDay[] }>(mostDays, ({ days }) => days.length)

  const packets = recentlyUsed<number, { readonly crc: number; readonly results: readonly StoredResult[] }>(
    mostHotResults,
    ({ results }) => results.length,
  )

  /** A packet never changes; another in its place has another checksum. */
  const resultsIn = (series: number, row: PacketRow): readonly StoredResult[] => {
    const known = packets.get(row.packet)
    if (known?.crc === row.crc) return known.results
    const { results } = readPacketRow(series, row)
    packets.set(row.packet, { crc: row.crc, results })
    return results
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
    const hot = rows.flatMap((row) => (row.packet === null ? [] : resultsIn(first.key, row)))
    return { series: first.key, days, hot }
  }
}

type FoundRow = { readonly key: number; readonly edition: number } & (PacketRow | { readonly packet: null })
