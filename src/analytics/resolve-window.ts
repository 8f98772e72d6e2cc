import { utcStartOf } from '../calendar/utc-calendar.ts'
import type { Window } from '../store/store.ts'
import { dayMs, parseDay, parseEpoch, parseInstant } from '../time.ts'

export const quickRanges = ['last24Hours', 'last7Days', 'last30Days', 'thisWeek', 'thisMonth', 'lastWeek', 'lastMonth'] as const
export type QuickRange = (typeof quickRanges)[number]

/** An end of a window as a client sends it: an instant, or a date in the zone of the window. */
export type Edge = number | { readonly date: string }

const rollingRanges = ['last24Hours', 'last7Days', 'last30Days'] as const
type CalendarRange = Exclude<QuickRange, (typeof rollingRanges)[number]>

/**
 * The days, weeks and months of a zone. The server and the page each have their own implementation; the meaning of windows is defined below
 * for both.
 */
export type ZoneCalendar = {
  /** The instant of a date: its first millisecond, or as `to` its last. */
  dateEdge(date: string, side: 'from' | 'to'): number
  rangeWindow(range: CalendarRange, now: number): Window
}

type WindowChoice = { readonly quickRange: QuickRange; readonly from: Edge | null; readonly to: Edge | null }

/** The requested window; `from` and `to` take precedence over the preset. Its ends may be in the wrong order. */
export function resolveWindow({ quickRange, from, to }: WindowChoice, now: number, calendar: ZoneCalendar): Window {
  const instant = (edge: Edge, side: 'from' | 'to') => (typeof edge === 'number' ? edge : calendar.dateEdge(edge.date, side))
  if (from === null && to === null)
    return isCalendarRange(quickRange) ? calendar.rangeWindow(quickRange, now) : presetWindow(quickRange, now)
  const end = to === null ? now : instant(to, 'to')
  return { from: from === null ? Math.max(0, end - dayMs) : instant(from, 'from'), to: end }
}

export function isCalendarRange(range: QuickRange): range is CalendarRange {
  return !rollingRanges.some((rolling) => rolling === range)
}

/** The window of a preset, in UTC, at the instant `now`. */
export function presetWindow(range: QuickRange, now: number): Window {
  switch (range) {
    case 'last24Hours':
      return { from: now - dayMs, to: now }
    case 'last7Days':
      return { from: now - 7 * dayMs, to: now }
    case 'last30Days':
      return { from: now - 30 * dayMs, to: now }
    case 'thisWeek':
      return { from: utcStartOf('week', now), to: now }
    case 'thisMonth':
      return { from: utcStartOf('month', now), to: now }
    case 'lastWeek':
      return lastWhole('week', now)
    case 'lastMonth':
      return lastWhole('month', now)
  }
}

function lastWhole(unit: 'week' | 'month', now: number): Window {
  const to = utcStartOf(unit, now) - 1
  return { from: utcStartOf(unit, to), to }
}

/** An edge as clients write it; undefined for anything else, such as 30 February. */
export function parseEdge(text: string): Edge | undefined {
  return parseEpoch(text) ?? parseDate(text) ?? parseInstant(withPlus(text))
}

function parseDate(text: string): Edge | undefined {
  return parseDay(text) === undefined ? undefined : { date: text }
}

/** A blank before an offset is a plus that was not escaped in the address. */
function withPlus(text: string): string {
  return text.replace(/ (?=[0-9]{2}(:?[0-9]{2})?$)/, '+')
}
