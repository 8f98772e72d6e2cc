import type { Window } from './window.ts'

/**
 * Unit `i` is `[edges[i], edges[i + 1])`. It is one bucket, or is cut into buckets of `widthMs` from its start, the last of which ends
 * with the unit. Plain data that can be posted to a worker; the functions below answer for times within the edges.
 */
export type Buckets = { readonly edges: Float64Array; readonly widthMs: number | null }

export function bucketStart(buckets: Buckets, time: number): number {
  const unit = unitAt(buckets, time)
  return startIn(buckets, unit, indexIn(buckets, unit, time))
}

/** The end, exclusive, of the bucket that a time is in. */
export function bucketEnd(buckets: Buckets, time: number): number {
  const unit = unitAt(buckets, time)
  return Math.min(startIn(buckets, unit, indexIn(buckets, unit, time) + 1), edge(buckets, unit + 1))
}

/** How many buckets touch a window. */
export function bucketCount(buckets: Buckets, { from, to }: Window): number {
  const first = unitAt(buckets, from)
  const last = unitAt(buckets, to)
  let count = indexIn(buckets, last, to) - indexIn(buckets, first, from) + 1
  for (let unit = first; unit < last; unit++) count += bucketsIn(buckets, unit)
  return count
}

export type Page = { readonly offset: number; readonly limit: number }

/** The starts of the buckets that touch a window, ascending: those of one page. */
export function bucketStarts(buckets: Buckets, { from, to }: Window, { offset, limit }: Page): Float64Array {
  const starts: number[] = []
  let unit = unitAt(buckets, from)
  let skipped = indexIn(buckets, unit, from) + offset
  for (; unit < unitCount(buckets) && starts.length < limit; unit++) {
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

const edge = ({ edges }: Buckets, index: number) => edges[index] as number
const unitCount = ({ edges }: Buckets) => edges.length - 1

/** The last unit that starts at or before a time. */
function unitAt(buckets: Buckets, time: number): number {
  let low = 0
  let high = unitCount(buckets) - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (edge(buckets, middle) <= time) low = middle
    else high = middle - 1
  }
  return low
}

function indexIn({ edges, widthMs }: Buckets, unit: number, time: number): number {
  return widthMs === null ? 0 : Math.floor((time - (edges[unit] as number)) / widthMs)
}

function startIn(buckets: Buckets, unit: number, index: number): number {
  return buckets.widthMs === null ? edge(buckets, unit + index) : edge(buckets, unit) + index * buckets.widthMs
}

function bucketsIn(buckets: Buckets, unit: number): number {
  return buckets.widthMs === null ? 1 : Math.ceil((edge(buckets, unit + 1) - edge(buckets, unit)) / buckets.widthMs)
}
