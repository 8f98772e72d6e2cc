import { isCalendarRange } from '../../analytics/resolve-window.ts'
import { badgeThemes, styles } from '../../badges/themes.ts'
import type { CheckType } from '../api/answers.ts'
import { aggregationChoices } from '../check/check-options.ts'
import type { Route } from '../state/route.tsx'
import { isQuickRange, zoneParameters } from '../state/window.ts'

/** The badge options in the URL. */
export type BadgeState = {
  readonly style: string
  readonly theme: string
  /** `state`, `responseTime` or `metric`. */
  readonly shows: string
  readonly metric: string
  readonly range: string
  readonly label: string
}

export function badgeState({ query }: Pick<Route, 'query'>): BadgeState {
  const range = query.get('range') ?? ''
  const metric = query.get('metric') ?? ''
  return {
    style: styles.find((style) => style === query.get('style')) ?? styles[0],
    theme: badgeThemes.find((theme) => theme === query.get('theme')) ?? badgeThemes[0],
    shows: metric === '' ? (query.get('responseTime') === 'true' ? 'responseTime' : 'state') : 'metric',
    metric,
    range: isQuickRange(range) ? range : 'last24Hours',
    label: query.get('label') ?? '',
  }
}

/** The URL of the badge without default values. Calendar ranges use the time zone of the person who creates the badge. */
export function badgePath(id: string, { style, theme, shows, metric, range, label }: BadgeState): string {
  const said = new URLSearchParams()
  if (style !== styles[0]) said.set('style', style)
  if (theme !== badgeThemes[0]) said.set('theme', theme)
  if (shows === 'responseTime') said.set('responseTime', 'true')
  if (shows === 'metric') said.set('metric', metric)
  if (shows === 'metric' && range !== 'last24Hours') said.set('range', range)
  if (shows === 'metric' && isQuickRange(range) && isCalendarRange(range)) for (const [name, zone] of zoneParameters()) said.set(name, zone)
  if (label !== '') said.set('label', label)
  const text = said.toString()
  return `/v1/badges/checks/${id}${text === '' ? '' : `?${text}`}`
}

/** Every metric of a type that a badge can show, with its label. */
export function badgeMetrics({ metrics }: CheckType): { value: string; label: string }[] {
  const measured = metrics.flatMap(({ name, label }) =>
    aggregationChoices.map((aggregation) => ({ value: `${name}_${aggregation}`, label: `${label}, ${aggregation}` })),
  )
  return [{ value: 'availability', label: 'Availability' }, { value: 'retries', label: 'Retries' }, ...measured]
}
