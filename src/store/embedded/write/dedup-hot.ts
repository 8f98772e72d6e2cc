import { allTime } from '../../../calendar/window.ts'
import { firstNotBefore } from '../../kernels/row-indexes.ts'
import type { Window } from '../../store.ts'
import { columnsPart } from '../columns/encoded-results.ts'
import type { Hot, Segment } from '../disk/hot.ts'
import type { Database } from '../disk/sqlite.ts'
import { type DedupKeys, type DuplicateMask, dedupKeysOf, markDuplicateIds, markDuplicateOrigins } from './dedup.ts'

/** A segment with fewer results is small: looking up and reading many of them costs more than reading their results. */
export const smallResults = 1024

/** The in-memory index of the hot results of a check. */
export type HotSeries = {
  readonly segments: Map<number, HotSegment>
  /** Ids that results were sent with; derived ids are not stored. */
  readonly ids: Set<string>
  results: number
  smallSegments: number
}

type HotSegment = {
  readonly number: number
  readonly span: Window
  readonly results: number
  readonly ids: readonly string[]
  /** Null until first used, for segments that existed at startup. */
  keys: DedupKeys | null
}

/** Finds duplicates among hot results. Most results are newer than all hot results of their check, and need no comparison. */
export function openHotDedup(database: Database, hot: Hot) {
  const allSeries = database.prepare('SELECT DISTINCT series FROM hot')
  let bySeries: Map<number, HotSeries> | null = null

  const all = (): Map<number, HotSeries> => {
    bySeries ??= new Map(allSeries.all().map(({ series }) => [series, readSeries(series)]))
    return bySeries
  }
  const readSeries = (series: number): HotSeries => {
    const read = newSeries()
    for (const { number, columns } of hot.of(series)) {
      const ids = columns.columnOf('id') ? columnsPart(columns, allTime).texts('id').dictionary : []
      addSegment(read, { number, span: columns.span, results: columns.count, ids, keys: null })
    }
    return read
  }
  const keysOf = (series: number, segment: HotSegment): DedupKeys => {
    segment.keys ??= dedupKeysOf(columnsPart(hot.one(series, segment.number).columns, allTime))
    return segment.keys
  }
  all()

  return {
    all: (): ReadonlyMap<number, HotSeries> => all(),

    /** Marks rows that are already hot. */
    mark(series: number, keys: DedupKeys, mask: DuplicateMask): void {
      const existing = all().get(series)
      if (!existing) return
      markDuplicateIds(keys, mask, (id) => existing.ids.has(id))
      const { times } = keys
      const [from, to] = [times[0] as number, times.at(-1) as number]
      for (const segment of existing.segments.values()) {
        const { span } = segment
        if (from > span.to || to < span.from) continue
        const [first, end] = [firstNotBefore(times, span.from), firstNotBefore(times, span.to + 1)]
        markDuplicateOrigins(keys, mask, { first, end, read: () => keysOf(series, segment) })
      }
    },

    add(series: number, { number, columns }: Segment, keys: DedupKeys): void {
      const existing = all().get(series) ?? newSeries()
      addSegment(existing, { number, span: columns.span, results: columns.count, ids: keys.ids.dictionary, keys })
      all().set(series, existing)
    },

    remove(series: number, segments: readonly Segment[]): void {
      const existing = all().get(series)
      if (!existing) return
      for (const { number } of segments) removeSegment(existing, number)
      if (existing.segments.size === 0) all().delete(series)
    },

    /** After a rollback: reloads everything on next use. */
    invalidate(): void {
      bySeries = null
    },
  }
}

/** The number of the oldest segment. */
export function firstSegment({ segments }: HotSeries): number {
  const [first = Number.POSITIVE_INFINITY] = segments.keys()
  return first
}

export function earliestStart({ segments }: HotSeries): number {
  let earliest = Number.POSITIVE_INFINITY
  for (const { span } of segments.values()) earliest = Math.min(earliest, span.from)
  return earliest
}

const newSeries = (): HotSeries => ({ segments: new Map(), ids: new Set(), results: 0, smallSegments: 0 })
const isSmall = ({ results }: HotSegment) => results < smallResults

function addSegment(series: HotSeries, segment: HotSegment): void {
  series.segments.set(segment.number, segment)
  series.results += segment.results
  if (isSmall(segment)) series.smallSegments++
  for (const id of segment.ids) series.ids.add(id)
}

function removeSegment(series: HotSeries, number: number): void {
  const segment = series.segments.get(number)
  if (!segment) return
  series.segments.delete(number)
  series.results -= segment.results
  if (isSmall(segment)) series.smallSegments--
  for (const id of segment.ids) series.ids.delete(id)
}
