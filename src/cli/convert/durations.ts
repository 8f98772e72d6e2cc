import { shortDuration } from '../../checks/wire.ts'
import { dayMs, hourMs, minuteMs } from '../../time.ts'

/** Formats a duration for the config file, rounded up to a millisecond. */
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

/** Parses a duration of Go or Prometheus, such as `1m30s`, to milliseconds. Null if it is invalid. */
export function parseDuration(text: string): number | null {
  const given = text.trim()
  if (given === '0') return 0
  if (given.length > 100 || given.replace(parts, '') !== '' || given === '') return null
  return [...given.matchAll(parts)].reduce((sum, [, amount, unit]) => sum + Number(amount) * (unitMs[unit ?? ''] ?? 0), 0)
}

const minFrequencyMs = 10_000
const maxFrequencyMs = 30 * dayMs

/** The nearest frequency that the config file accepts, with a reason if it differs from the input. */
export function frequencyOf(ms: number): { readonly frequency: string; readonly why: string | null } {
  if (ms < minFrequencyMs) return { frequency: '10s', why: `It was every ${configDuration(ms)}; the shortest is 10s.` }
  if (ms > maxFrequencyMs) return { frequency: '30d', why: `It was every ${configDuration(ms)}; the longest is 30d.` }
  return { frequency: configDuration(ms), why: null }
}

const maxTimeoutMs = hourMs

/** The timeout of an attempt; null if none was given. */
export function timeoutTextOf(ms: number | null): string | null {
  return ms === null || ms <= 0 ? null : configDuration(Math.min(maxTimeoutMs, Math.max(1000, ms)))
}
