import { apiError } from '../errors.ts'
import type { Window } from '../store/store.ts'

export const quickRanges = ['last24Hours', 'last7Days', 'last30Days', 'thisWeek', 'thisMonth', 'lastWeek', 'lastMonth'] as const
export type QuickRange = (typeof quickRanges)[number]

const dayMs = 86_400_000
/** A Monday, midnight UTC: what weeks and buckets are counted from. */
export const mondayMs = Date.UTC(1970, 0, 5)
const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
const firstUnixMs = 100_000_000_000

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

/** Epoch milliseconds of a time as clients write it, or undefined. A date is its first millisecond, or as `to` its last. */
export function parseInstant(text: string, edge: 'from' | 'to'): number | undefined {
  const instant = parseUnix(text) ?? parseDate(text, edge) ?? parseTimestamp(text)
  return instant !== undefined && instant >= 0 && instant <= lastMs ? instant : undefined
}

function calendarStarts(now: number): { readonly week: number; readonly month: number } {
  const sinceMonday = (((now - mondayMs) % (7 * dayMs)) + 7 * dayMs) % (7 * dayMs)
  return { week: now - sinceMonday, month: monthStart(now) }
}

function monthStart(instant: number): number {
  const date = new Date(instant)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

function parseUnix(text: string): number | undefined {
  const match = /^([0-9]{1,15})(?:\.([0-9]{1,20}))?$/.exec(text)
  if (!match) return undefined
  const whole = Number(match[1])
  if (whole < firstUnixMs) return whole * 1000 + milliseconds(match[2])
  return match[2] === undefined ? whole : undefined
}

function parseDate(text: string, edge: 'from' | 'to'): number | undefined {
  const match = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text)
  const start = match ? dayStart(Number(match[1]), Number(match[2]), Number(match[3])) : undefined
  if (start === undefined) return undefined
  return edge === 'to' ? start + dayMs - 1 : start
}

/** A blank before an offset is a plus that was not escaped in the address. */
const timestamp =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:\.([0-9]{1,20}))?)?(?:Z|([-+ ])([01][0-9]|2[0-3]):?([0-5][0-9]))$/

function parseTimestamp(text: string): number | undefined {
  const match = timestamp.exec(text)
  if (!match) return undefined
  const [, year, month, day, hour, minute, second = '0', fraction, sign, offsetHour = '0', offsetMinute = '0'] = match
  const start = dayStart(Number(year), Number(month), Number(day))
  if (start === undefined) return undefined
  const time = (Number(hour) * 60 + Number(minute)) * 60_000 + Number(second) * 1000 + milliseconds(fraction)
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000
  return start + time + (sign === '-' ? offset : -offset)
}

/** The day's midnight in UTC; undefined for a day that does not exist. */
function dayStart(year: number, month: number, day: number): number | undefined {
  if (year < 1970) return undefined
  const start = Date.UTC(year, month - 1, day)
  const date = new Date(start)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? start : undefined
}

function milliseconds(fraction = ''): number {
  return Number(fraction.slice(0, 3).padEnd(3, '0'))
}
