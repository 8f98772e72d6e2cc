import { expect, test } from 'vitest'
import type { RunResult } from '../api/answers.ts'
import { outcomeWord } from './runs.tsx'

const run = (more: Partial<RunResult>) => ({ hasFailures: false, isDegraded: false, ...more }) as RunResult

test('a run is over, so it has passed or failed, and a ping was early or late', () => {
  expect([run({}), run({ hasFailures: true }), run({ isDegraded: true })].map(outcomeWord)).toEqual(['passed', 'failed', 'degraded'])
  expect([run({ state: 'LATE' }), run({ state: 'GRACE' }), run({ state: 'FAILING', hasFailures: true })].map(outcomeWord)).toEqual([
    'late',
    'grace',
    'failed',
  ])
})
