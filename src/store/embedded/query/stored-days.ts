import { lruCache, once } from '../../../cache/cache.ts'
import { allTime } from '../../../calendar/window.ts'
import { dayOf } from '../../../time.ts'
import type { DayReader } from '../../query/parts/day.ts'
import { joinedPart } from '../../query/parts/joined-part.ts'
import { partWith } from '../../query/parts/merged-part.ts'
import type { Part } from '../../query/parts/part.ts'
import type { CheckRef, Window } from '../../store.ts'
import { columnsPart, type EncodedColumns, isWithin, segmentsByDay } from '../columns/encoded-results.ts'
import { DamagedData } from '../disk/errors.ts'
import { openHot } from '../disk/hot.ts'
import { type ChunkReader, type ColumnSource, openChunkReader, type SealedDay, sealedColumns } from '../disk/sealed-days.ts'
import type { Database } from '../disk/sqlite.ts'

export type StoredDays = DayReader['days']

export function openStoredDays(database: Database, cacheBytes: number, checkpoint: () => void): StoredDays {
  const chunks = openChunkReader(database, cacheBytes)
  const lookup = openLookup(database, chunks)
  return (check, window, mode) => {
    checkpoint()
    const stored = lookup(check, window)
    if (!stored) return []
    const hot = segmentsByDay(stored.segments, window)
    const columnOf = mode === 'all at once' ? chunks.allAtOnce(stored.series, stored.days) : chunks.dayByDay(stored.series)
    const source: ColumnSource = (name, day) => {
      checkpoint()
      return columnOf(name, day)
    }
    const sealedDays = stored.days.map((sealed) => {
      const late = hot.get(sealed.day)
      hot.delete(sealed.day)
      const columns = sealedColumns(sealed, source)
      const part = once(() => joinDay(columnsPart(columns, window), late))
      return { day: sealed.day, count: !late && isWithin(columns, window) ? () => sealed.results : () => part().count, part }
    })
    if (hot.size === 0) return sealedDays
    const hotDays = Array.from(hot, ([day, part]) => ({ day, count: () => part.count, part: () => part }))
    return [...sealedDays, ...hotDays].sort((a, b) => a.day - b.day)
  }
}

/** The sealed and hot results of a day, in order; merged only if they overlap in time. */
export function joinDay(sealed: Part | undefined, hot: Part | undefined): Part {
  if (!sealed || sealed.count === 0) return hot ?? joinedPart([])
  if (!hot) return sealed
  const [lastSealed] = sealed.slice(sealed.count - 1, sealed.count).numbers('time')
  return (lastSealed as number) < hot.span.from ? joinedPart([sealed, hot]) : partWith(sealed, hot)
}

/** The sealed days of a check in a window, and all of its segments. */
type StoredSeries = { readonly series: number; readonly days: readonly SealedDay[]; readonly segments: readonly EncodedColumns[] }

const maxCachedDays = 20_000
const maxCachedHotResults = 50_000

/** Looks up stored days and segments of a check. Sealed days are read once per edition, segments once. */
function openLookup(database: Database, chunks: ChunkReader) {
  const select = database.prepare(`
    SELECT key, edition, segments, days, segment, crc
    FROM series LEFT JOIN hot ON hot.series = key
    WHERE account = ? AND checkId = ?
    ORDER BY segment
  `)
  const selectWithoutIndex = database.prepare('SELECT key FROM series NOT INDEXED WHERE account = ? AND checkId = ?')
  const hot = openHot(database)
  const dayCache = lruCache<number, { readonly edition: number; readonly days: readonly SealedDay[] }>(
    maxCachedDays,
    ({ days }) => days.length,
  )
  const segmentCache = lruCache<number, { readonly crc: number; readonly columns: EncodedColumns }>(
    maxCachedHotResults,
    ({ columns }) => columns.count,
  )

  /** The number of a removed segment may be reused; then the checksum differs. */
  const segmentOf = (series: number, segment: number, crc: number): EncodedColumns => {
    const cached = segmentCache.get(segment)
    if (cached?.crc === crc) return cached.columns
    const { columns } = hot.one(series, segment)
    segmentCache.set(segment, { crc, columns })
    return columns
  }

  const daysOf = (series: number, edition: number) => {
    const cached = dayCache.get(series)
    if (cached?.edition === edition) return cached.days
    const days = chunks.days(series, dayOf(allTime.from), dayOf(allTime.to))
    dayCache.set(series, { edition, days })
    return days
  }

  return ({ account, checkId }: CheckRef, { from, to }: Window): StoredSeries | undefined => {
    const rows: readonly SeriesRow[] = select.all(account, checkId)
    const [first] = rows
    if (!first) {
      if (selectWithoutIndex.get(account, checkId)) throw missing(checkId)
      return undefined
    }
    const days = daysOf(first.key, first.edition)
    const segments = rows.flatMap(({ segment, crc }) => (segment === null ? [] : segmentOf(first.key, segment, crc)))
    if (days.length !== first.days || segments.length !== first.segments) throw missing(checkId)
    return { series: first.key, days: days.filter(({ day }) => day >= dayOf(from) && day <= dayOf(to)), segments }
  }
}

/** A row under a damaged key is not found, but the counts of the check show that it is missing. */
function missing(checkId: string): DamagedData {
  return new DamagedData(`Some of the stored data of ${checkId} is missing. Run: tidemark doctor`)
}

type SeriesRow = {
  readonly key: number
  readonly edition: number
  /** Expected number of segments and sealed days. */
  readonly segments: number
  readonly days: number
  readonly segment: number | null
  readonly crc: number
}
