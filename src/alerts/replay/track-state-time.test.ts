import { expect, test } from 'vitest'
import { followSpans, timeAt } from './track-state-time.ts'

const spans = [
  { from: 10, to: 20 },
  { from: 30, to: 40 },
]

test.each([
  [0, 10, 0],
  [0, 11, 1],
  [0, 50, 20],
  [12, 15, 3],
  [15, 35, 10],
  [19, 20, 1],
  [20, 30, 0],
  [39, 100, 1],
  [40, 100, 0],
])('from %d to %d, spans cover %d', (from, to, ms) => {
  expect(followSpans(spans).overlapMs(from, to)).toBe(ms)
})

test('a span includes its start and excludes its end', () => {
  const { includes } = followSpans(spans)
  expect([9, 10, 19, 20, 29, 30, 39, 40].map(includes)).toEqual([false, true, true, false, false, true, true, false])
  expect(followSpans([]).includes(0)).toBe(false)
})

test('a running time grows', () => {
  const sum = { over: 5, lasting: 2, sinceSum: 30 }
  expect([timeAt(sum, 15), timeAt(sum, 20)]).toEqual([5, 15])
})
