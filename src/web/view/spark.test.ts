import { expect, test } from 'vitest'
import { sparkPath } from './spark.ts'

test('a line goes from the first to the last value, with the largest at the top', () => {
  expect(sparkPath([0, 5, 10], 100, 20)).toBe('M0 20L50 10L100 0')
})

test('a gap interrupts the line, and an isolated value is visible', () => {
  expect(sparkPath([10, 10, null, 10, null], 100, 20)).toBe('M0 0L25 0M75 0h1')
})

test('without values, or with zeros only, nothing overflows', () => {
  expect(sparkPath([], 100, 20)).toBe('')
  expect(sparkPath([null], 100, 20)).toBe('')
  expect(sparkPath([0, 0], 100, 20)).toBe('M0 20L100 20')
})
