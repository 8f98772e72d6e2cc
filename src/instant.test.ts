import fc from 'fast-check'
import { expect, test } from 'vitest'
import { instantOfNumber, isoText, lastInstant, parseInstant } from './instant.ts'

test.each([
  ['2026-11-14T10:00:00.123Z', Date.UTC(2026, 10, 14, 10, 0, 0, 123)],
  ['2026-11-14T10:00:00Z', Date.UTC(2026, 10, 14, 10)],
  ['2026-11-14T10:00Z', Date.UTC(2026, 10, 14, 10)],
  ['2026-11-14T10:00:00.5Z', Date.UTC(2026, 10, 14, 10, 0, 0, 500)],
  ['2026-11-14T10:00:00.123999Z', Date.UTC(2026, 10, 14, 10, 0, 0, 123)],
  ['2026-11-14T10:00:00+02:30', Date.UTC(2026, 10, 14, 7, 30)],
  ['2026-11-14T23:00:00-0200', Date.UTC(2026, 10, 15, 1)],
  ['2026-11-14T10:00:00+02', Date.UTC(2026, 10, 14, 8)],
  ['2026-11-14T10:00:00.1239999999999999Z', Date.UTC(2026, 10, 14, 10, 0, 0, 123)],
  ['2028-02-29T00:00:00Z', Date.UTC(2028, 1, 29)],
])('%s is an instant', (text, instant) => {
  expect(parseInstant(text)).toBe(instant)
})

test.each([
  '2026-02-30T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-11-14T24:00:00Z',
  '2026-11-14T10:60:00Z',
  '2026-11-14T10:00:60Z',
  '2026-11-14T10:00:00',
  '2026-11-14T10:00:00+2',
  '2026-11-14T10:00:00+24',
  '2026-11-14',
  ' 2026-11-14T10:00:00Z',
  '1969-12-31T23:59:59Z',
  '1970-01-01T00:00:00+01:00',
  '0000-01-01T00:00:00Z',
  '0099-01-01T00:00:00Z',
  '1',
  '',
])('%j is none', (text) => {
  expect(parseInstant(text)).toBeUndefined()
})

test('numbers are seconds below 100000000000 and milliseconds from there on', () => {
  expect(instantOfNumber(1_800_000_000)).toBe(1_800_000_000_000)
  expect(instantOfNumber(1_800_000_000.123)).toBe(1_800_000_000_123)
  expect(instantOfNumber(1_800_000_000_123)).toBe(1_800_000_000_123)
  expect(instantOfNumber(-1)).toBeUndefined()
  expect(instantOfNumber(Number.NaN)).toBeUndefined()
  expect(instantOfNumber(1e300)).toBeUndefined()
})

test('an instant is written as a Date writes it', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: lastInstant })), (times) => {
      expect(times.map(isoText)).toEqual(times.map((time) => new Date(time).toISOString()))
    }),
  )
})
