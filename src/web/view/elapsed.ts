import { dayMs, hourMs, minuteMs } from '../../time.ts'
import { plural } from './figures.ts'

/** A duration such as `45 s`, `12 min`, `3 h 20 min`, `7 days 3 h`. Never rounded up. */
export function elapsed(ms: number): string {
  if (ms < minuteMs) return `${Math.max(0, Math.floor(ms / 1000))} s`
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min`
  if (ms < 2 * dayMs) return twoUnits(`${Math.floor(ms / hourMs)} h`, Math.floor((ms % hourMs) / minuteMs), 'min')
  return twoUnits(plural(Math.floor(ms / dayMs), 'day'), Math.floor((ms % dayMs) / hourMs), 'h')
}

function twoUnits(whole: string, rest: number, unit: string): string {
  return rest === 0 ? whole : `${whole} ${rest} ${unit}`
}
