// @slow
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arbitraryInstant, naiveBucket, naiveStartAfter, naiveStartOf, oddZones, unitOf } from '../../test/support/naive-calendar.ts'
import { triesOf } from '../../test/support/tries.ts'
import { zoneOf } from '../../test/support/zone.ts'
import { bucketCount, bucketEnd, bucketStart, bucketStarts, type CalendarBuckets } from './bucket-index.ts'
import { calendarBuckets } from './buckets.ts'
import type { CalendarUnit } from './utc-calendar.ts'
import type { Window } from './window.ts'
import { utc } from './zone.ts'

const dayMs = 86_400_000
const minuteMs = 60_000
const at = (text: string) => Date.parse(text)
const iso = (instant: number) => new Date(instant).toISOString()
const all = { offset: 0, limit: 100_000 }

function bucketsOf(interval: number | CalendarUnit, zone: string, window: Window): CalendarBuckets {
  const buckets = calendarBuckets(interval, zoneOf(zone), window)
  if (!buckets) throw new Error(`${interval} is no interval`)
  return structuredClone(buckets)
}

describe.each(oddZones)('buckets in %s', (name) => {
  const interval = fc.constantFrom<number | CalendarUnit>(15, 45, 60, 90, 480, 720, 1440, 10080, 'day', 'week', 'month')
  const window = fc
    .tuple(arbitraryInstant(name), fc.integer({ min: 0, max: 60 * dayMs }))
    .map(([from, length]) => ({ from, to: from + length }))

  test('contain a time as those of a naive calendar do', () => {
    fc.assert(
      fc.property(interval, window, fc.double({ min: 0, max: 1, noNaN: true }), (interval, { from, to }, share) => {
        const time = Math.floor(from + share * (to - from))
        const buckets = bucketsOf(interval, name, { from, to })
        expect(iso(bucketStart(buckets, time))).toBe(iso(naiveBucket(interval, time, name).start))
        expect(iso(bucketEnd(buckets, time))).toBe(iso(naiveBucket(interval, time, name).end))
      }),
      { numRuns: triesOf(15) },
    )
  })
  test('contain any time, also before and after the window', () => {
    const beyond = fc.integer({ min: -3 * dayMs, max: 3 * dayMs })
    fc.assert(
      fc.property(interval, window, beyond, (interval, window, ms) => {
        const buckets = bucketsOf(interval, name, window)
        const time = ms < 0 ? window.from + ms : window.to + ms
        const [start, end] = [bucketStart(buckets, time), bucketEnd(buckets, time)]
        const unit = unitOf(interval)
        const edges = { first: naiveStartOf(unit, window.from, name), last: naiveStartAfter(unit, window.to, name) }
        if (time < edges.first) expect([start, end]).toEqual([-Infinity, edges.first])
        else if (time >= edges.last) expect([start, end]).toEqual([edges.last, Infinity])
        else expect({ start, end }).toEqual(naiveBucket(interval, time, name))
      }),
      { numRuns: triesOf(30) },
    )
  })
  test('of a window wider than their edges follow each other without gaps, also in pages', () => {
    const beyondMs = fc.nat(3 * dayMs)
    fc.assert(
      fc.property(interval, window, beyondMs, beyondMs, fc.nat(200), (interval, window, before, behind, offset) => {
        const buckets = bucketsOf(interval, name, window)
        const wide = { from: window.from - before, to: window.to + behind }
        const starts: number[] = []
        for (let time = wide.from; time <= wide.to; time = bucketEnd(buckets, time)) starts.push(bucketStart(buckets, time))
        expect([...bucketStarts(buckets, wide, all)]).toEqual(starts)
        expect(bucketCount(buckets, wide)).toBe(starts.length)
        expect([...bucketStarts(buckets, wide, { offset, limit: 50 })]).toEqual(starts.slice(offset, offset + 50))
      }),
      { numRuns: triesOf(15) },
    )
  })
  test('of a window follow each other without gaps, also in pages', () => {
    fc.assert(
      fc.property(interval, window, fc.nat(200), fc.integer({ min: 1, max: 200 }), (interval, window, offset, limit) => {
        const buckets = bucketsOf(interval, name, window)
        const starts = [...bucketStarts(buckets, window, all)]
        expect(starts[0]).toBe(bucketStart(buckets, window.from))
        expect(starts.at(-1)).toBe(bucketStart(buckets, window.to))
        expect(starts.slice(1)).toEqual(starts.slice(0, -1).map((start) => bucketEnd(buckets, start)))
        expect(bucketCount(buckets, window)).toBe(starts.length)
        expect([...bucketStarts(buckets, window, { offset, limit })]).toEqual(starts.slice(offset, offset + limit))
      }),
      { numRuns: triesOf(15) },
    )
  })
})

describe('buckets of minutes in a zone', () => {
  test('count elapsed time, and the last bucket of a day ends with the day', () => {
    const window = { from: at('2026-10-24T22:00:00Z'), to: at('2026-10-25T22:59:59.999Z') }
    const buckets = bucketsOf(480, 'Europe/Berlin', window)
    const starts = [...bucketStarts(buckets, window, all)]
    expect(starts.map(iso)).toEqual([
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T06:00:00.000Z',
      '2026-10-25T14:00:00.000Z',
      '2026-10-25T22:00:00.000Z',
    ])
    expect(iso(bucketEnd(buckets, window.to))).toBe('2026-10-25T23:00:00.000Z')
  })
  test('have a shorter last one on a day of 23 hours', () => {
    const window = { from: at('2026-03-28T23:00:00Z'), to: at('2026-03-29T21:59:59.999Z') }
    const buckets = bucketsOf(480, 'Europe/Berlin', window)
    expect(bucketCount(buckets, window)).toBe(3)
    expect(iso(bucketStart(buckets, window.to))).toBe('2026-03-29T15:00:00.000Z')
    expect(iso(bucketEnd(buckets, window.to))).toBe('2026-03-29T22:00:00.000Z')
  })
  test.each([
    [1440, 'day'],
    [10080, 'week'],
  ] as const)('%i are the same as %s', (minutes, unit) => {
    const window = { from: at('2026-01-01T00:00:00Z'), to: at('2026-12-31T00:00:00Z') }
    expect(bucketsOf(minutes, 'Europe/Berlin', window)).toEqual(bucketsOf(unit, 'Europe/Berlin', window))
  })
  test.each([0, -60, 0.5, 7, 1.5, 2880, 20160, Number.NaN, Infinity])('of %d minutes are rejected', (minutes) => {
    expect(calendarBuckets(minutes, zoneOf('Europe/Berlin'), { from: 0, to: dayMs })).toBeUndefined()
  })
  test('are paged without listing millions of them', () => {
    const window = { from: 0, to: at('2026-01-01T00:00:00Z') }
    const buckets = bucketsOf(1, 'Asia/Kolkata', window)
    expect(bucketCount(buckets, window)).toBe((window.to - window.from) / minuteMs + 1)
    expect([...bucketStarts(buckets, window, { offset: 20_000_000, limit: 2 })]).toEqual([20_000_000 * minuteMs, 20_000_001 * minuteMs])
  })
})

test('months in UTC are calendar months', () => {
  const window = { from: at('2028-01-31T00:00:00Z'), to: at('2028-03-01T00:00:00Z') }
  const buckets = calendarBuckets('month', utc, window)
  expect(buckets && [...buckets.edges].map(iso)).toEqual([
    '2028-01-01T00:00:00.000Z',
    '2028-02-01T00:00:00.000Z',
    '2028-03-01T00:00:00.000Z',
    '2028-04-01T00:00:00.000Z',
  ])
})
