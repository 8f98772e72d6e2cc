import { expect, test } from 'vitest'
import { failureStep, failureSteps } from './failure-step.ts'

test.each([
  [0, 0, 'none'],
  [1440, 0, 'fine'],
  [1440, 1, 'few'],
  [1440, 14, 'few'],
  [1440, 15, 'some'],
  [800, 79, 'some'],
  [800, 80, 'many'],
  [1, 1, 'many'],
] as const)('of %d runs %d failed: %s', (total, failed, step) => {
  expect(failureStep({ total, success: total - failed })).toBe(step)
})

test('each step has a label', () => {
  expect(failureSteps.map(({ name, label }) => `${name}: ${label}`)).toEqual([
    'fine: no failures',
    'few: less than 1 % failed',
    'some: less than 10 %',
    'many: 10 % or more',
  ])
})
