// @slow
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arbitraryInstant, naiveClock, naiveDayStart, naiveLocal, oddZones } from '../../test/support/naive-calendar.ts'
import { triesOf } from '../../test/support/tries.ts'
import { zoneOf } from '../../test/support/zone.ts'
import {
  maintenanceIntervals,
  type OrdinalWeekday,
  occurrences,
  ordinals,
  type Recurrence,
  type RecurringMaintenance,
  serviceIntervals,
  weekdays,
} from './schedule.ts'
import type { Span } from './window.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const at = (text: string) => Date.parse(text)
const iso = (intervals: readonly Span[]) => intervals.map(({ from, to }) => [new Date(from).toISOString(), new Date(to).toISOString()])
const berlin = zoneOf('Europe/Berlin')
const year2026 = { from: at('2026-01-01T00:00:00Z'), to: at('2026-12-31T23:59:59.999Z') }

const weekday = fc.constantFrom(...weekdays)
const recurrence: fc.Arbitrary<Recurrence> = fc.oneof(
  fc.constant({ every: 'day' } as const),
  fc.record({ every: fc.constant('week' as const), on: fc.uniqueArray(weekday, { minLength: 1 }) }),
  fc.record({ every: fc.constant('month' as const), on: fc.integer({ min: 1, max: 31 }) }),
  fc.record({ every: fc.constant('month' as const), on: fc.record({ ordinal: fc.constantFrom(...ordinals), weekday }) }),
)
const quarter = fc.nat(95).map((n) => n * 15)

describe.each(oddZones)('schedules in %s', (name) => {
  const zone = zoneOf(name)
  const window = fc
    .tuple(arbitraryInstant(name), fc.integer({ min: 0, max: 40 * dayMs }))
    .map(([from, length]) => ({ from, to: from + length }))

  test('a maintenance window recurs as in a naive calendar', () => {
    fc.assert(
      fc.property(recurrence, quarter, fc.integer({ min: 1, max: 50 * hourMs }), window, (recurrence, atMinutes, forMs, window) => {
        const expected = naiveDates(name, window.from - forMs, window.to)
          .filter((day) => naiveRecurs(recurrence, day))
          .map((day) => naiveClock(day, atMinutes, name))
          .filter((from) => from <= window.to && from + forMs > window.from)
        const found = occurrences({ ...recurrence, atMinutes, forMs, zone }, window)
        expect(iso(found)).toEqual(iso(expected.map((from) => ({ from, to: from + forMs }))))
      }),
      { numRuns: triesOf(15) },
    )
  })
  test('service hours follow local time', () => {
    const hours = fc
      .tuple(quarter, fc.integer({ min: 1, max: 96 }))
      .map(([from, length]) => ({ fromMinutes: from, toMinutes: from + length * 15 }))
    fc.assert(
      fc.property(fc.uniqueArray(weekday), hours, window, (days, { fromMinutes, toMinutes: end }, window) => {
        const toMinutes = end > 1440 ? end - 1440 : end
        const intervals = serviceIntervals({ days, fromMinutes, toMinutes, zone }, window)
        for (let time = window.from; time <= window.to; time += 7 * hourMs + 1) {
          if (isNearChange(time, name)) continue
          const isOpen = naiveIsOpen(naiveLocal(time, name), days, fromMinutes, toMinutes)
          expect(intervals.some(({ from, to }) => from <= time && time < to)).toBe(isOpen)
        }
      }),
      { numRuns: triesOf(15) },
    )
  })
})

describe('a maintenance window', () => {
  const patchNight: RecurringMaintenance = {
    every: 'month',
    on: { ordinal: 'first', weekday: 'sun' },
    atMinutes: 120,
    forMs: 2 * hourMs,
    zone: berlin,
  }
  const in2026 = (on: number | OrdinalWeekday) => occurrences({ ...patchNight, every: 'month', on }, year2026)

  test('can be on the first Sunday of a month', () => {
    expect(iso(in2026({ ordinal: 'first', weekday: 'sun' })).slice(9)).toEqual([
      ['2026-10-04T00:00:00.000Z', '2026-10-04T02:00:00.000Z'],
      ['2026-11-01T01:00:00.000Z', '2026-11-01T03:00:00.000Z'],
      ['2026-12-06T01:00:00.000Z', '2026-12-06T03:00:00.000Z'],
    ])
  })
  test('at a time that clocks skip is an hour later, with the same length', () => {
    const march = in2026({ ordinal: 'last', weekday: 'sun' })[2]
    expect(march && iso([march])).toEqual([['2026-03-29T01:00:00.000Z', '2026-03-29T03:00:00.000Z']])
  })
  test('at a time that clocks show twice is at the first of them, with the same length', () => {
    const october = in2026({ ordinal: 'last', weekday: 'sun' })[9]
    expect(october && iso([october])).toEqual([['2026-10-25T00:00:00.000Z', '2026-10-25T02:00:00.000Z']])
  })
  test.each([
    [15, 12],
    [29, 11],
    [31, 7],
  ])('on day %i occurs in the %i months that have one', (day, count) => {
    expect(in2026(day)).toHaveLength(count)
  })
  test('does not occur on a date that the zone skipped', () => {
    const window = { from: at('2011-12-28T10:00:00Z'), to: at('2011-12-31T09:59:59.999Z') }
    const daily = { every: 'day', atMinutes: 60, forMs: hourMs, zone: zoneOf('Pacific/Apia') } as const
    expect(iso(occurrences(daily, window)).map(([from]) => from)).toEqual([
      '2011-12-28T11:00:00.000Z',
      '2011-12-29T11:00:00.000Z',
      '2011-12-30T11:00:00.000Z',
    ])
  })
  test('that overlaps or touches another is merged with it, within the window of the query', () => {
    const window = { from: at('2026-11-01T00:00:00Z'), to: at('2026-11-01T23:59:59.999Z') }
    const once = [
      { from: at('2026-10-31T22:00:00Z'), to: at('2026-11-01T00:30:00Z') },
      { from: at('2026-11-01T03:00:00Z'), to: at('2026-11-01T04:00:00Z') },
      { from: at('2026-11-01T23:59:59.999Z'), to: at('2026-11-03T00:00:00Z') },
      { from: at('2026-11-02T00:00:00Z'), to: at('2026-11-03T00:00:00Z') },
    ]
    expect(iso(maintenanceIntervals([...once, patchNight], window))).toEqual([
      ['2026-11-01T00:00:00.000Z', '2026-11-01T00:30:00.000Z'],
      ['2026-11-01T01:00:00.000Z', '2026-11-01T04:00:00.000Z'],
      ['2026-11-01T23:59:59.999Z', '2026-11-02T00:00:00.000Z'],
    ])
  })
  test('that began before the window of the query is found', () => {
    const long = { every: 'month', on: 1, atMinutes: 0, forMs: 20 * dayMs, zone: berlin } as const
    const window = { from: at('2026-11-15T00:00:00Z'), to: at('2026-11-15T01:00:00Z') }
    expect(iso(occurrences(long, window))).toEqual([['2026-10-31T23:00:00.000Z', '2026-11-20T23:00:00.000Z']])
  })
})

