import type { Window } from './window.ts'

/**
 * Unit `i` is `[edges[i], edges[i + 1])`. It is one bucket, or is divided into buckets of `widthMs` from its start; the last one ends with
 * the unit. All time before the first edge is one more bucket, from -Infinity, and all time from the last edge on is another, to Infinity:
 * lookups may use times outside the window. Plain data that can be posted to a worker.
 */
export type CalendarBuckets = { readonly edges: Float64Array; readonly widthMs: number | null }

/** The start of the bucket that contains a time. */
export function bucketStart(buckets: CalendarBuckets, time: number): number {
  const unit = unitAt(buckets, time)
  return startIn(buckets, unit, indexIn(buckets, unit, time))
}

/** The exclusive end of the bucket that contains a time: always later than that time. */
export function bucketEnd(buckets: CalendarBuckets, time: number): number {
  const unit = unitAt(buckets, time)
  return Math.min(startIn(buckets, unit, indexIn(buckets, unit, time) + 1), edge(buckets, unit + 1))
}

export function bucketCount(buckets: CalendarBuckets, { from, to }: Window): number {
  const first = unitAt(buckets, from)
  const last = unitAt(buckets, to)
  let count = indexIn(buckets, last, to) - indexIn(buckets, first, from) + 1
  for (let unit = first; unit < last; unit++) count += bucketsIn(buckets, unit)
  return count
}

type BucketPage = { readonly offset: number; readonly limit: number }

/** One page of the starts of the buckets that touch a window, ascending. */
export function bucketStarts(buckets: CalendarBuckets, { from, to }: Window, { offset, limit }: BucketPage): Float64Array {
  const starts: number[] = []
  let unit = unitAt(buckets, from)
  let skipped = indexIn(buckets, unit, from) + offset
  for (; unit <= lastUnit(buckets) && starts.length < limit; unit++) {
    const count = bucketsIn(buckets, unit)
    for (let index = skipped; index < count && starts.length < limit; index++) {
      const start = startIn(buckets, unit, index)
      if (start > to) return Float64Array.from(starts)
      starts.push(start)
    }
    skipped = Math.max(0, skipped - count)
  }
  return Float64Array.from(starts)
}

/** Unit -1 is before the first edge, and the last unit starts with the last edge. */
const beforeEdges = -1
const lastUnit = ({ edges }: CalendarBuckets) => edges.length - 1

/** The start of a unit; Infinity after the last one. */
function edge({ edges }: CalendarBuckets, unit: number): number {
  return unit === beforeEdges ? Number.NEGATIVE_INFINITY : (edges[unit] ?? Number.POSITIVE_INFINITY)
}

/** The last unit that starts at or before a time. */
function unitAt(buckets: CalendarBuckets, time: number): number {
  let low = beforeEdges
  let high = lastUnit(buckets)
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (edge(buckets, middle) <= time) low = middle
    else high = middle - 1
  }
  return low
}

function indexIn(buckets: CalendarBuckets, unit: number, time: number): number {
  const widthMs = widthIn(buckets, unit)
  return widthMs === null ? 0 : Math.floor((time - edge(buckets, unit)) / widthMs)
}

function startIn(buckets: CalendarBuckets, unit: number, index: number): number {
  const widthMs = widthIn(buckets, unit)
  return widthMs === null ? edge(buckets, unit + index) : edge(buckets, unit) + index * widthMs
}

function bucketsIn(buckets: CalendarBuckets, unit: number): number {
  const widthMs = widthIn(buckets, unit)
  return widthMs === null ? 1 : Math.ceil((edge(buckets, unit + 1) - edge(buckets, unit)) / widthMs)
}

/** Null if the unit is one bucket. */
function widthIn(buckets: CalendarBuckets, unit: number): number | null {
  return unit === beforeEdges || unit === lastUnit(buckets) ? null : buckets.widthMs
}
