import { apiError } from '../errors.ts'
import { parseEpoch, parseInstant } from '../instant.ts'
import type { Window } from '../store/store.ts'

export const quickRanges = ['last24Hours', 'last7Days', 'last30Days', 'thisWeek', 'thisMonth', 'lastWeek', 'lastMonth'] as const
export type QuickRange = (typeof quickRanges)[number]

const dayMs = 86_400_000
/** A Monday, midnight UTC: what weeks and buckets are counted from. */
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

export type WindowRequest = { readonly quickRange: QuickRange; readonly from: number | null; readonly to: number | null }

/** The window that is asked for: from and to before the preset. */
export function chooseWindow({ quickRange, from, to }: WindowRequest, now: number): Window {
  if (from === null && to === null) return presetWindow(quickRange, now)
  const end = to ?? now
  const window = { from: from ?? Math.max(0, end - dayMs), to: end }
  if (window.from > window.to) throw apiError('INVALID_WINDOW')
  return window
}

/** Epoch milliseconds of an end of a window as clients write it, or undefined. A date is its first millisecond, or as `to` its last. */
export function parseEdge(text: string, edge: 'from' | 'to'): number | undefined {
  return parseEpoch(text) ?? parseDate(text, edge) ?? parseInstant(withPlus(text))
}

function calendarStarts(now: number): { readonly week: number; readonly month: number } {
  const sinceMonday = (((now - mondayMs) % (7 * dayMs)) + 7 * dayMs) % (7 * dayMs)
  return { week: now - sinceMonday, month: monthStart(now) }
}

function monthStart(instant: number): number {
  const date = new Date(instant)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

function parseDate(text: string, edge: 'from' | 'to'): number | undefined {
  const start = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) ? parseInstant(`${text}T00:00Z`) : undefined
  return start !== undefined && edge === 'to' ? start + dayMs - 1 : start
}

/** A blank before an offset is a plus that was not escaped in the address. */
function withPlus(text: string): string {
  return text.replace(/ (?=[0-9]{2}(:?[0-9]{2})?$)/, '+')
}
