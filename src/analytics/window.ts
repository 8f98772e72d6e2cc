import { calendarBuckets } from '../calendar/buckets.ts'
import { calendarWindow, dateEnd, dateStart } from '../calendar/presets.ts'
import { type CalendarUnit, mondayMs } from '../calendar/utc-calendar.ts'
import { isUtc, utc, type Zone } from '../calendar/zone.ts'
import { apiError } from '../errors.ts'
import type { Buckets, Window } from '../store/store.ts'
import { dayMs, minuteMs } from '../time.ts'
import { type Edge, presetWindow, type QuickRange, resolveWindow } from './resolve-window.ts'

export type WindowRequest = {
  readonly quickRange: QuickRange
  readonly from: Edge | null
  readonly to: Edge | null
  /** Null if none was requested: then it is UTC. */
  readonly timezone: Zone | null
}

/** The requested window; `from` and `to` take precedence over the preset. */
export function chooseWindow({ timezone, ...asked }: WindowRequest, now: number): Window {
  const zone = timezone ?? utc
  const window = resolveWindow(asked, now, {
    dateEdge: (date, side) => edgeInstant({ date }, side, zone),
    rangeWindow: (range) => (isUtc(zone) ? presetWindow(range, now) : calendarWindow(range, now, zone)),
  })
  if (window.from > window.to) throw apiError('INVALID_WINDOW')
  return window
}

/** The instant of an edge. A date is its first millisecond, or as `to` its last. */
export function edgeInstant(edge: Edge, side: 'from' | 'to', zone: Zone): number {
  if (typeof edge === 'number') return edge
  const instant = side === 'from' ? dateStart(edge.date, zone) : dateEnd(edge.date, zone)
  if (instant === undefined) throw new RangeError(`${edge.date} is not a date`)
  return instant
}

export const calendarUnits = ['day', 'week', 'month'] as const satisfies readonly CalendarUnit[]

/** The width of buckets: minutes, or a unit of the calendar. */
export type BucketWidth = number | CalendarUnit

/** The buckets of a window. Buckets of minutes in UTC are aligned to the clock; a bucket at least as wide as the window starts with it. */
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
