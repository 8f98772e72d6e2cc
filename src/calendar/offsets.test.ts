import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arbitraryInstant, naiveLocal, oddZones } from '../../test/support/naive-calendar.ts'
import { zoneOf } from '../../test/support/zone.ts'
import { dayOfWeekAt, hourOfDayAt } from './local-fields.ts'
import { offsetSegments } from './offsets.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000

describe.each(oddZones)('hours and weekdays in %s', (name) => {
  test('match clocks and calendars', () => {
    const times = fc.array(fc.nat(400 * dayMs), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(arbitraryInstant(name), times, (from, distances) => {
        const times = Float64Array.from(distances, (distance) => from + distance).sort()
        const segments = structuredClone(offsetSegments(zoneOf(name), { from, to: times.at(-1) ?? from }))
        for (const time of times) {
          const [hour, day] = [hourOfDayAt(time, segments), dayOfWeekAt(time, segments)]
          for (const instant of [time, hour.until - 1]) expect(hour.value).toBe(naiveDate(instant, name).getUTCHours())
          for (const instant of [time, day.until - 1]) expect(day.value).toBe(naiveDate(instant, name).getUTCDay() || 7)
          expect(Math.min(hour.until, day.until)).toBeGreaterThan(time)
        }
      }),
      { numRuns: 15 },
    )
  })
})

describe('offset segments', () => {
  test('begin at changes of the offset, and adjacent ones differ', () => {
    const { starts, offsetsMs } = offsetSegments(zoneOf('Europe/Berlin'), { from: Date.UTC(2019, 0), to: Date.UTC(2031, 0) })
    const from2026 = [...starts].findIndex((start) => start >= Date.UTC(2026, 0))
    expect(Array.from(starts.subarray(from2026, from2026 + 2), (start) => new Date(start).toISOString())).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-10-25T01:00:00.000Z',
    ])
    expect([...offsetsMs.subarray(from2026, from2026 + 2)]).toEqual([2 * hourMs, hourMs])
    expect(offsetsMs.every((offsetMs, i) => offsetMs !== offsetsMs[i + 1])).toBe(true)
  })
  test('around 1970 have the right weekday before the epoch', () => {
    expect(dayOfWeekAt(0, offsetSegments(zoneOf('America/New_York'), { from: 0, to: 0 })).value).toBe(3)
  })
})

const naiveDate = (instant: number, zone: string) => new Date(naiveLocal(instant, zone))
