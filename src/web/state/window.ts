import {
  type Edge,
  isCalendarRange,
  parseEdge,
  type QuickRange,
  quickRanges,
  resolveWindow,
  type ZoneCalendar,
} from '../../analytics/resolve-window.ts'
import { dayMs, hourMs, lastInstant, parseDay } from '../../time.ts'
import { isZone, readerZone } from './zone.ts'
import { localStart, startOfLocalDate } from './zone-calendar.ts'

/** Rolling windows without a name in the API, which are requested by start and end. */
const unnamedMs = { last1Hour: hourMs, last6Hours: 6 * hourMs, last90Days: 90 * dayMs } as const

export type Preset = QuickRange | keyof typeof unnamedMs

export const presets: Readonly<Record<Preset, string>> = {
  last1Hour: 'Last hour',
  last6Hours: 'Last 6 hours',
  last24Hours: 'Last 24 hours',
  last7Days: 'Last 7 days',
  last30Days: 'Last 30 days',
  last90Days: 'Last 90 days',
  thisWeek: 'This week',
  lastWeek: 'Last week',
  thisMonth: 'This month',
  lastMonth: 'Last month',
}

/** The selected window: a preset, or start and end in epoch milliseconds, where a null end means now. */
export type TimeWindow = { readonly preset: Preset } | { readonly from: number; readonly to: number | null }

export const defaultWindow: TimeWindow = { preset: 'last24Hours' }

type ReadWindow = {
  readonly window: TimeWindow
  /** The invalid part of the query, in which case the window is the default; null if the query is valid. */
  readonly fault: string | null
}

/** Parses the window of a URL like the API, but in the reader's zone. */
export function readWindow(query: URLSearchParams, now = Date.now()): ReadWindow {
  const faulty = (...names: readonly string[]) => ({
    window: defaultWindow,
    fault: names.map((name) => `${name}=${query.get(name)}`).join(' '),
  })
  const [from, to] = [edgeIn(query, 'from'), edgeIn(query, 'to')]
  if (from === undefined) return faulty('from')
  if (to === undefined) return faulty('to')
  const preset = query.get('quickRange') || 'last24Hours'
  if (from === null && to === null) return isPreset(preset) ? { window: { preset }, fault: null } : faulty('quickRange')
  const ends = resolveWindow({ quickRange: 'last24Hours', from, to }, now, readerCalendar)
  if (ends.from > ends.to) return to === null ? faulty('from') : faulty('from', 'to')
  return { window: to === null ? { from: ends.from, to: null } : ends, fault: null }
}

export function windowOf({ query }: { readonly query: URLSearchParams }): TimeWindow {
  return readWindow(query).window
}

/** Describes the fault of a URL's window or zone; null if it is valid. */
export function windowFault(query: URLSearchParams): string | null {
  const { fault } = readWindow(query)
  if (fault !== null) return `Invalid window: ${fault}. Showing the last 24 hours.`
  const zone = query.get('timezone')
  return zone === null || isZone(zone) ? null : `Unknown time zone ${zone}. Showing times in ${readerZone()}.`
}

function edgeIn(query: URLSearchParams, name: 'from' | 'to'): Edge | null | undefined {
  const text = query.get(name) ?? ''
  return text === '' ? null : parseEdge(text)
}

/** The query changes that select a window. Calendar windows include the zone, so that links mean the same days. */
export function windowChanges(window: TimeWindow): Record<string, string | null> {
  const none = { quickRange: null, from: null, to: null, timezone: null, page: null }
  if (!('preset' in window)) {
    return { ...none, from: new Date(window.from).toISOString(), to: window.to === null ? null : new Date(window.to).toISOString() }
  }
  if (window.preset === 'last24Hours') return none
  return { ...none, quickRange: window.preset, timezone: isOfCalendar(window.preset) ? readerZone() : null }
}

/** The window as parameters of the API. */
export function windowParameters(window: TimeWindow): [string, string][] {
  if (isNamed(window)) return [['quickRange', window.preset], ...(isOfCalendar(window.preset) ? zoneParameters() : [])]
  const { from, to } = endsOf(window, Date.now())
  return [
    ['from', new Date(from).toISOString()],
    ['to', new Date(to).toISOString()],
  ]
}

/** Formats a query with minimal escaping, because people copy these URLs. Only a plus sign is escaped, as in zone names. */
export function queryText(parameters: readonly (readonly string[])[]): string {
  return parameters.map(([name = '', value = '']) => `${name}=${value.replaceAll('+', '%2B')}`).join('&')
}

/** The reader's zone as a parameter of the API. UTC is the default. */
export function zoneParameters(): [string, string][] {
  const zone = readerZone()
  return zone === 'UTC' ? [] : [['timezone', zone]]
}

/** Whether the API has a name for the window, so that a request with it moves with the clock. */
export function isNamed(window: TimeWindow): window is { readonly preset: QuickRange } {
  return 'preset' in window && isQuickRange(window.preset)
}

export function isQuickRange(name: string): name is QuickRange {
  return quickRanges.some((range) => range === name)
}

function isPreset(name: string): name is Preset {
  return Object.hasOwn(presets, name)
}

function isOfCalendar(preset: Preset): boolean {
  return isQuickRange(preset) && isCalendarRange(preset)
}

/** Resolves start and end at the instant `now`. */
export function endsOf(window: TimeWindow, now: number): { readonly from: number; readonly to: number } {
  if (!('preset' in window)) return { from: window.from, to: window.to ?? Math.max(window.from, now) }
  const { preset } = window
  if (!isQuickRange(preset)) return { from: now - unnamedMs[preset], to: now }
  return resolveWindow({ quickRange: preset, from: null, to: null }, now, readerCalendar)
}

/** Days, weeks and months in the reader's zone. */
const readerCalendar: ZoneCalendar = {
  dateEdge(date, side) {
    const day = parseDay(date) ?? 0
    const zone = readerZone()
    return side === 'from' ? Math.max(0, startOfLocalDate(day, zone)) : Math.min(lastInstant, startOfLocalDate(day + dayMs, zone) - 1)
  },
  rangeWindow(range, now) {
    const unit = range.endsWith('Week') ? 'week' : 'month'
    const start = localStart(unit, now, readerZone())
    if (range.startsWith('this')) return { from: start, to: now }
    return { from: localStart(unit, start - 1, readerZone()), to: start - 1 }
  },
}
