import { dayMs, hourMs, minuteMs } from '../../time.ts'
import type { Unit } from '../api/answers.ts'

const secondMs = 1000

/** Natural tick distances for a value axis: whole runs, and 6 h instead of 5.6 h. */
export function axisSteps(unit: Unit): number[] {
  if (unit === 'milliseconds') return [...decimalSteps(-3, 2), ...clockSteps, ...decimalSteps(0, 4).map((step) => step * dayMs)]
  return decimalSteps(unit === 'count' ? 0 : -6, 12)
}

const clockSteps = [
  ...[1, 2, 5, 10, 15, 30].map((step) => step * secondMs),
  ...[1, 2, 5, 10, 15, 30].map((step) => step * minuteMs),
  ...[1, 2, 3, 6, 12].map((step) => step * hourMs),
]

/** 1, 2 and 5 of each power of ten. */
function decimalSteps(from: number, to: number): number[] {
  const powers = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  return powers.flatMap((power) => [1, 2, 5].map((step) => Number(`${step}e${power}`)))
}
