import { calendarBuckets } from '../calendar/buckets.ts'
import type { CalendarUnit } from '../calendar/utc-calendar.ts'
import { isUtc, type Zone } from '../calendar/zone.ts'
import { apiError } from '../errors.ts'
import type { Buckets, Window } from '../store/store.ts'
import { dayMs, minuteMs } from '../time.ts'
import { mondayMs } from './quick-range.ts'

export const calendarUnits = ['day', 'week', 'month'] as const satisfies readonly CalendarUnit[]

/** The width of buckets: minutes, or a unit of the calendar. */
export type BucketWidth = number | CalendarUnit

/** The buckets of a window. Minutes in UTC are aligned to the clock, and one bucket as wide as the window or wider starts with it. */
export function bucketsOf(interval: BucketWidth, zone: Zone, window: Window, now: number): Buckets {
  if (typeof interval === 'number' && isUtc(zone)) return fixedBuckets(interval * minuteMs, window)
  const buckets = calendarBuckets(interval, zone, withResults(window, now))
  if (!buckets)
    throw apiError('INVALID_PARAMETER', {
      name: 'aggregationInterval',
      expected: 'minutes that divide a day (1440), or 10080, or day, week or month, in a zone other than UTC',
    })
  return buckets
}

function fixedBuckets(widthMs: number, { from, to }: Window): Buckets {
  return widthMs >= to - from ? { originMs: from, widthMs: to - from + 1 } : { originMs: mondayMs, widthMs }
}

/** The part of a window that can hold results: none starts much after now. */
function withResults({ from, to }: Window, now: number): Window {
  return { from, to: Math.max(from, Math.min(to, now + dayMs)) }
}
