import { expect, test } from 'vitest'
import { dayMs, hourMs } from '../../time.ts'
import { axisSteps } from './axis-steps.ts'

/** The first step that gives at most this many ticks. */
const stepFor = (unit: Parameters<typeof axisSteps>[0], span: number, ticks: number) => axisSteps(unit).find((step) => span / step <= ticks)

test('counts have integer steps', () => {
  expect(Math.min(...axisSteps('count'))).toBe(1)
  expect(stepFor('count', 2, 6)).toBe(1)
})

test('steps of time are clock hours, and days for longer times', () => {
  expect(stepFor('milliseconds', 24 * hourMs, 4)).toBe(6 * hourMs)
  expect(stepFor('milliseconds', 30 * dayMs, 6)).toBe(5 * dayMs)
})

test.each(['milliseconds', 'percentage', 'score', 'count'] as const)('steps of %s ascend at any scale', (unit) => {
  const steps = axisSteps(unit)
  expect(steps.toSorted((a, b) => a - b)).toEqual(steps)
  expect(new Set(steps).size).toBe(steps.length)
  expect(stepFor(unit, 1e9, 10)).toBeDefined()
})
