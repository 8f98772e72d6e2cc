import { expect, test } from 'vitest'
import { backoffMs, jittered } from './backoff.ts'

test('the delay doubles with each failure up to its limit', () => {
  expect([1, 2, 3, 4, 5, 100, 10_000].map((failures) => backoffMs(failures, { maxMs: 8000 }))).toEqual([
    1000, 2000, 4000, 8000, 8000, 8000, 8000,
  ])
  expect(backoffMs(3, { firstMs: 250, maxMs: 8000 })).toBe(1000)
})

test('jitter spreads a delay over its second half', () => {
  expect([0, 0.5, 1].map((random) => jittered(8000, () => random))).toEqual([4000, 6000, 8000])
})
