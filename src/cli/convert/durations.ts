import { shortDuration } from '../../checks/wire.ts'
import { dayMs, hourMs, minuteMs } from '../../time.ts'

/** A duration as the config file writes it, rounded up to a millisecond. */
export function configDuration(ms: number): string {
  return shortDuration(Math.max(1, Math.ceil(ms)))
}

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: minuteMs,
  h: hourMs,
  d: dayMs,
  w: 7 * dayMs,
  y: 365 * dayMs,
}
const parts = /([0-9]{1,15}(?:\.[0-9]{1,15})?)(ns|us|µs|ms|[smhdwy])/g

/** The milliseconds of a duration such as `1m30s`, as Go and Prometheus write it; null where it is none. */
export function parseDuration(text: string): number | null {
  const given = text.trim()
  if (given === '0') return 0
  if (given.length > 100 || given.replace(parts, '') !== '' || given === '') return null
  return [...given.matchAll(parts)].reduce((sum, [, amount, unit]) => sum + Number(amount) * (unitMs[unit ?? ''] ?? 0), 0)
}

const minFrequencyMs = 10_000
const maxFrequencyMs = 30 * dayMs

/** A frequency that the config file accepts, and why it is not the given one. */
export function frequencyOf(ms: number): { readonly frequency: string; readonly why: string | null } {
  if (ms < minFrequencyMs) return { frequency: '10s', why: `It was every ${configDuration(ms)}; the shortest is 10s.` }
  if (ms > maxFrequencyMs) return { frequency: '30d', why: `It was every ${configDuration(ms)}; the longest is 30d.` }
  return { frequency: configDuration(ms), why: null }
}

const maxTimeoutMs = hourMs

/** A timeout of an attempt; null where none was given. */
export function timeoutTextOf(ms: number | null): string | null {
  return ms === null || ms <= 0 ? null : configDuration(Math.min(maxTimeoutMs, Math.max(1000, ms)))
}
