import { firstNotBefore } from '../../kernels/buckets.ts'
import type { Window } from '../../store.ts'
import { columnsPart } from '../columns/columns.ts'
import { always } from '../disk/chunk.ts'
import type { Database } from '../disk/database.ts'
import type { Hot, Segment } from '../disk/hot.ts'
import { type DedupKeys, type DuplicateMask, dedupKeysOf, markDuplicateIds, markDuplicateOrigins } from './dedup.ts'

/** A segment of fewer results is small: to find and read many such costs more than what they hold. */
export const smallResults = 1024

/** What is known of the hot results of a check without reading them. */
export type HotSeries = {
  readonly segments: Map<number, HotSegment>
  /** The ids that any of them came with. */
  readonly ids: Set<string>
  results: number
  smallSegments: number
}

type HotSegment = {
  readonly number: number
  readonly span: Window
  readonly results: number
  readonly ids: readonly string[]
  /** Null where the segment was there at the start and nothing that came since could be the same. */
  keys: DedupKeys | null
}

/** Knows which results are hot already. Most are newer than all that is hot of their check, and need no further look. */
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
      const ids = columns.bytesOf('id') ? columnsPart(columns, always).texts('id').dictionary : []
      addSegment(read, { number, span: columns.span, results: columns.count, ids, keys: null })
    }
    return read
  }
  const keysOfSegment = (series: number, held: HotSegment): DedupKeys => {
    held.keys ??= dedupKeysOf(columnsPart(hot.one(series, held.number).columns, always))
    return held.keys
  }
  all()

  return {
    all: (): ReadonlyMap<number, HotSeries> => all(),

    /** Marks those that are hot already. */
    mark(series: number, keys: DedupKeys, known: DuplicateMask): void {
      const found = all().get(series)
      if (!found) return
      markDuplicateIds(keys, known, (id) => found.ids.has(id))
      const { times } = keys
      const [from, to] = [times[0] as number, times.at(-1) as number]
      for (const held of found.segments.values()) {
        if (from > held.span.to || to < held.span.from) continue
        const [first, end] = [firstNotBefore(times, held.span.from), firstNotBefore(times, held.span.to + 1)]
        markDuplicateOrigins(keys, known, { first, end, read: () => keysOfSegment(series, held) })
      }
    },

    add(series: number, { number, columns }: Segment, keys: DedupKeys): void {
      const found = all().get(series) ?? newSeries()
      addSegment(found, { number, span: columns.span, results: columns.count, ids: keys.ids.dictionary, keys })
      all().set(series, found)
    },

    remove(series: number, segments: readonly Segment[]): void {
      const found = all().get(series)
      if (!found) return
      for (const { number } of segments) removeSegment(found, number)
      if (found.segments.size === 0) all().delete(series)
    },

    /** Lets go of what a rolled-back transaction has brought: it is all read anew before it is next needed. */
    invalidate(): void {
      bySeries = null
    },
  }
}

/** The number of the segment that was written first. */
export function firstOf({ segments }: HotSeries): number {
  const [first = Number.POSITIVE_INFINITY] = segments.keys()
  return first
}

/** When the first of them started. */
export function oldestOf({ segments }: HotSeries): number {
  let oldest = Number.POSITIVE_INFINITY
  for (const { span } of segments.values()) oldest = Math.min(oldest, span.from)
  return oldest
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
