import fc from 'fast-check'
import { expect, test } from 'vitest'
import { instantOfNumber, isoText, isRecent, lastInstant, parseEpoch, parseInstant } from './time.ts'

test.each([
  [1000, true],
  [1009, true],
  [1010, false],
  [999, false],
])('an instant is recent for a limited time, and not before it', (now, expected) => {
  expect(isRecent(1000, 10, now)).toBe(expected)
})

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
])('%s is parsed as an instant', (text, instant) => {
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
])('%j is rejected', (text) => {
  expect(parseInstant(text)).toBeUndefined()
})

test('a timestamp is parsed independently of earlier ones', () => {
  const change = fc.record({ at: fc.nat({ max: 23 }), to: fc.constantFrom(...'0123456789-:.TZ+ x') })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: lastInstant }), fc.array(change, { maxLength: 2 }), (instant, changes) => {
      const text = isoText(instant)
      const changed = changes.reduce((text, { at, to }) => text.slice(0, at) + to + text.slice(at + 1), text)
      expect(parseInstant('2001-02-03T04:05:06.007Z')).toBe(Date.UTC(2001, 1, 3, 4, 5, 6, 7))
      const afterAnotherDay = parseInstant(changed)
      expect(parseInstant(text)).toBe(instant)
      expect(parseInstant(changed)).toBe(afterAnotherDay)
      if (changes.length === 0) expect(afterAnotherDay).toBe(instant)
    }),
    { numRuns: 2000 },
  )
})

test('numbers are in seconds below 100000000000 and in milliseconds from there on', () => {
  expect(instantOfNumber(1_800_000_000)).toBe(1_800_000_000_000)
  expect(instantOfNumber(1_800_000_000.123)).toBe(1_800_000_000_123)
  expect(instantOfNumber(1_800_000_000_123)).toBe(1_800_000_000_123)
  expect(instantOfNumber(-1)).toBeUndefined()
  expect(instantOfNumber(Number.NaN)).toBeUndefined()
  expect(instantOfNumber(1e300)).toBeUndefined()
})

test('a number of seconds is parsed like its text, never rounded up', () => {
  expect(instantOfNumber(1_800_000_000.9999)).toBe(1_800_000_000_999)
  const seconds = fc.oneof(
    fc.integer({ min: 0, max: 10 ** 14 - 1 }).map((ms) => ms / 1000),
    fc.double({ min: 1e-3, max: 1e11, maxExcluded: true, noNaN: true }),
  )
  fc.assert(
    fc.property(seconds, (epoch) => {
      expect(instantOfNumber(epoch)).toBe(parseEpoch(String(epoch)))
    }),
  )
})

test('an instant is formatted as by Date', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: lastInstant })), (times) => {
      expect(times.map(isoText)).toEqual(times.map((time) => new Date(time).toISOString()))
    }),
  )
})
