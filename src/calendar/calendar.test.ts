// @slow
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arbitraryInstant, naiveStartAfter, naiveStartOf, oddZones } from '../../test/support/naive-calendar.ts'
import { triesOf } from '../../test/support/tries.ts'
import { zoneOf } from '../../test/support/zone.ts'
import { startAfter, startBefore, startOf, unitStarts } from './calendar.ts'
import type { CalendarUnit } from './utc-calendar.ts'
import { utc } from './zone.ts'

const dayMs = 86_400_000
const at = (text: string) => Date.parse(text)
const iso = (instant: number) => new Date(instant).toISOString()
const units: readonly CalendarUnit[] = ['day', 'week', 'month']

describe.each(oddZones)('units in %s', (name) => {
  const zone = zoneOf(name)
  const instants = arbitraryInstant(name)

  test.each(units)('a %s starts where a naive calendar starts it', (unit) => {
    fc.assert(
      fc.property(instants, (instant) => {
        const start = startOf(unit, instant, zone)
        expect(iso(start)).toBe(iso(naiveStartOf(unit, instant, name)))
        expect(iso(startAfter(unit, instant, zone))).toBe(iso(naiveStartAfter(unit, instant, name)))
        expect(iso(startBefore(unit, instant, zone))).toBe(iso(naiveStartOf(unit, start - 1, name)))
      }),
      { numRuns: triesOf(15) },
    )
  })
  test.each(units)('the starts of every %s of a window are those found by stepping', (unit) => {
    fc.assert(
      fc.property(instants, fc.integer({ min: 0, max: 100 * dayMs }), (from, length) => {
        const to = from + length
        const stepped: number[] = []
        for (let start = startOf(unit, from, zone); start <= to; start = startAfter(unit, start, zone)) stepped.push(start)
        expect([...unitStarts(unit, zone, { from, to })]).toEqual(stepped)
      }),
      { numRuns: triesOf(15) },
    )
  })
})

describe('days', () => {
  const daysOf = (name: string, from: string, to: string) => [...unitStarts('day', zoneOf(name), { from: at(from), to: at(to) })].map(iso)

  test('have 23 and 25 hours where clocks change', () => {
    expect(daysOf('Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z')).toEqual([
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ])
    expect(daysOf('Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z')).toEqual([
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
    ])
  })
  test('have 24 and a half hours on Lord Howe', () => {
    expect(daysOf('Australia/Lord_Howe', '2026-04-04T13:00:00Z', '2026-04-05T13:30:00Z')).toEqual([
      '2026-04-04T13:00:00.000Z',
      '2026-04-05T13:30:00.000Z',
    ])
  })
  test('do not exist for a skipped date', () => {
    expect(daysOf('Pacific/Apia', '2011-12-29T10:00:00Z', '2011-12-31T10:00:00Z')).toEqual([
      '2011-12-29T10:00:00.000Z',
      '2011-12-30T10:00:00.000Z',
      '2011-12-31T10:00:00.000Z',
    ])
    expect(iso(startAfter('day', at('2011-12-30T09:59:59.999Z'), zoneOf('Pacific/Apia')))).toBe('2011-12-30T10:00:00.000Z')
  })
  test.each([
    ['America/Sao_Paulo', '2018-11-04T12:00:00Z', '2018-11-04T03:00:00.000Z'],
    ['Africa/Cairo', '2026-04-24T12:00:00Z', '2026-04-23T22:00:00.000Z'],
    ['Asia/Beirut', '2026-03-29T12:00:00Z', '2026-03-28T22:00:00.000Z'],
  ])('begin with their first instant where %s has no midnight', (name, instant, start) => {
    expect(iso(startOf('day', at(instant), zoneOf(name)))).toBe(start)
  })
  test('include the time that is repeated after clocks went back across midnight', () => {
    const zone = zoneOf('America/St_Johns')
    expect(iso(startOf('day', at('2010-11-07T02:29:59.999Z'), zone))).toBe('2010-11-06T02:30:00.000Z')
    expect(iso(startOf('day', at('2010-11-07T02:45:00Z'), zone))).toBe('2010-11-07T02:30:00.000Z')
  })
})

describe('weeks and months', () => {
  test('a week starts on Monday, also one of 167 hours', () => {
    const berlin = zoneOf('Europe/Berlin')
    expect(iso(startOf('week', at('2026-03-29T21:59:59.999Z'), berlin))).toBe('2026-03-22T23:00:00.000Z')
    expect(iso(startAfter('week', at('2026-03-29T21:59:59.999Z'), berlin))).toBe('2026-03-29T22:00:00.000Z')
  })
  test('a month includes its leap day', () => {
    const newYork = zoneOf('America/New_York')
    expect(iso(startAfter('month', at('2028-02-29T12:00:00Z'), newYork))).toBe('2028-03-01T05:00:00.000Z')
    expect(iso(startBefore('month', at('2028-03-31T12:00:00Z'), newYork))).toBe('2028-02-01T05:00:00.000Z')
  })
  test('in UTC they are computed in UTC', () => {
    const instant = at('2026-11-15T12:00:00Z')
    expect(units.map((unit) => iso(startOf(unit, instant, utc)))).toEqual([
      '2026-11-15T00:00:00.000Z',
      '2026-11-09T00:00:00.000Z',
      '2026-11-01T00:00:00.000Z',
    ])
    expect(iso(startAfter('month', at('2026-12-31T23:59:59.999Z'), utc))).toBe('2027-01-01T00:00:00.000Z')
  })
  test('fifty years of days are complete', () => {
    const days = unitStarts('day', zoneOf('Europe/Berlin'), { from: 0, to: Date.UTC(2026, 0) - 1 })
    expect(days.length).toBe(20_454 + 1)
  })
})
