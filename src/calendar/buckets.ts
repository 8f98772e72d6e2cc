import type { CalendarBuckets } from './bucket-index.ts'
import { startAfter, unitStarts } from './calendar.ts'
import type { CalendarUnit } from './utc-calendar.ts'
import type { Window } from './window.ts'
import type { Zone } from './zone.ts'

const dayMinutes = 1440
const weekMinutes = 7 * dayMinutes

/**
 * The buckets of a window: calendar units, or a number of minutes within each local day. Undefined if the minutes neither divide a day nor
 * are a day or a week. The window should not extend far beyond the results.
 */
export function calendarBuckets(interval: number | CalendarUnit, zone: Zone, window: Window): CalendarBuckets | undefined {
  if (interval === dayMinutes) return wholeUnits('day', zone, window)
  if (interval === weekMinutes) return wholeUnits('week', zone, window)
  if (typeof interval === 'string') return wholeUnits(interval, zone, window)
  if (!Number.isInteger(interval) || interval < 1 || dayMinutes % interval !== 0) return undefined
  return { ...wholeUnits('day', zone, window), widthMs: interval * 60_000 }
}

function wholeUnits(unit: CalendarUnit, zone: Zone, { from, to }: Window): CalendarBuckets {
  return { edges: unitStarts(unit, zone, { from, to: startAfter(unit, to, zone) }), widthMs: null }
}
