import { expect, test } from 'vitest'
import { check, span } from '../../../../test/support/arbitrary-results.ts'
import { dayMs, minuteMs } from '../../../time.ts'
import type { AggregateQuery, Aggregation } from '../../store.ts'
import { createAnswerPaths } from './answer-paths.ts'

const questionOf = ({ checks = 1, days = 30, aggregation = 'p95' as Aggregation } = {}): AggregateQuery => ({
  sources: Array.from({ length: checks }, (_, i) => ({
    check: { ...check, checkId: `check-${i}` },
    columns: [{ metric: 'dns', perPage: false }],
    labels: [],
  })),
  window: { from: span.from, to: span.from + days * dayMs },
  figures: [{ column: 0, aggregation, bound: null }],
  counts: false,
  filter: null,
  groupBy: [],
  buckets: null,
  fill: null,
  histogram: null,
  order: null,
  groupPage: null,
  rowPage: { offset: 0, limit: 100 },
})

test('questions that fit are answered from cached days, and others by the server where it can add up', async () => {
  const paths = createAnswerPaths({ count: () => 40_000 })
  expect(await paths.of(questionOf())).toBe('cached days')
  expect(await paths.of(questionOf({ checks: 100 }))).toBe('cached days')
  expect(await paths.of(questionOf({ days: 1 }))).toBe('summary')
  expect(await paths.of(questionOf({ checks: 101, days: 3 }))).toBe('summary')
  expect(await paths.of(questionOf({ checks: 101, days: 3, aggregation: 'stddev' }))).toBe('columns')
})

test('a question that reads more values than the cache holds is not answered from it', async () => {
  const pathOf = (results: number, aggregation?: Aggregation) =>
    createAnswerPaths({ count: () => results }).of(questionOf({ ...(aggregation && { aggregation }) }))
  expect(await pathOf(4_000_000)).toBe('cached days')
  expect(await pathOf(4_000_001)).toBe('summary')
  expect(await pathOf(4_000_001, 'stddev')).toBe('columns')
})

test('checks whose days cannot be cached are asked for otherwise for ten minutes', async () => {
  let now = 0
  const paths = createAnswerPaths({ count: () => 10, monotonic: () => now })
  paths.noteUncacheable(questionOf())
  const pathsAt = async (minutes: number) => {
    now = minutes * minuteMs
    return [await paths.of(questionOf()), await paths.of(questionOf({ checks: 2 }))]
  }
  expect(await pathsAt(9.9)).toEqual(['summary', 'summary'])
  expect(await pathsAt(10)).toEqual(['cached days', 'cached days'])
})
