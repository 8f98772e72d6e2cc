import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { utc } from '../calendar/zone.ts'
import { parseEdge } from './resolve-window.ts'
import { chooseWindow, edgeInstant } from './window.ts'

const instantOf = (text: string, side: 'from' | 'to') => edgeInstant(parseEdge(text) ?? Number.NaN, side, utc)

const iso = ({ from, to }: { readonly from: number; readonly to: number }) => [new Date(from).toISOString(), new Date(to).toISOString()]
const at = (text: string) => Date.parse(text)

describe('from and to', () => {
  const now = at('2026-11-14T10:00:00.000Z')
  const choose = (from: number | null, to: number | null) => iso(chooseWindow({ quickRange: 'last7Days', from, to, timezone: null }, now))
  test('override the preset', () => {
    expect(choose(0, 1000)).toEqual(['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:01.000Z'])
  })
  test('without to, the window ends now', () => {
    expect(choose(now - 5, null)).toEqual(['2026-11-14T09:59:59.995Z', '2026-11-14T10:00:00.000Z'])
  })
  test('without from, the window begins 24 hours before to', () => {
    expect(choose(null, now)).toEqual(['2026-11-13T10:00:00.000Z', '2026-11-14T10:00:00.000Z'])
  })
  test('can be equal, but from must not be after to', () => {
    expect(choose(7000, 7000)).toEqual(['1970-01-01T00:00:07.000Z', '1970-01-01T00:00:07.000Z'])
    expect(() => choose(7001, 7000)).toThrow('from must not be after to.')
    expect(() => choose(now + 1, null)).toThrow('from must not be after to.')
  })
})

describe('an instant', () => {
  test.each([
    ['0', '1970-01-01T00:00:00.000Z'],
    ['1700000000', '2023-11-14T22:13:20.000Z'],
    ['1700000000.5', '2023-11-14T22:13:20.500Z'],
    ['1700000000.0019', '2023-11-14T22:13:20.001Z'],
    ['99999999999', '5138-11-16T09:46:39.000Z'],
    ['100000000000', '1973-03-03T09:46:40.000Z'],
    ['1700000000123', '2023-11-14T22:13:20.123Z'],
    ['253402300799999', '9999-12-31T23:59:59.999Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-11-14T10:00Z', '2026-11-14T10:00:00.000Z'],
    ['2026-11-14T10:00:05Z', '2026-11-14T10:00:05.000Z'],
    ['2026-11-14T10:00:05.1Z', '2026-11-14T10:00:05.100Z'],
    ['2026-11-14T10:00:05.123456Z', '2026-11-14T10:00:05.123Z'],
    ['2026-11-14T10:00:05+02:00', '2026-11-14T08:00:05.000Z'],
    ['2026-11-14T10:00:05-0930', '2026-11-14T19:30:05.000Z'],
    ['2026-11-14T10:00:05 02:00', '2026-11-14T08:00:05.000Z'],
  ])('%s is %s', (text, expected) => {
    expect(new Date(instantOf(text, 'from')).toISOString()).toBe(expected)
  })
  test('a date as to is the end of that day', () => {
    expect(instantOf('2024-02-29', 'to')).toBe(at('2024-02-29T23:59:59.999Z'))
  })
  test.each([
    '',
    ' 5',
    '5 ',
    '+5',
    '-5',
    '0x10',
    '1e9',
    '1.',
    '.5',
    'Infinity',
    'NaN',
    'now',
    '1700000000123.5',
    '253402300800000',
    '9999999999999999',
    '2024-02-30',
    '2023-02-29',
    '2024-13-01',
    '2024-00-10',
    '2024-01-00',
    '2024-1-1',
    '1969-12-31',
    '0001-01-01',
    '0099-01-01',
    '10000-01-01',
    '2024-01-01T00:00:00',
    '2024-01-01 00:00:00Z',
    '2024-01-01T24:00:00Z',
    '2024-01-01T00:60:00Z',
    '2024-01-01T00:00:60Z',
    '2024-02-30T00:00:00Z',
    '2024-01-01T00:00:00+24:00',
    '1970-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '2024-01-01T00Z',
    '2024-W01-1',
    'Mon, 01 Jan 2024 00:00:00 GMT',
  ])('%j is rejected', (text) => {
    expect(parseEdge(text)).toBeUndefined()
  })
  test('every instant is parsed from its ISO form', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: at('9999-12-31T23:59:59.999Z') }), (instant) => {
        expect(parseEdge(new Date(instant).toISOString())).toBe(instant)
      }),
    )
  })
})

describe('in a time zone', () => {
  const berlin = { name: 'Europe/Berlin' }
  const now = at('2026-10-28T10:00:00Z')
  const choose = (more: object) => iso(chooseWindow({ quickRange: 'last24Hours', from: null, to: null, timezone: berlin, ...more }, now))
  test('calendar presets follow the zone, rolling presets do not', () => {
    expect(choose({ quickRange: 'thisMonth' })).toEqual(['2026-09-30T22:00:00.000Z', '2026-10-28T10:00:00.000Z'])
    expect(choose({ quickRange: 'lastWeek' })).toEqual(['2026-10-18T22:00:00.000Z', '2026-10-25T22:59:59.999Z'])
    expect(choose({ quickRange: 'last24Hours' })).toEqual(['2026-10-27T10:00:00.000Z', '2026-10-28T10:00:00.000Z'])
  })
  test('dates are days of the zone', () => {
    const day = { date: '2026-10-25' }
    expect(choose({ from: day, to: day })).toEqual(['2026-10-24T22:00:00.000Z', '2026-10-25T22:59:59.999Z'])
  })
})
