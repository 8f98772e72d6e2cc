import { expect, test } from 'vitest'
import { reconnectDelayMs } from './backoff.ts'

test('the pause doubles with each failure up to its limit, and is spread over its second half', () => {
  const longest = [1, 2, 3, 4, 100].map((failures) => reconnectDelayMs(failures, 8000, () => 1))
  expect(longest).toEqual([1000, 2000, 4000, 8000, 8000])
  expect(reconnectDelayMs(4, 8000, () => 0)).toBe(4000)
})
