import { memoize } from '../cache/cache.ts'
import { dayMs } from '../time.ts'
import { startAfter, unitStarts } from './calendar.ts'
import { offsetSegments } from './offsets.ts'
import { temporal } from './temporal.ts'
import type { Window } from './window.ts'
import type { Zone } from './zone.ts'

const minuteMs = 60_000

/** A local day; `date` is its date as midnight UTC, so that the UTC fields of a Date can be used. */
export type LocalDay = {
  readonly start: number
  readonly date: Date
  /** The instant at which clocks show this many minutes after midnight; 1440 is the start of the next day. */
  readonly at: (minutes: number) => number
}

/** The local days that touch a window, and the day after. Dates that the zone skipped are left out. */
export function localDays(zone: Zone, { from, to }: Window): readonly LocalDay[] {
  const starts = unitStarts('day', zone, { from, to: startAfter('day', to, zone) })
  const { starts: changes, offsetsMs } = offsetSegments(zone, { from: starts[0] ?? from, to: to + 4 * dayMs })
  let segment = 0
  return Array.from(starts, (start, i) => {
    const end = starts[i + 1] ?? startAfter('day', start, zone)
    while (segment + 1 < changes.length && (changes[segment + 1] as number) <= start) segment++
    const isRegular = (changes[segment] as number) < start && (changes[segment + 1] ?? Infinity) >= end
    const date = new Date(Math.floor((start + (offsetsMs[segment] as number)) / dayMs) * dayMs)
    const clock = isRegular ? (minutes: number) => start + minutes * minuteMs : irregularClock(zone, date)
    return { start, date, at: (minutes) => (minutes === 1440 ? end : clock(minutes)) }
  })
}

/** Instants by minutes after midnight, of days on which clocks change: a schedule of every minute asks for all of them again and again. */
const irregularDays = memoize<Map<number, number>>(256)

function irregularClock(zone: Zone, date: Date): (minutes: number) => number {
  const instants = irregularDays(`${zone.name} ${date.getTime()}`, () => new Map())
  return (minutes) => {
    const instant = instants.get(minutes) ?? clockInstant(zone, date, minutes)
    instants.set(minutes, instant)
    return instant
  }
}

/** A time that clocks skip moves forward by the skipped time; of a repeated time, the first one counts. */
function clockInstant(zone: Zone, date: Date, minutes: number): number {
  const { PlainDateTime } = temporal()
  const local = new PlainDateTime(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate(), Math.floor(minutes / 60), minutes % 60)
  return local.toZonedDateTime(zone.name, { disambiguation: 'compatible' }).epochMilliseconds
}
