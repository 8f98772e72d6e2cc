import { expect, test } from 'vitest'
import { dayMs, hourMs, minuteMs } from '../../time.ts'
import { elapsed } from './elapsed.ts'

test.each([
  [-5, '0 s'],
  [59_999, '59 s'],
  [minuteMs, '1 min'],
  [hourMs - 1, '59 min'],
  [hourMs, '1 h'],
  [3 * hourMs + 20 * minuteMs, '3 h 20 min'],
  [2 * dayMs - 1, '47 h 59 min'],
  [2 * dayMs, '2 days'],
  [7 * dayMs + 3 * hourMs, '7 days 3 h'],
])('%d ms are %s', (ms, text) => {
  expect(elapsed(ms)).toBe(text)
})
