import { describe, expect, test } from 'vitest'
import type { Retry } from '../catalogue/catalogue.ts'
import { retryDelayMs } from './retry.ts'

const broken = { failed: true, broken: true }
const wanting = { failed: true, broken: false }
const retryOf = (strategy: Retry['strategy'], more: Partial<Retry> = {}): Retry => ({
  strategy,
  baseBackoffMs: 1000,
  maxRetries: 4,
  onlyOnNetworkErrors: false,
  ...more,
})

describe('the backoff', () => {
  test.each([
    ['fixed', [1000, 1000, 1000, 1000, null]],
    ['linear', [1000, 2000, 3000, 4000, null]],
    ['exponential', [1000, 2000, 4000, 8000, null]],
    ['single', [1000, null, null, null, null]],
  ] as const)('by the strategy %s', (strategy, waits) => {
    expect([1, 2, 3, 4, 5].map((attempts) => retryDelayMs(retryOf(strategy), attempts, wanting))).toEqual(waits)
  })

  test('never exceeds ten minutes', () => {
    expect(retryDelayMs(retryOf('exponential', { maxRetries: 10, baseBackoffMs: 60_000 }), 10, wanting)).toBe(600_000)
  })
})

describe('there is no retry', () => {
  test('after a success', () => {
    expect(retryDelayMs(retryOf('fixed'), 1, { failed: false, broken: false })).toBeNull()
  })

  test('without a strategy', () => {
    expect(retryDelayMs(null, 1, broken)).toBeNull()
  })

  test('after a wrong response, if only network errors are retried', () => {
    const retry = retryOf('fixed', { onlyOnNetworkErrors: true })
    expect(retryDelayMs(retry, 1, wanting)).toBeNull()
    expect(retryDelayMs(retry, 1, broken)).toBe(1000)
  })
})
