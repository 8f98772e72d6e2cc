import { expect, test } from 'vitest'
import { ordinals, weekdays } from './schedule.ts'
import { ordinalWeekdays, parseClockTime, parseOrdinalWeekday } from './schedule-text.ts'

test('a weekday of the month is given by its name, or the first three letters', () => {
  expect(ordinalWeekdays).toHaveLength(ordinals.length * weekdays.length)
  for (const text of ordinalWeekdays) {
    const [ordinal, name = ''] = text.split(' ')
    const expected = { ordinal, weekday: name.slice(0, 3) }
    expect(parseOrdinalWeekday(text)).toEqual(expected)
    expect(parseOrdinalWeekday(` ${ordinal?.toUpperCase()}  ${name.slice(0, 3)} `)).toEqual(expected)
  }
  expect(new Set(ordinalWeekdays.map((text) => text.split(' ')[1]?.slice(0, 3)))).toEqual(new Set(weekdays))
})

test.each(['', 'first', 'sunday', 'fifth sunday', 'first su', 'first sunday night', 'sunday first'])(
  '%j is not a weekday of the month',
  (text) => expect(parseOrdinalWeekday(text)).toBeUndefined(),
)

test.each([
  ['00:00', 0],
  ['08:05', 485],
  ['23:59', 1439],
  ['24:00', 1440],
  ['24:01', undefined],
  ['8:00', undefined],
  ['12:60', undefined],
  ['12:00:00', undefined],
  ['08:00 ', undefined],
])('%j is %j minutes after midnight', (text, minutes) => expect(parseClockTime(text)).toBe(minutes))
