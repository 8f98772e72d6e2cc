import type { Unit } from '../../checks/metric.ts'

export function withUnit(value: number, unit: Unit): string {
  return `${shownNumber(value)}${unitSuffixes[unit]}`
}

const unitSuffixes: Readonly<Record<Unit, string>> = { milliseconds: ' ms', percentage: ' %', score: '', count: '' }

/** A number for display: three decimals below 10, else one. */
export function shownNumber(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 3 : 1 })
}
