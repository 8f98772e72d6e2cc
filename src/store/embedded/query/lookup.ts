import { lruCache } from '../../../cache/lru-cache.ts'
import type { CheckRef, Window } from '../../store.ts'
import type { Columns } from '../columns/columns.ts'
import { always, type Chunks, dayOf, type SealedDay } from '../disk/chunk.ts'
import { DamagedData, type Database, requireSnapshot } from '../disk/database.ts'
import { openHot } from '../disk/hot.ts'

/** What there is of a check: its sealed days in a window, and segments that may hold results of it. */
export type StoredSeries = { readonly series: number; readonly days: readonly SealedDay[]; readonly segments: readonly Columns[] }

const maxCachedDays = 20_000
const maxCachedHotResults = 50_000

/** Finds what there is. Which days of a check are sealed is read once, and again after any of them has changed. */
export function openLookup(database: Database, chunks: Chunks) {
  const find = database.prepare(`
    SELECT key, edition, segments, days, segment, crc
    FROM series LEFT JOIN hot ON hot.series = key
    WHERE account = ? AND checkId = ?
    ORDER BY segment
  `)
  const findByReadingAll = database.prepare('SELECT key FROM series NOT INDEXED WHERE account = ? AND checkId = ?')
  const readHot = openHot(database)
  const known = lruCache<number, { readonly edition: number; readonly days: readonly SealedDay[] }>(
    maxCachedDays,
    ({ days }) => days.length,
  )

  const segments = lruCache<number, { readonly crc: number; readonly columns: Columns }>(
    maxCachedHotResults,
    ({ columns }) => columns.count,
  )

  /** A segment never changes; another in its place has another checksum. */
  const columnsIn = (series: number, segment: number, crc: number): Columns => {
    const known = segments.get(segment)
    if (known?.crc === crc) return known.columns
    requireSnapshot(database)
    const { columns } = readHot.one(series, segment)
    segments.set(segment, { crc, columns })
    return columns
  }

  const daysOf = (series: number, edition: number) => {
    const before = known.get(series)
    if (before?.edition === edition) return before.days
    const days = chunks.days(series, dayOf(always.from), dayOf(always.to))
    known.set(series, { edition, days })
    return days
  }

  return ({ account, checkId }: CheckRef, { from, to }: Window): StoredSeries | undefined => {
    const rows: readonly FoundRow[] = find.all(account, checkId)
    const [first] = rows
    if (!first) {
      requireSnapshot(database)
      if (findByReadingAll.get(account, checkId)) throw missing(checkId)
      return undefined
    }
    const days = daysOf(first.key, first.edition)
    const segments = rows.flatMap(({ segment, crc }) => (segment === null ? [] : columnsIn(first.key, segment, crc)))
    if (days.length !== first.days || segments.length !== first.segments) throw missing(checkId)
    return { series: first.key, days: days.filter(({ day }) => day >= dayOf(from) && day <= dayOf(to)), segments }
  }
}

/** What stands under a key that was damaged is not found, but it is missed. */
function missing(checkId: string): DamagedData {
  return new DamagedData(`Some of the stored data of ${checkId} is missing. Run: tidemark doctor`)
}

type FoundRow = {
  readonly key: number
  readonly edition: number
  /** How many segments and sealed days it should have. */
  readonly segments: number
  readonly days: number
  readonly segment: number | null
  readonly crc: number
}
