import type { Check } from './catalogue.ts'

/** How often results of a check are due: each run at all of its locations or round robin, or pings that may be late by a grace. */
export type Rhythm =
  | { readonly periodMs: number; readonly locations: number; readonly parallel: boolean }
  | { readonly periodMs: number; readonly graceMs: number }

type Scheduled = Pick<Check, 'checkType' | 'settings' | 'everyMs' | 'locations' | 'runParallel'>

export function rhythmOf({ checkType, settings, everyMs, locations, runParallel }: Scheduled): Rhythm {
  if (!checkType.pingSettings) return { periodMs: everyMs, locations: locations.length, parallel: runParallel }
  const { periodMs, graceMs } = checkType.pingSettings(settings)
  return { periodMs, graceMs }
}