describe('service hours', () => {
  const window = { from: at('2026-10-23T00:00:00Z'), to: at('2026-10-26T23:59:59.999Z') }
  test('follow local time across a clock change', () => {
    const office = { days: ['mon', 'fri'], fromMinutes: 480, toMinutes: 1200, zone: berlin } as const
    expect(iso(serviceIntervals(office, window))).toEqual([
      ['2026-10-23T06:00:00.000Z', '2026-10-23T18:00:00.000Z'],
      ['2026-10-26T07:00:00.000Z', '2026-10-26T19:00:00.000Z'],
    ])
  })
  test('until 24:00 continue into those of the next day', () => {
    const always = { days: weekdays, fromMinutes: 0, toMinutes: 1440, zone: berlin }
    expect(serviceIntervals(always, window)).toEqual([{ from: window.from, to: window.to + 1 }])
  })
  test('past midnight belong to the day on which they begin', () => {
    const night = { days: ['sat'], fromMinutes: 1320, toMinutes: 360, zone: berlin } as const
    expect(iso(serviceIntervals(night, window))).toEqual([['2026-10-24T20:00:00.000Z', '2026-10-25T05:00:00.000Z']])
    const early = { from: at('2026-10-25T04:00:00Z'), to: at('2026-10-25T12:00:00Z') }
    expect(iso(serviceIntervals(night, early))).toEqual([['2026-10-25T04:00:00.000Z', '2026-10-25T05:00:00.000Z']])
  })
})

/** The dates from a few days before `from` to `to`, without dates that the zone skipped. */
function naiveDates(name: string, from: number, to: number): readonly number[] {
  const first = Math.floor(from / dayMs) * dayMs - 3 * dayMs
  const dates = Array.from({ length: Math.ceil((to - first) / dayMs) + 2 }, (_, i) => first + i * dayMs)
  return dates.filter((day) => naiveLocal(naiveDayStart(day, name), name) < day + dayMs)
}

function naiveRecurs(recurrence: Recurrence, day: number): boolean {
  const date = new Date(day)
  if (recurrence.every === 'day') return true
  if (recurrence.every === 'week') return recurrence.on.some((name) => weekdays.indexOf(name) === (date.getUTCDay() + 6) % 7)
  if (typeof recurrence.on === 'number') return date.getUTCDate() === recurrence.on
  const { ordinal, weekday } = recurrence.on
  const month = Array.from({ length: 31 }, (_, i) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), i + 1)))
  const same = month.filter(
    (other) => other.getUTCMonth() === date.getUTCMonth() && (other.getUTCDay() + 6) % 7 === weekdays.indexOf(weekday),
  )
  return same.at(ordinal === 'last' ? -1 : ordinals.indexOf(ordinal))?.getTime() === day
}

function naiveIsOpen(local: number, days: readonly string[], from: number, to: number): boolean {
  const date = new Date(local)
  const minutes = date.getUTCHours() * 60 + date.getUTCMinutes()
  const isOn = (daysBack: number) => days.includes(weekdays[(date.getUTCDay() + 6 - daysBack + 7) % 7] ?? '')
  if (to > from) return isOn(0) && minutes >= from && minutes < to
  return (isOn(0) && minutes >= from) || (isOn(1) && minutes < to)
}

/** Within two days of a clock change, skipped or repeated hours may count either way. */
function isNearChange(time: number, name: string): boolean {
  const offset = (instant: number) => naiveLocal(instant, name) - instant
  return [-2, -1, 1, 2].some((days) => offset(time + days * dayMs) !== offset(time))
}
