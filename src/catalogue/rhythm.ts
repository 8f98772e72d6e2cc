import type { Rhythm } from '../calendar/rhythm.ts'
import type { Check } from './catalogue.ts'

type Scheduled = Pick<Check, 'checkType' | 'settings' | 'everyMs' | 'locations' | 'runParallel'>

export function rhythmOf({ checkType, settings, everyMs, locations, runParallel }: Scheduled): Rhythm {
  if (!checkType.pingSettings) return { periodMs: everyMs, locations: locations.length, parallel: runParallel }
  const { periodMs, graceMs } = checkType.pingSettings(settings)
  return { periodMs, graceMs }
}
