import { dayMs, lastInstant, parseDay } from '../time.ts'
import { startBefore, startOf, startOfDate } from './calendar.ts'
import { temporal } from './temporal.ts'
import type { Window } from './window.ts'
import { isUtc, type Zone } from './zone.ts'

export const calendarRanges = ['thisWeek', 'thisMonth', 'lastWeek', 'lastMonth'] as const
type CalendarRange = (typeof calendarRanges)[number]

const unitOf = { thisWeek: 'week', lastWeek: 'week', thisMonth: 'month', lastMonth: 'month' } as const

/** The window of a calendar preset in a zone. A current unit ends now, the last one with its last millisecond. */
export function calendarWindow(range: CalendarRange, now: number, zone: Zone): Window {
  const start = startOf(unitOf[range], now, zone)
  return isCurrent(range) ? { from: start, to: now } : unitBefore(range, start, zone)
}

/** The whole calendar week or month before the window of a preset. */
export function windowBefore(range: CalendarRange, { from }: Window, zone: Zone): Window {
  return unitBefore(range, from, zone)
}

/** The first instant of a local date such as `2026-10-25`; undefined if the calendar has no such date. */
export function dateStart(text: string, zone: Zone): number | undefined {
  const start = startOfText(text, zone, 0)
  return start === undefined ? undefined : Math.max(0, start)
}

/** The last millisecond of a local date. */
export function dateEnd(text: string, zone: Zone): number | undefined {
  const next = startOfText(text, zone, 1)
  return next === undefined ? undefined : Math.min(lastInstant, next - 1)
}

const isCurrent = (range: CalendarRange) => range === 'thisWeek' || range === 'thisMonth'

function unitBefore(range: CalendarRange, start: number, zone: Zone): Window {
  return { from: startBefore(unitOf[range], start, zone), to: start - 1 }
}

function startOfText(text: string, zone: Zone, daysLater: 0 | 1): number | undefined {
  const date = parseDay(text)
  if (date === undefined) return undefined
  if (isUtc(zone)) return date + daysLater * dayMs
  return startOfDate(temporal().PlainDate.from(text).add({ days: daysLater }), zone)
}
