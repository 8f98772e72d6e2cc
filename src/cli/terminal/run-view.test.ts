import { describe, expect, test } from 'vitest'
import { checkOf } from '../../../test/support/checks.ts'
import { defineCheckType } from '../../checks/define.ts'
import { milliseconds, percentage, perPage, runLocation } from '../../checks/metric.ts'
import { resultOf } from '../../runner/evaluate.ts'
import { Type } from '../../schema/typebox.ts'
import { plain } from './paint.ts'
import { bars } from './run-bars.ts'
import { viewRetry, viewRun } from './run-view.ts'

const metrics = {
  total: milliseconds('Total time'),
  greet: milliseconds('Greeting'),
  talk: milliseconds('Talk'),
  loss: percentage('Words lost'),
  LCP: perPage(milliseconds('Largest Contentful Paint')),
}
const measured = {
  metrics: { total: 400, greet: 100, talk: 300, loss: 2.5 },
  pages: [{ pageUrl: 'http://127.0.0.1/', LCP: 12.25 }],
  failure: 'status 503, expected 200',
  broken: false,
  fields: { statusCode: 503 },
  assertions: [
    { text: 'statusCode equals 200', passed: false, actual: '503' },
    { text: 'responseTime lessThan 1000', passed: true, actual: '400' },
  ],
  notes: ['redirected once'],
}
const checkType = defineCheckType({
  type: 'TEST',
  path: 'test-checks',
  label: 'Test check',
  metrics,
  duration: 'total',
  phases: ['greet', 'talk'],
  fields: ['statusCode'],
  groupBy: [runLocation],
  settings: Type.Object({}),
  target: () => ({ url: 'http://127.0.0.1/' }),
  demo: { name: 'Test', tags: [], settings: () => ({}), files: {}, run: () => measured },
})
const check = checkOf('Homepage', checkType)
const result = resultOf(check, { runLocation: 'eu-west-1', startedAt: 1_793_872_800_123, attempts: 2 }, measured)

test('a run is shown with its outcome, phases, assertions, pages, notes and stored result', () => {
  const shown = viewRun({ check, executed: { result, measured }, paint: plain })
  expect(shown.slice(0, shown.indexOf('Result as stored'))).toBe(`Homepage  Test check  http://127.0.0.1/  at eu-west-1
✗ failing after 2 attempts: status 503, expected 200

  Greeting    ██████████                                      100 ms
  Talk                  ██████████████████████████████        300 ms
  Total time  ████████████████████████████████████████        400 ms

  Words lost: 2.5 %
  statusCode: 503

Assertions
  ✗ statusCode equals 200  was 503
  ✓ responseTime lessThan 1000

Pages
  0  http://127.0.0.1/
     LCP 12.3 ms

Notes
  redirected once

`)
  expect(JSON.parse(shown.slice(shown.indexOf('{')))).toEqual(result)
})

test('a run without measurements shows its reason and no empty sections', () => {
  const broken = { metrics: { total: null, greet: null, talk: null, loss: null }, failure: 'connection refused', broken: true }
  const executed = { result: resultOf(check, { runLocation: 'default', startedAt: 0, attempts: 1 }, broken), measured: broken }
  expect(viewRun({ check, executed, paint: plain })).toMatch(/at default\n✗ failing: connection refused\n\nResult as stored/)
})

test('control characters of a monitored server do not reach the terminal', () => {
  const evil = '\u001b]0;x\u0007'
  const hostile = {
    ...measured,
    ...{ failure: `a${evil}b`, pages: [{ pageUrl: `http://127.0.0.1/${evil}`, LCP: 1 }] },
    ...{ assertions: [{ text: `is ${evil}`, passed: false, actual: evil }], notes: [`one\ntwo${evil}`] },
  }
  const executed = { result: resultOf(check, { runLocation: 'default', startedAt: 0, attempts: 1 }, hostile), measured: hostile }
  const shown = viewRun({ check, executed, paint: plain }) + viewRetry(1, hostile, 2500, plain)
  expect(shown).toContain('✗ failing: a ]0;x b\n')
  expect(shown.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
})

test('a retried attempt shows its failure and when the next one starts', () => {
  expect(viewRetry(1, measured, 2500, plain)).toBe('✗ attempt 1: status 503, expected 200; retry in 2.5 s\n')
})

describe('bars', () => {
  const draw = (values: Readonly<Record<string, number>>, phases = ['greet', 'talk']) =>
    bars({ checkType: { metrics, duration: 'total', phases }, values, paint: plain })

  test('start together if the durations are not phases', () => {
    expect(draw({ total: 100, greet: 50, talk: 100 }, []).map((line) => line.indexOf('█'))).toEqual([14, 14, 14])
  })

  test('show the shortest phase as a sliver', () => {
    expect(draw({ total: 1000, greet: 0.01, talk: 999.99 })[0]).toContain('▏')
  })

  test('are omitted without timings', () => {
    expect(draw({})).toEqual([])
  })
})
