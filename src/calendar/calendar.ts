import type { Temporal } from 'temporal-polyfill'
import { dayMs } from '../time.ts'
import type { OffsetSegments } from './local-fields.ts'
import { offsetSegments } from './offsets.ts'
import { temporal } from './temporal.ts'
import { type CalendarUnit, utcStartAfter, utcStartOf } from './utc-calendar.ts'
import type { Window } from './window.ts'
import { isUtc, type Zone } from './zone.ts'

/**
 * The start of the local day, week from Monday, or month that contains an instant: the first instant of its first day. Units are
 * contiguous: if clocks go back across midnight, the repeated time stays with the day that had begun.
 */
export function startOf(unit: CalendarUnit, instant: number, zone: Zone): number {
  if (isUtc(zone)) return utcStartOf(unit, instant)
  const first = firstDate(unit, localDate(instant, zone))
  const next = startOfDate(first.add(one[unit]), zone)
  return next <= instant ? next : startOfDate(first, zone)
}

/** The start of the next unit after `instant`. */
export function startAfter(unit: CalendarUnit, instant: number, zone: Zone): number {
  if (isUtc(zone)) return utcStartAfter(unit, instant)
  return startAfterStart(unit, startOf(unit, instant, zone), zone)
}

/** The start of the unit before the one that contains `instant`. */
export function startBefore(unit: CalendarUnit, instant: number, zone: Zone): number {
  return startOf(unit, startOf(unit, instant, zone) - 1, zone)
}

/** The starts of all units that touch a window, ascending. */
export function unitStarts(unit: CalendarUnit, zone: Zone, { from, to }: Window): Float64Array {
  const first = startOf(unit, from, zone)
  const after = nextStarts(unit, zone, { from: first, to })
  const starts: number[] = []
  for (let start = first; start <= to; ) {
    starts.push(start)
    const next = after(start)
    if (!(next > start)) throw new RangeError(`The ${unit} of ${zone.name} after ${start} starts at ${next}, which is not after it`)
    start = next
  }
  return Float64Array.from(starts)
}

/** The first instant of a local date, or of the next existing date if the zone skipped it. */
export function startOfDate(date: Temporal.PlainDate, zone: Zone): number {
  return date.toZonedDateTime(zone.name).epochMilliseconds
}

const one = { day: { days: 1 }, week: { weeks: 1 }, month: { months: 1 } } as const
const longestUnitMs = 32 * dayMs

function localDate(instant: number, zone: Zone): Temporal.PlainDate {
  return temporal().Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone.name).toPlainDate()
}

function firstDate(unit: CalendarUnit, date: Temporal.PlainDate): Temporal.PlainDate {
  if (unit === 'day') return date
  return unit === 'week' ? date.subtract({ days: date.dayOfWeek - 1 }) : date.with({ day: 1 })
}

function startAfterStart(unit: CalendarUnit, start: number, zone: Zone): number {
  return startOfDate(firstDate(unit, localDate(start, zone)).add(one[unit]), zone)
}

/** Steps from each start to the next. The library is needed only for units in which the offset changes. */
function nextStarts(unit: CalendarUnit, zone: Zone, { from, to }: Window): (start: number) => number {
  const segments = offsetSegments(zone, { from, to: to + longestUnitMs })
  let segment = 0
  return (start) => {
    while (segmentEnd(segments, segment) <= start) segment++
    const offsetMs = segments.offsetsMs[segment] as number
    const next = utcStartAfter(unit, start + offsetMs) - offsetMs
    return segmentEnd(segments, segment) > next ? next : startAfterStart(unit, start, zone)
  }
}

const segmentEnd = ({ starts }: OffsetSegments, segment: number) => starts[segment + 1] ?? Infinity
