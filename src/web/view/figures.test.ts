import { expect, test } from 'vitest'
import { figure, plural, tick } from './figures.ts'

test('availability is never rounded up to 100 %', () => {
  expect(figure(99.9999, 'percentage')).toBe('99.9999 %')
  expect(figure(99.996, 'percentage')).toBe('99.996 %')
  expect(figure(99.957, 'percentage')).toBe('99.95 %')
  expect(figure(100, 'percentage')).toBe('100 %')
})

test.each([
  [952 / 1000, '95.2 %'],
  [9197 / 10_000, '91.97 %'],
  [999_933 / 1_000_000, '99.9933 %'],
  [999_999 / 1_000_000, '99.9999 %'],
])('a percentage of %d is exact, whatever its last digits as a double', (share, text) => {
  expect(figure(share * 100, 'percentage')).toBe(text)
})

test('times have the usual unit', () => {
  expect(figure(0.4567, 'milliseconds')).toBe('0.46 ms')
  expect(figure(231.4, 'milliseconds')).toBe('231 ms')
  expect(figure(1234, 'milliseconds')).toBe('1.23 s')
  expect(figure(90_000, 'milliseconds')).toBe('1.5 min')
  expect(figure(-90_000, 'milliseconds')).toBe('-1.5 min')
  expect(figure(36 * 3_600_000, 'milliseconds')).toBe('36 h')
  expect(figure(168 * 3_600_000, 'milliseconds')).toBe('7 days')
})

test('a missing value is a dash, and zero is zero', () => {
  expect(figure(null, 'milliseconds')).toBe('–')
  expect(figure(0, 'count')).toBe('0')
})

test.each([
  [0, 'milliseconds', '0'],
  [1500, 'milliseconds', '1.5 s'],
  [-20, 'milliseconds', '-20 ms'],
  [99.996, 'percentage', '100 %'],
  [12.5, 'percentage', '12.5 %'],
  [0.1234, 'score', '0.123'],
  [12, 'count', '12'],
] as const)('the tick of %d %s is short: %s', (value, unit, text) => {
  expect(tick(value, unit)).toBe(text)
})

test.each([
  [0, 'percentage', '0 %'],
  [99.99, 'percentage', '99.99 %'],
  [12.349, 'percentage', '12.34 %'],
  [0.12345, 'score', '0.123'],
  [1.25, 'count', '1.3'],
  [9.996, 'milliseconds', '10 ms'],
  [10, 'milliseconds', '10 ms'],
  [99.96, 'milliseconds', '100 ms'],
  [100.4, 'milliseconds', '100 ms'],
  [1000, 'milliseconds', '1 s'],
  [60_000, 'milliseconds', '1 min'],
  [3_600_000, 'milliseconds', '1 h'],
  [48 * 3_600_000, 'milliseconds', '2 days'],
  [undefined, 'count', '–'],
] as const)('the figure %d of %s is %s', (value, unit, text) => {
  expect(figure(value, unit)).toBe(text)
})

test('one is singular', () => {
  expect([plural(0, 'check'), plural(1, 'check'), plural(1200, 'check'), plural(2, 'query', 'queries')]).toEqual([
    '0 checks',
    '1 check',
    '1,200 checks',
    '2 queries',
  ])
})
