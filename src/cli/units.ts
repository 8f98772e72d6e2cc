import type { Unit } from '../checks/metric.ts'

/** A figure with its unit, as people write it. */
export function withUnit(value: number, unit: Unit): string {
  return `${decimal(value)}${unitWords[unit]}`
}

const unitWords: Readonly<Record<Unit, string>> = { milliseconds: ' ms', percentage: ' %', score: '', count: '' }

/** A figure as short as it can be without lying. */
export function decimal(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 3 : 1 })
}
