import type { CalendarUnit } from '../../calendar/utc-calendar.ts'
import { minuteMs } from '../../time.ts'
import { readerZone } from './zone.ts'
import { localNext } from './zone-calendar.ts'

/** The width of buckets: minutes, or a unit of the reader's calendar. */
export type ChartInterval = number | CalendarUnit

/** Selectable bucket widths. The minutes divide a day. */
const bucketChoices: readonly ChartInterval[] = [1, 2, 5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 720, 'day', 'week', 'month']

const unitMinutes = { day: 1440, week: 10_080, month: 43_200 } as const

/** The API's maximum number of rows per request. */
export const rowsPerCall = 100
const callsPerChart = 10

type WindowEnds = { readonly from: number; readonly to: number }

/** From this number of runs, one more or less in a bucket is hardly visible. */
const manyRuns = 12

/**
 * The finest width that needs one request, is not finer than the check's frequency, and has about the same number of runs in every bucket.
 */
export function automaticBucket(span: WindowEnds, everyMinutes: number): ChartInterval {
  const isEven = (minutes: number) => everyMinutes === 0 || minutes % everyMinutes === 0 || minutes >= manyRuns * everyMinutes
  const fits = (width: ChartInterval) =>
    bucketCount(span, width) <= rowsPerCall && minutesOf(width) >= everyMinutes && isEven(minutesOf(width))
  return bucketChoices.find(fits) ?? 'month'
}

/** Excludes widths that are too fine to draw, or that give a single bucket. */
export function possibleBuckets(span: WindowEnds): ChartInterval[] {
  return bucketChoices.filter(
    (width) => bucketCount(span, width) <= rowsPerCall * callsPerChart && minutesOf(width) * minuteMs < span.to - span.from,
  )
}

/** The bucket width in a URL, by name or in minutes; null if it is not possible. */
export function bucketIn(query: URLSearchParams, span: WindowEnds): ChartInterval | null {
  const text = query.get('aggregationInterval')
  return possibleBuckets(span).find((width) => text === String(width) || text === String(minutesOf(width))) ?? null
}

/** The number of requests needed for all buckets of a window. */
export function callsFor(span: WindowEnds, width: ChartInterval): number {
  return Math.min(callsPerChart, Math.ceil(bucketCount(span, width) / rowsPerCall))
}

export function bucketLabel(width: ChartInterval): string {
  if (typeof width === 'string') return `1 ${width}`
  if (width % 60 === 0) return width === 60 ? '1 hour' : `${width / 60} hours`
  return `${width} min`
}

/** The start of the next bucket. Buckets longer than an hour end with the local day at the latest, because clocks may change. */
export function bucketAfter(start: number, width: ChartInterval | null): number {
  if (width === null) return Number.POSITIVE_INFINITY
  if (typeof width === 'string') return localNext(width, start, readerZone())
  const end = start + width * minuteMs
  return width <= 60 ? end : Math.min(end, localNext('day', start, readerZone()))
}

function minutesOf(width: ChartInterval): number {
  return typeof width === 'string' ? unitMinutes[width] : width
}

/** An upper bound: one more at either end, or where clocks change. */
function bucketCount({ from, to }: WindowEnds, width: ChartInterval): number {
  return Math.ceil((to - from) / (minutesOf(width) * minuteMs)) + 2
}
