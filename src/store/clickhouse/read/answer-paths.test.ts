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

test('queries that fit are answered from cached days, and others by the server if it can aggregate', async () => {
  const paths = createAnswerPaths({ count: () => 30_000 })
  expect(await paths.of(questionOf())).toBe('cached days')
  expect(await paths.of(questionOf({ checks: 100 }))).toBe('cached days')
  expect(await paths.of(questionOf({ days: 1 }))).toBe('summary')
  expect(await paths.of(questionOf({ checks: 101, days: 3 }))).toBe('summary')
  expect(await paths.of(questionOf({ checks: 101, days: 3, aggregation: 'stddev' }))).toBe('columns')
})

test('a query that reads more values than the cache can hold does not use it', async () => {
  const pathOf = (results: number, aggregation?: Aggregation) =>
    createAnswerPaths({ count: () => results }).of(questionOf({ ...(aggregation && { aggregation }) }))
  expect(await pathOf(4_000_000)).toBe('cached days')
  expect(await pathOf(4_000_001)).toBe('summary')
  expect(await pathOf(4_000_001, 'stddev')).toBe('columns')
})

test('checks with uncacheable days bypass the cache for ten minutes if most of the results are theirs', async () => {
  let now = 0
  const paths = createAnswerPaths({ count: () => 10, monotonic: () => now })
  paths.noteCached(questionOf({ checks: 2 }).sources, { uncacheable: [0] })
  const pathsAt = async (minutes: number) => {
    now = minutes * minuteMs
    const [, other] = questionOf({ checks: 2 }).sources
    return Promise.all([questionOf(), { ...questionOf(), sources: other ? [other] : [] }, questionOf({ checks: 2 })].map(paths.of))
  }
  expect(await pathsAt(9.9)).toEqual(['summary', 'cached days', 'cached days'])
  expect(await pathsAt(10)).toEqual(['cached days', 'cached days', 'cached days'])
  paths.noteCached(questionOf({ checks: 3 }).sources, { uncacheable: [0, 1] })
  expect(await paths.of(questionOf({ checks: 3 }))).toBe('summary')
})

test('a query costs what it reads until its days were found in the cache', async () => {
  const count = () => 300
  const paths = createAnswerPaths({ count })
  const [query, more] = [questionOf({ checks: 2 }), questionOf({ checks: 3 })]
  const costs = () => Promise.all([query, more].map((asked) => paths.cachedCost(asked, count)))
  expect(await costs()).toEqual([1200, 1800])
  paths.noteCached(query.sources, { isRead: true })
  expect(await costs()).toEqual([1200, 1800])
  paths.noteCached(query.sources, { isRead: false })
  expect(await costs()).toEqual([400, 1800])
  paths.noteCached(questionOf().sources, { isRead: true })
  expect(await costs()).toEqual([1200, 1800])
})
