import { dayMs } from '../time.ts'

export type CalendarUnit = 'day' | 'week' | 'month'

const weekMs = 7 * dayMs
/** A Monday, midnight UTC: the origin of weeks and buckets. */
export const mondayMs = Date.UTC(1970, 0, 5)

/** The start of the UTC day, week from Monday, or month that contains an instant. */
export function utcStartOf(unit: CalendarUnit, instant: number): number {
  switch (unit) {
    case 'day':
      return Math.floor(instant / dayMs) * dayMs
    case 'week':
      return mondayMs + Math.floor((instant - mondayMs) / weekMs) * weekMs
    case 'month':
      return monthStart(instant, 0)
  }
}

/** The start of the next unit after `instant`. */
export function utcStartAfter(unit: CalendarUnit, instant: number): number {
  switch (unit) {
    case 'day':
      return utcStartOf('day', instant) + dayMs
    case 'week':
      return utcStartOf('week', instant) + weekMs
    case 'month':
      return monthStart(instant, 1)
  }
}

function monthStart(instant: number, monthsLater: number): number {
  const date = new Date(instant)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater)
}
