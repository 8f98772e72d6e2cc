import { dayMs } from '../time.ts'
import type { Edge } from './edge.ts'
import { presetWindow, type QuickRange } from './quick-range.ts'

type Span = { readonly from: number; readonly to: number }

const rollingRanges = ['last24Hours', 'last7Days', 'last30Days'] as const
export type CalendarRange = Exclude<QuickRange, (typeof rollingRanges)[number]>

/** The days, weeks and months of a zone. The server and the page each have their own; what windows mean is below. */
export type ZoneCalendar = {
  /** The instant of a date: its first millisecond, or as `to` its last. */
  dateEdge(date: string, side: 'from' | 'to'): number
  rangeWindow(range: CalendarRange, now: number): Span
}

type Asked = { readonly quickRange: QuickRange; readonly from: Edge | null; readonly to: Edge | null }

/** The window that is asked for: from and to before the preset. Its ends may be in the wrong order. */
export function resolveWindow({ quickRange, from, to }: Asked, now: number, calendar: ZoneCalendar): Span {
  const instant = (edge: Edge, side: 'from' | 'to') => (typeof edge === 'number' ? edge : calendar.dateEdge(edge.date, side))
  if (from === null && to === null)
    return isCalendarRange(quickRange) ? calendar.rangeWindow(quickRange, now) : presetWindow(quickRange, now)
  const end = to === null ? now : instant(to, 'to')
  return { from: from === null ? Math.max(0, end - dayMs) : instant(from, 'from'), to: end }
}

export function isCalendarRange(range: QuickRange): range is CalendarRange {
  return !rollingRanges.some((rolling) => rolling === range)
}
