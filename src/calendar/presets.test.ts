// @slow
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arbitraryInstant, naiveStartAfter, naiveStartOf, oddZones } from '../../test/support/naive-calendar.ts'
import { triesOf } from '../../test/support/tries.ts'
import { zoneOf } from '../../test/support/zone.ts'
import { calendarRanges, calendarWindow, dateEnd, dateStart, windowBefore } from './presets.ts'
import type { Window } from './window.ts'

const at = (text: string) => Date.parse(text)
const iso = ({ from, to }: Window) => [new Date(from).toISOString(), new Date(to).toISOString()]

describe('calendar presets', () => {
  const now = at('2026-11-14T23:30:00Z')
  test.each([
    ['thisWeek', '2026-11-08T23:00:00.000Z', '2026-11-14T23:30:00.000Z', '2026-11-01T23:00:00.000Z', '2026-11-08T22:59:59.999Z'],
    ['thisMonth', '2026-10-31T23:00:00.000Z', '2026-11-14T23:30:00.000Z', '2026-09-30T22:00:00.000Z', '2026-10-31T22:59:59.999Z'],
    ['lastWeek', '2026-11-01T23:00:00.000Z', '2026-11-08T22:59:59.999Z', '2026-10-25T23:00:00.000Z', '2026-11-01T22:59:59.999Z'],
    ['lastMonth', '2026-09-30T22:00:00.000Z', '2026-10-31T22:59:59.999Z', '2026-08-31T22:00:00.000Z', '2026-09-30T21:59:59.999Z'],
  ] as const)('%s in Berlin, and the period before', (range, from, to, fromBefore, toBefore) => {
    const berlin = zoneOf('Europe/Berlin')
    expect(iso(calendarWindow(range, now, berlin))).toEqual([from, to])
    expect(iso(windowBefore(range, calendarWindow(range, now, berlin), berlin))).toEqual([fromBefore, toBefore])
  })
  test.each(oddZones)('in %s they begin as in a naive calendar, and each ends where the next begins', (name) => {
    const zone = zoneOf(name)
    fc.assert(
      fc.property(arbitraryInstant(name), fc.constantFrom(...calendarRanges), (now, range) => {
        const unit = range.endsWith('Week') ? 'week' : 'month'
        const { from, to } = calendarWindow(range, now, zone)
        const isLast = range.startsWith('last')
        const current = naiveStartOf(unit, now, name)
        expect(from).toBe(isLast ? naiveStartOf(unit, current - 1, name) : current)
        expect(to).toBe(isLast ? current - 1 : now)
        expect(windowBefore(range, calendarWindow(range, now, zone), zone)).toEqual({
          from: naiveStartOf(unit, from - 1, name),
          to: from - 1,
        })
      }),
      { numRuns: triesOf(15) },
    )
  })
})

describe('a plain date', () => {
  test.each([
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T21:59:59.999Z'],
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z', '2018-11-05T01:59:59.999Z'],
    ['Asia/Kolkata', '2028-02-29', '2028-02-28T18:30:00.000Z', '2028-02-29T18:29:59.999Z'],
    ['UTC', '2026-12-31', '2026-12-31T00:00:00.000Z', '2026-12-31T23:59:59.999Z'],
    ['Asia/Tokyo', '1970-01-01', '1970-01-01T00:00:00.000Z', '1970-01-01T14:59:59.999Z'],
    ['America/New_York', '9999-12-31', '9999-12-31T05:00:00.000Z', '9999-12-31T23:59:59.999Z'],
  ])('in %s, %s, is a whole local day', (name, date, from, to) => {
    const zone = zoneOf(name)
    expect(iso({ from: dateStart(date, zone) ?? Number.NaN, to: dateEnd(date, zone) ?? Number.NaN })).toEqual([from, to])
  })
  test('that the zone skipped is empty', () => {
    const apia = zoneOf('Pacific/Apia')
    expect(dateStart('2011-12-30', apia)).toBe(dateStart('2011-12-31', apia))
    expect(dateEnd('2011-12-30', apia)).toBe(dateEnd('2011-12-29', apia))
  })
  test.each(['2026-02-29', '2026-13-01', '2026-00-10', '2026-04-31', '1969-12-31', '2026-1-1', '26-01-01', '2026-01-01T00:00', ''])(
    '%j is rejected',
    (text) => {
      for (const name of ['UTC', 'Europe/Berlin']) {
        expect(dateStart(text, zoneOf(name))).toBeUndefined()
        expect(dateEnd(text, zoneOf(name))).toBeUndefined()
      }
    },
  )
  test.each(oddZones)('in %s ends where the next begins', (name) => {
    const zone = zoneOf(name)
    fc.assert(
      fc.property(arbitraryInstant(name), (instant) => {
        const date = new Date(instant).toISOString().slice(0, 10)
        const end = dateEnd(date, zone) ?? Number.NaN
        expect(end + 1).toBe(naiveStartAfter('day', end, name))
      }),
      { numRuns: triesOf(15) },
    )
  })
})
