import { minuteMs } from '../../time.ts'

/** Selectable bucket widths, in minutes. */
const bucketChoices = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080, 43_200] as const

/** The API's maximum number of rows per request. */
export const rowsPerCall = 100
const callsPerChart = 10

type Span = { readonly from: number; readonly to: number }

/** The finest width that needs one request and is no finer than the check's frequency. */
export function automaticBucket(span: Span, everyMinutes: number): number {
  const fits = (minutes: number) => bucketCount(span, minutes) <= rowsPerCall && minutes >= everyMinutes
  return bucketChoices.find(fits) ?? bucketChoices[bucketChoices.length - 1] ?? 43_200
}

/** Excludes widths that are too fine to draw or give a single bucket. */
export function possibleBuckets(span: Span): number[] {
  return bucketChoices.filter(
    (minutes) => bucketCount(span, minutes) <= rowsPerCall * callsPerChart && minutes * minuteMs < span.to - span.from,
  )
}

/** The number of requests for all buckets of a window. */
export function callsFor(span: Span, minutes: number): number {
  return Math.min(callsPerChart, Math.ceil(bucketCount(span, minutes) / rowsPerCall))
}

export function bucketLabel(minutes: number): string {
  if (minutes % 1440 === 0) return minutes === 1440 ? '1 day' : `${minutes / 1440} days`
  if (minutes % 60 === 0) return minutes === 60 ? '1 hour' : `${minutes / 60} hours`
  return `${minutes} min`
}

function bucketCount({ from, to }: Span, minutes: number): number {
  return Math.ceil((to - from) / (minutes * minuteMs)) + 1
}
