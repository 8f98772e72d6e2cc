import { presetWindow, type QuickRange } from '../../analytics/quick-range.ts'
import type { Route } from './route.tsx'

export const presets: Readonly<Record<QuickRange, string>> = {
  last24Hours: 'Last 24 hours',
  last7Days: 'Last 7 days',
  last30Days: 'Last 30 days',
  thisWeek: 'This week',
  thisMonth: 'This month',
  lastWeek: 'Last week',
  lastMonth: 'Last month',
}

/** The selected window: a preset, or two instants in epoch milliseconds. */
export type TimeWindow = { readonly preset: QuickRange } | { readonly from: number; readonly to: number }

export const defaultWindow: TimeWindow = { preset: 'last24Hours' }

export function windowOf({ query }: Pick<Route, 'query'>): TimeWindow {
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
  if ('preset' in window) return [['quickRange', window.preset]]
  return [
    ['from', new Date(window.from).toISOString()],
    ['to', new Date(window.to).toISOString()],
  ]
}

export function isPreset(name: string): name is QuickRange {
  return Object.hasOwn(presets, name)
}

/** Its two ends at the instant `now`. */
export function endsOf(window: TimeWindow, now: number): { readonly from: number; readonly to: number } {
  return 'preset' in window ? presetWindow(window.preset, now) : window
}
