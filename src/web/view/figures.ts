import { dayMs, hourMs, minuteMs } from '../../time.ts'
import type { Unit } from '../api/answers.ts'

/** A formatted figure. A percentage is never rounded up to 100 %. */
export function figure(value: number | null | undefined, unit: Unit): string {
  if (value === null || value === undefined) return '–'
  if (unit === 'milliseconds') return duration(value)
  if (unit === 'percentage') return `${percent(value)} %`
  return decimals(value, unit === 'score' ? 3 : 1)
}

/** The short form for axis ticks. */
export function tick(value: number, unit: Unit): string {
  if (unit === 'milliseconds') return value === 0 ? '0' : duration(value)
  if (unit === 'percentage') return `${decimals(value, 2)} %`
  return decimals(value, 3)
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`
}

const formats = [0, 1, 2, 3, 4].map((digits) => new Intl.NumberFormat(undefined, { maximumFractionDigits: digits }))

function duration(ms: number): string {
  if (ms < 0) return `-${duration(-ms)}`
  if (ms < 10) return `${decimals(ms, 2)} ms`
  if (ms < 100) return `${decimals(ms, 1)} ms`
  if (ms < 1000) return `${decimals(ms, 0)} ms`
  if (ms < minuteMs) return `${decimals(ms / 1000, 2)} s`
  if (ms < hourMs) return `${decimals(ms / minuteMs, 1)} min`
  if (ms < 2 * dayMs) return `${decimals(ms / hourMs, 1)} h`
  return `${decimals(ms / dayMs, 1)} days`
}

function percent(value: number): string {
  if (value === 100 || value === 0) return String(value)
  const digits = value > 99.99 ? 4 : 2
  return decimals(Math.floor(value * 10 ** digits + tolerance) / 10 ** digits, digits)
}

/** 952 of 1,000 runs are 95.19999999999999 %, which is no reason to show 95.19 %. */
const tolerance = 1e-7

function decimals(value: number, digits: number): string {
  return formats[digits]?.format(value) ?? String(value)
}
