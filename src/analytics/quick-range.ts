import type { Window } from '../store/store.ts'
import { dayMs } from '../time.ts'

export const quickRanges = ['last24Hours', 'last7Days', 'last30Days', 'thisWeek', 'thisMonth', 'lastWeek', 'lastMonth'] as const
export type QuickRange = (typeof quickRanges)[number]

/** A Monday, midnight UTC: the origin of weeks and buckets. */
export const mondayMs = Date.UTC(1970, 0, 5)

/** The window of a preset, in UTC, at the instant `now`. */
export function presetWindow(range: QuickRange, now: number): Window {
  const { week, month } = calendarStarts(now)
  switch (range) {
    case 'last24Hours':
      return { from: now - dayMs, to: now }
    case 'last7Days':
      return { from: now - 7 * dayMs, to: now }
    case 'last30Days':
      return { from: now - 30 * dayMs, to: now }
    case 'thisWeek':
      return { from: week, to: now }
    case 'thisMonth':
      return { from: month, to: now }
    case 'lastWeek':
      return { from: week - 7 * dayMs, to: week - 1 }
    case 'lastMonth':
      return { from: monthStart(month - 1), to: month - 1 }
  }
}

function calendarStarts(now: number): { readonly week: number; readonly month: number } {
  const sinceMonday = (((now - mondayMs) % (7 * dayMs)) + 7 * dayMs) % (7 * dayMs)
  return { week: now - sinceMonday, month: monthStart(now) }
}

function monthStart(instant: number): number {
  const date = new Date(instant)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}
