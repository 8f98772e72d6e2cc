import { expect, test } from 'vitest'
import { instantOfWallTime, localDate, localNext, localStart, startOfLocalDate, wallTime } from './zone-calendar.ts'

const berlin = 'Europe/Berlin'
const at = (text: string) => Date.parse(text)

test.each([
  ['day', '2026-10-25T12:00:00Z', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
  ['day', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
  ['day', '2026-10-24T22:00:00Z', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
  ['day', '2026-10-24T21:59:59.999Z', '2026-10-23T22:00:00Z', '2026-10-24T22:00:00Z'],
  ['week', '2026-10-25T12:00:00Z', '2026-10-18T22:00:00Z', '2026-10-25T23:00:00Z'],
  ['month', '2026-10-31T23:00:00Z', '2026-10-31T23:00:00Z', '2026-11-30T23:00:00Z'],
  ['month', '2026-10-31T22:59:59.999Z', '2026-09-30T22:00:00Z', '2026-10-31T23:00:00Z'],
] as const)('the %s of %s in Berlin', (unit, instant, start, next) => {
  expect([localStart(unit, at(instant), berlin), localNext(unit, at(instant), berlin)]).toEqual([at(start), at(next)])
})

test.each([
  ['2026-07-01T12:00:00Z', '2026-07-01T10:00:00Z'],
  ['2026-03-29T02:30:00Z', '2026-03-29T01:30:00Z'],
  ['2026-10-25T02:30:00Z', '2026-10-25T00:30:00Z'],
])('clocks in Berlin show %s at %s', (wall, instant) => {
  expect(instantOfWallTime(at(wall), berlin)).toBe(at(instant))
})

test('an instant has a wall time and a local date', () => {
  expect(wallTime(at('2026-12-31T23:30:00.250Z'), berlin)).toBe(at('2027-01-01T00:30:00.250Z'))
  expect(localDate(at('2026-12-31T23:30:00Z'), berlin)).toBe(at('2027-01-01T00:00:00Z'))
  expect([wallTime(7, 'UTC'), localDate(7, 'UTC')]).toEqual([7, 0])
})

test('a date that a zone skipped starts with the next one', () => {
  expect(startOfLocalDate(at('2011-12-30T00:00:00Z'), 'Pacific/Apia')).toBe(at('2011-12-30T10:00:00Z'))
  expect(startOfLocalDate(at('2011-12-31T00:00:00Z'), 'Pacific/Apia')).toBe(at('2011-12-30T10:00:00Z'))
})

test('a day repeated by a clock change begins at its first midnight', () => {
  const stJohns = 'America/St_Johns'
  const midnight = at('2010-11-07T02:30:00Z')
  expect(localStart('day', at('2010-11-07T03:00:00Z'), stJohns)).toBe(midnight)
  expect(localStart('day', midnight, stJohns)).toBe(midnight)
})
