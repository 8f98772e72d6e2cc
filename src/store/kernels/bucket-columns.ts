import {
  bucketCount,
  bucketStarts,
  type CalendarBuckets,
  bucketEnd as calendarEnd,
  bucketStart as calendarStart,
} from '../../calendar/bucket-index.ts'
import type { Stretch } from '../../calendar/window.ts'
import type { Buckets, Paging, Window } from '../store.ts'

export function startOfBucket(time: number, buckets: Buckets): number {
  if (isCalendar(buckets)) return calendarStart(buckets, time)
  const { originMs, widthMs } = buckets
  return originMs + Math.floor((time - originMs) / widthMs) * widthMs
}

export function bucketAt(time: number, buckets: Buckets): Stretch {
  const value = startOfBucket(time, buckets)
  return { value, until: endOfBucket(value, buckets) }
}

/** One page of the starts of the buckets that touch a window, ascending. */
export function startsOf(buckets: Buckets, window: Window, { offset, limit }: Paging): readonly number[] {
  if (isCalendar(buckets)) return [...bucketStarts(buckets, window, { offset, limit })]
  const first = startOfBucket(window.from, buckets)
  const count = Math.max(0, Math.min(limit, bucketsTouching(buckets, window) - offset))
  return Array.from({ length: count }, (_, i) => first + (offset + i) * buckets.widthMs)
}

export function bucketsTouching(buckets: Buckets, window: Window): number {
  if (isCalendar(buckets)) return bucketCount(buckets, window)
  return (startOfBucket(window.to, buckets) - startOfBucket(window.from, buckets)) / buckets.widthMs + 1
}

/** The end, exclusive, of the bucket that begins at `start`. */
export function endOfBucket(start: number, buckets: Buckets): number {
  return isCalendar(buckets) ? calendarEnd(buckets, start) : start + buckets.widthMs
}

function isCalendar(buckets: Buckets): buckets is CalendarBuckets {
  return 'edges' in buckets
}
