import { dayMs, hourMs, minuteMs } from '../../time.ts'

/** The conditions of all runs at a time and location. */
export type Conditions = {
  /** A factor on durations; 1 is normal. */
  readonly level: number
  readonly failing: number
  readonly retried: number
}

type Moment = { readonly time: number; readonly locationIndex: number; readonly tags: readonly string[] }

/**
 * Checks with the tag `gift-cards` start to fail three hours before the end of the scenario; checks with `search` become slow five hours
 * before.
 */
export const failingTag = 'gift-cards'
export const slowTag = 'search'
const failingForMs = 3 * hourMs
const slowForMs = 5 * hourMs

/** How long before the end of the scenario the paused check stops. */
export const pausedForMs = 2 * dayMs

/** The scenario of the thirty days before `end`: a daily cycle, a slow week, and two incidents. */
export function conditionsAt(end: number, { time, locationIndex, tags }: Moment): Conditions {
  const ago = end - time
  const hour = (time % dayMs) / hourMs
  const daily = 1 + 0.22 * Math.sin(((hour - 8) / 24) * 2 * Math.PI)
  const distance = 1 + 0.4 * locationIndex
  const slow = ago > 9 * dayMs && ago < 16 * dayMs ? 1.55 : 1
  const usual = { level: daily * distance * slow, failing: 0.0007, retried: 0.006 }
  if (tags.includes(failingTag) && ago < failingForMs) return { level: usual.level, failing: 1, retried: 1 }
  if (tags.includes(slowTag) && ago < slowForMs) return { ...usual, level: usual.level * 3.6 }
  if (isOutage(ago, tags)) return { level: usual.level * 2.5, failing: 0.92, retried: 0.5 }
  if (isBrokenRoute(ago, locationIndex)) return { level: usual.level * 3, failing: 0.45, retried: 0.4 }
  return usual
}

/** The shop was down everywhere for three quarters of an hour. */
function isOutage(ago: number, tags: readonly string[]): boolean {
  return tags.includes('shop') && ago > 20 * dayMs && ago < 20 * dayMs + 45 * minuteMs
}

/** One location had connection problems for two hours. */
function isBrokenRoute(ago: number, locationIndex: number): boolean {
  return locationIndex === 1 && ago > 5 * dayMs && ago < 5 * dayMs + 2 * hourMs
}
