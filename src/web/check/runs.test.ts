import { expect, test } from 'vitest'
import type { RunResult } from '../api/answers.ts'
import { windowOf } from '../state/window.ts'
import type { CheckViewState } from './check-options.ts'
import { outcomeWord, runsFilter } from './runs.tsx'

const run = (more: Partial<RunResult>) => ({ hasFailures: false, isDegraded: false, ...more }) as RunResult

test('a run has passed or failed, and a ping was early or late', () => {
  expect([run({}), run({ hasFailures: true }), run({ isDegraded: true })].map(outcomeWord)).toEqual(['passed', 'failed', 'degraded'])
  expect([run({ state: 'LATE' }), run({ state: 'GRACE' }), run({ state: 'FAILING', hasFailures: true })].map(outcomeWord)).toEqual([
    'late',
    'grace',
    'failed',
  ])
})

test.each([
  ['', 'from=1794477600'],
  ['from=2026-11-12T09:00:00Z', 'from=1794474000'],
  ['from=2026-11-12T09:00:00Z&to=2026-11-12T10:00:00Z', 'from=1794474000&to=1794477601'],
])('runs of a window that ends now have no end in the query, since the clock of the reader may be slow: %s', (query, expected) => {
  const now = Date.parse('2026-11-13T10:00:00Z')
  const state = { window: windowOf({ query: new URLSearchParams(query) }), status: null, location: null } as CheckViewState
  expect(runsFilter({ state }, now)).toBe(expected)
})
