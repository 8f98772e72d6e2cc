import { afterEach, expect, test } from 'vitest'
import { hourMs } from '../../time.ts'
import { automaticBucket, bucketAfter, bucketIn, callsFor, possibleBuckets } from './bucket-choice.ts'
import { showZone } from './zone.ts'

const spanOf = (hours: number) => ({ from: 0, to: hours * hourMs })

afterEach(() => showZone(null))

test('the automatic bucket gives a chart with a single request', () => {
  for (const hours of [0.01, 1, 24, 168, 720, 8760, 60_000]) {
    expect(callsFor(spanOf(hours), automaticBucket(spanOf(hours), 1))).toBe(1)
  }
})

test('the automatic bucket is no finer than the interval of the check', () => {
  expect(automaticBucket(spanOf(1), 10)).toBe(10)
  expect(automaticBucket(spanOf(24), 0)).toBe(15)
})

test('the automatic bucket is a multiple of the period, or so large that a remainder does not matter', () => {
  expect(automaticBucket(spanOf(24), 10)).toBe(20)
  expect(automaticBucket(spanOf(24), 4)).toBe(20)
  expect(automaticBucket(spanOf(24), 2)).toBe(20)
  expect(automaticBucket(spanOf(24), 7)).toBe(120)
  for (const every of [1, 2, 3, 4, 5, 6, 7, 10, 12, 15, 30, 45, 60, 90, 720]) {
    for (const hours of [1, 6, 24, 168, 720, 2160]) {
      const width = automaticBucket(spanOf(hours), every)
      const bucket = typeof width === 'number' ? width : { day: 1440, week: 10_080, month: 43_200 }[width]
      expect(bucket % every === 0 || bucket >= 12 * every, `${every} min in ${hours} h: ${bucket}`).toBe(true)
    }
  }
})

test('buckets can be chosen that need up to ten requests and are smaller than the window', () => {
  expect(possibleBuckets(spanOf(24 * 90))).toEqual([180, 240, 360, 720, 'day', 'week', 'month'])
  expect(possibleBuckets(spanOf(24))).toEqual([2, 5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 720])
  expect(callsFor(spanOf(24), 2)).toBe(8)
})

test('days in a URL are given by name or in minutes', () => {
  const asked = (interval: string) => bucketIn(new URLSearchParams({ aggregationInterval: interval }), spanOf(24 * 30))
  expect([asked('day'), asked('1440'), asked('60'), asked('1'), asked('x')]).toEqual(['day', 'day', 60, null, null])
})

test('days are from midnight to midnight of the reader, and parts of days end with them', () => {
  showZone('Europe/Berlin')
  const iso = (at: number) => new Date(at).toISOString()
  const [before, midnight] = [Date.parse('2026-10-24T22:00:00Z'), Date.parse('2026-10-25T23:00:00Z')]
  expect(iso(bucketAfter(before, 'day'))).toBe(iso(midnight))
  expect(iso(bucketAfter(Date.parse('2026-10-25T22:00:00Z'), 720))).toBe(iso(midnight))
  expect(iso(bucketAfter(before, 720))).toBe('2026-10-25T10:00:00.000Z')
  expect(iso(bucketAfter(Date.parse('2026-09-30T22:00:00Z'), 'month'))).toBe('2026-10-31T23:00:00.000Z')
})
