import { navigate, type Route, windowOnly, withQuery } from './route.tsx'
import { presets, type TimeWindow, windowChanges, windowOf } from './window.ts'

/** Zooms to a window within the current one, which is remembered. */
export function zoomTo(route: Route, window: TimeWindow): void {
  const before = withQuery({ path: '', query: new URLSearchParams() }, windowOnly(route.query))
  navigate(withQuery(route, windowChanges(window)), 'push', [...route.zooms, before])
}

/** Returns to the window before the last zoom. */
export function unzoom(route: Route): void {
  const before = zoomedFrom(route)
  if (before !== null) navigate(withQuery(route, windowChanges(before)), 'push', route.zooms.slice(0, -1))
}

/** The window before the last zoom; null without one. */
export function zoomedFrom({ zooms }: Route): TimeWindow | null {
  const before = zooms.at(-1)
  return before === undefined ? null : windowOf({ query: new URLSearchParams(before) })
}

/** `last 7 days`, or `the window before` for start and end. */
export function windowName(window: TimeWindow): string {
  return 'preset' in window ? presets[window.preset].toLowerCase() : 'the window before'
}
