import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arbitraryInstant, naiveLocal, oddZones } from '../../test/support/naive-calendar.ts'
import { zoneOf } from '../../test/support/zone.ts'
import { fillDayOfWeek, fillHourOfDay } from './local-fields.ts'
import { offsetSegments } from './offsets.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000

describe.each(oddZones)('hours and weekdays in %s', (name) => {
  test('are those that clocks and calendars show', () => {
    const times = fc.array(fc.nat(400 * dayMs), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(arbitraryInstant(name), times, (from, distances) => {
        const times = Float64Array.from(distances, (distance) => from + distance).sort()
        const segments = structuredClone(offsetSegments(zoneOf(name), { from, to: times.at(-1) ?? from }))
        const hours = new Uint8Array(times.length)
        const days = new Int32Array(times.length)
        fillHourOfDay(times, segments, hours)
        fillDayOfWeek(times, segments, days)
        const locals = Array.from(times, (time) => new Date(naiveLocal(time, name)))
        expect([...hours]).toEqual(locals.map((local) => local.getUTCHours()))
        expect([...days]).toEqual(locals.map((local) => local.getUTCDay() || 7))
      }),
      { numRuns: 15 },
    )
  })
})

describe('offset segments', () => {
  test('begin at the changes of the offset, and lie side by side only where it differs', () => {
    const { starts, offsetsMs } = offsetSegments(zoneOf('Europe/Berlin'), { from: Date.UTC(2019, 0), to: Date.UTC(2031, 0) })
    const from2026 = [...starts].findIndex((start) => start >= Date.UTC(2026, 0))
    expect(Array.from(starts.subarray(from2026, from2026 + 2), (start) => new Date(start).toISOString())).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-10-25T01:00:00.000Z',
    ])
    expect([...offsetsMs.subarray(from2026, from2026 + 2)]).toEqual([2 * hourMs, hourMs])
    expect(offsetsMs.every((offsetMs, i) => offsetMs !== offsetsMs[i + 1])).toBe(true)
  })
  test('around 1970 count days before the epoch right', () => {
    const into = new Uint8Array(1)
    fillDayOfWeek(Float64Array.of(0), offsetSegments(zoneOf('America/New_York'), { from: 0, to: 0 }), into)
    expect(into[0]).toBe(3)
  })
})
