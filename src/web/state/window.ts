import { presetWindow, type QuickRange, quickRanges } from '../../analytics/quick-range.ts'
import { dayMs, hourMs } from '../../time.ts'

/** Rolling windows that the API has no name for; it is asked for their two ends. */
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

/** The selected window: a preset, or two instants in epoch milliseconds. */
export type TimeWindow = { readonly preset: Preset } | { readonly from: number; readonly to: number }

export const defaultWindow: TimeWindow = { preset: 'last24Hours' }

export function windowOf({ query }: { readonly query: URLSearchParams }): TimeWindow {
  const from = Date.parse(query.get('from') ?? '')
  const to = Date.parse(query.get('to') ?? '')
  if (from <= to) return { from, to }
  const preset = query.get('quickRange') ?? ''
  return { preset: isPreset(preset) ? preset : 'last24Hours' }
}

/** The changes to the query of a URL that select this window. */
export function windowChanges(window: TimeWindow): Record<string, string | null> {
  if ('preset' in window) return { quickRange: window.preset === 'last24Hours' ? null : window.preset, from: null, to: null, page: null }
  return { quickRange: null, from: new Date(window.from).toISOString(), to: new Date(window.to).toISOString(), page: null }
}

/** The same as parameters of the API. */
export function windowParameters(window: TimeWindow): [string, string][] {
  if (isNamed(window)) return [['quickRange', window.preset]]
  const { from, to } = endsOf(window, Date.now())
  return [
    ['from', new Date(from).toISOString()],
    ['to', new Date(to).toISOString()],
  ]
}

/** Whether the API has a name for the window, so that a request for it goes with the clock. */
export function isNamed(window: TimeWindow): window is { readonly preset: QuickRange } {
  return 'preset' in window && isQuickRange(window.preset)
}

export function isQuickRange(name: string): name is QuickRange {
  return quickRanges.some((range) => range === name)
}

function isPreset(name: string): name is Preset {
  return Object.hasOwn(presets, name)
}

/** Its two ends at the instant `now`. */
export function endsOf(window: TimeWindow, now: number): { readonly from: number; readonly to: number } {
  if (!('preset' in window)) return window
  const { preset } = window
  return isQuickRange(preset) ? presetWindow(preset, now) : { from: now - unnamedMs[preset], to: now }
}
