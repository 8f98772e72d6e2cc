import { expect, test } from 'vitest'
import { type Run, runGauges } from './run-gauges.ts'

const type = { duration: 'responseTime', fields: ['sslDaysRemaining'] }
const result: Run = { startedAt: 0, runLocation: 'eu', hasFailures: false, isDegraded: false, values: {} }
const gauges = (more: Partial<Run>) => runGauges.map(({ read }) => read({ ...result, ...more }, type))

test.each([
  [false, false, 1, 0],
  [false, true, 1, 1],
  [true, false, 0, 0],
  [true, true, 0, 0],
])('of a result with failures %s and degraded %s, up is %i and degraded %i', (hasFailures, isDegraded, up, degraded) => {
  expect(gauges({ hasFailures, isDegraded }).slice(0, 2)).toEqual([up, degraded])
})

test('durations and days are in seconds, without spurious digits, and missing values are null', () => {
  expect(gauges({ values: { responseTime: 1234.1, sslDaysRemaining: 30 } }).slice(2)).toEqual([1.2341, 2_592_000])
  expect(gauges({ values: { responseTime: 0 } }).slice(2)).toEqual([0, null])
  expect(gauges({}).slice(2)).toEqual([null, null])
})

test('only types with a duration or a certificate have these gauges', () => {
  const applying = (checkType: Parameters<(typeof runGauges)[number]['appliesTo']>[0]) =>
    runGauges.map(({ appliesTo }) => appliesTo(checkType))
  expect(applying(type)).toEqual([true, true, true, true])
  expect(applying({ ...type, fields: [] })).toEqual([true, true, true, false])
  expect(applying(null)).toEqual([true, true, false, false])
})
