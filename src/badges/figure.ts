import type { Unit } from '../checks/metric.ts'
import type { Tone } from './themes.ts'

/** A measured value as people read it: `99.95 %`, `231 ms`, `0.087`, `12`. */
export function formatFigure(value: number | null, unit: Unit): string {
  return value === null ? 'no data' : formats[unit](value)
}

/** A percentage compared with a target: rounded down, so that a missed target does not read as met. */
export function formatAttained(value: number | null): string {
  return formatFigure(value && Math.max(0.01, Math.floor(value * 100 + 1e-7) / 100), 'percentage')
}

/** The values beyond which a figure is degraded or failing. */
type Thresholds = { readonly warn: number | null; readonly bad: number | null; readonly better: 'high' | 'low' }

export function judgeFigure(value: number | null, { warn, bad, better }: Thresholds): Tone {
  if (value === null) return 'unknown'
  if (warn === null && bad === null) return 'plain'
  const beyond = (threshold: number | null) => threshold !== null && (better === 'high' ? value < threshold : value > threshold)
  if (beyond(bad)) return 'failing'
  return beyond(warn) ? 'degraded' : 'passing'
}

type AttainedSlo = {
  readonly attained: number | null
  readonly met: boolean | null
  readonly burnRate: { readonly '1h': number | null; readonly '6h': number | null }
}

/** Failing if the target is missed; degraded if the burn rate is above 1 over both the last hour and the last six. */
export function judgeSlo({ met, burnRate }: AttainedSlo): Tone {
  if (met === null) return 'unknown'
  if (!met) return 'failing'
  return (burnRate['1h'] ?? 0) > 1 && (burnRate['6h'] ?? 0) > 1 ? 'degraded' : 'passing'
}

const formats: Readonly<Record<Unit, (value: number) => string>> = {
  milliseconds: (value) => (value < 10_000 ? `${rounded(value, decimalsOf(value))} ms` : `${rounded(value / 1000, 1)} s`),
  percentage: (value) => `${withoutReaching(value, 100)} %`,
  score: (value) => rounded(value, 3),
  count: (value) => rounded(value, 2),
}

function decimalsOf(milliseconds: number): number {
  if (milliseconds >= 10) return 0
  return milliseconds >= 1 ? 1 : 2
}

function rounded(value: number, decimals: number): string {
  return String(Number(value.toFixed(decimals)))
}

/** Rounding must not turn a single failure among thousands into `100 %`, nor a single loss into `0 %`. */
function withoutReaching(value: number, whole: number): string {
  if (value === 0 || value === whole) return String(value)
  return rounded(Math.min(Math.max(value, 0.01), whole - 0.01), 2)
}
