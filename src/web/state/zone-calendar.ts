import { type CalendarUnit, utcStartAfter, utcStartOf } from '../../calendar/utc-calendar.ts'
import { dayMs } from '../../time.ts'

/*
 * Days, weeks and months of a time zone, computed with Intl. The server uses Temporal, which browsers lack and whose polyfill is as large
 * as the rest of the page. A test compares the two.
 */

/** The start of the local day, week (from Monday) or month that contains an instant. */
export function localStart(unit: CalendarUnit, at: number, zone: string): number {
  const date = localDate(at, zone)
  const next = startOfLocalDate(utcStartAfter(unit, date), zone)
  return next <= at ? next : startOfLocalDate(utcStartOf(unit, date), zone)
}

/** The start of the next unit. */
export function localNext(unit: CalendarUnit, at: number, zone: string): number {
  return startOfLocalDate(utcStartAfter(unit, localDate(localStart(unit, at, zone), zone)), zone)
}

/** The date of an instant, as its midnight in UTC. */
export function localDate(at: number, zone: string): number {
  return utcStartOf('day', wallTime(at, zone))
}

/** The local clock time at an instant, as if it were UTC. */
export function wallTime(at: number, zone: string): number {
  return at + offsetAt(at, zone)
}

/** The instant at which clocks show a time: the first of two. A skipped time is shifted by the length of the gap. */
export function instantOfWallTime(wall: number, zone: string): number {
  return instantsOfWallTime(wall, zone)[0] ?? wall - offsetAt(wall - dayMs, zone)
}

/** The first instant of a date, given as its midnight in UTC. If the zone skips the date, that of the next date. */
export function startOfLocalDate(date: number, zone: string): number {
  return instantsOfWallTime(date, zone)[0] ?? offsetChange(date - dayMs, date + dayMs, zone)
}

/** None if clocks skip the time, two if they show it twice. */
function instantsOfWallTime(wall: number, zone: string): readonly number[] {
  const offsets = [wall - dayMs, wall + dayMs].map((near) => offsetAt(near, zone))
  const instants = offsets.filter((offset) => offsetAt(wall - offset, zone) === offset).map((offset) => wall - offset)
  return instants.sort((a, b) => a - b)
}

/** The instant between two others at which the offset changes. */
function offsetChange(before: number, after: number, zone: string): number {
  let [low, high] = [before, after]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle, zone) === offsetAt(before, zone)) low = middle
    else high = middle
  }
  return high
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** The offset of a zone from UTC, in milliseconds. */
function offsetAt(at: number, zone: string): number {
  if (zone === 'UTC') return 0
  const clock = clocks.get(zone) ?? clockOf(zone)
  clocks.set(zone, clock)
  const [month = 1, day, year = 0, hour, minute, second] = (clock.format(at).match(/\d+/g) ?? []).map(Number)
  const shown = Date.UTC(year, month - 1, day, hour, minute, second)
  return shown - Math.floor(at / 1000) * 1000
}

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const two = '2-digit'
  return new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: two,
    day: two,
    hour: two,
    minute: two,
    second: two,
  })
}
