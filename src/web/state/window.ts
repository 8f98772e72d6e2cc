import type { Place } from './place.tsx'

export const presets = {
  last24Hours: 'Last 24 hours',
  last7Days: 'Last 7 days',
  last30Days: 'Last 30 days',
  thisWeek: 'This week',
  thisMonth: 'This month',
  lastWeek: 'Last week',
  lastMonth: 'Last month',
} as const

type Preset = keyof typeof presets

/** The window that is looked at: one of the presets, or any two instants (epoch milliseconds). */
export type TimeWindow = { readonly preset: Preset } | { readonly from: number; readonly to: number }

export function windowOf({ query }: Pick<Place, 'query'>): TimeWindow {
  const from = Date.parse(query.get('from') ?? '')
  const to = Date.parse(query.get('to') ?? '')
  if (from <= to) return { from, to }
  const preset = query.get('quickRange') ?? ''
  return { preset: isPreset(preset) ? preset : 'last24Hours' }
}

/** The changes to an address that make it look at this window. */
export function windowChanges(window: TimeWindow): Record<string, string | null> {
  if ('preset' in window) return { quickRange: window.preset === 'last24Hours' ? null : window.preset, from: null, to: null, page: null }
  return { quickRange: null, from: new Date(window.from).toISOString(), to: new Date(window.to).toISOString(), page: null }
}

/** The same words for the API. */
export function windowParameters(window: TimeWindow): [string, string][] {
  if ('preset' in window) return [['quickRange', window.preset]]
  return [
    ['from', new Date(window.from).toISOString()],
    ['to', new Date(window.to).toISOString()],
  ]
}

export function isPreset(name: string): name is Preset {
  return Object.hasOwn(presets, name)
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Its two ends when the clock shows `now`, in UTC with weeks from Monday, as the API counts. */
export function endsOf(window: TimeWindow, now: number): { readonly from: number; readonly to: number } {
  if (!('preset' in window)) return window
  const date = new Date(now)
  const day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate())
  const monday = day - ((date.getUTCDay() + 6) % 7) * dayMs
  const month = (offset: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1)
  switch (window.preset) {
    case 'last24Hours':
      return { from: now - dayMs, to: now }
    case 'last7Days':
      return { from: now - 7 * dayMs, to: now }
    case 'last30Days':
      return { from: now - 30 * dayMs, to: now }
    case 'thisWeek':
      return { from: monday, to: now }
    case 'thisMonth':
      return { from: month(0), to: now }
    case 'lastWeek':
      return { from: monday - 7 * dayMs, to: monday - 1 }
    case 'lastMonth':
      return { from: month(-1), to: month(0) - 1 }
  }
}
