import { expect, test } from 'vitest'
import { figure } from './figures.ts'

test('availability is never rounded up to a perfect 100 %', () => {
  expect(figure(99.9999, 'percentage')).toBe('99.9999 %')
  expect(figure(99.996, 'percentage')).toBe('99.996 %')
  expect(figure(99.957, 'percentage')).toBe('99.95 %')
  expect(figure(100, 'percentage')).toBe('100 %')
})

test('times are shown in the usual unit', () => {
  expect(figure(0.4567, 'milliseconds')).toBe('0.46 ms')
  expect(figure(231.4, 'milliseconds')).toBe('231 ms')
  expect(figure(1234, 'milliseconds')).toBe('1.23 s')
  expect(figure(90_000, 'milliseconds')).toBe('1.5 min')
  expect(figure(-90_000, 'milliseconds')).toBe('-1.5 min')
  expect(figure(36 * 3_600_000, 'milliseconds')).toBe('36 h')
  expect(figure(168 * 3_600_000, 'milliseconds')).toBe('7 days')
})

test('what was not measured is a dash, and zero is zero', () => {
  expect(figure(null, 'milliseconds')).toBe('–')
  expect(figure(0, 'count')).toBe('0')
})
