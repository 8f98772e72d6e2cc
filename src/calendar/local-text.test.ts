import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arbitraryInstant, naiveLocal, oddZones } from '../../test/support/naive-calendar.ts'
import { zoneOf } from '../../test/support/zone.ts'
import { localText } from './local-text.ts'

const at = (text: string) => Date.parse(text)

describe('local text', () => {
  test.each([
    ['Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25T00:00:00.000+02:00'],
    ['Europe/Berlin', '2026-10-25T00:59:59.999Z', '2026-10-25T02:59:59.999+02:00'],
    ['Europe/Berlin', '2026-10-25T01:00:00Z', '2026-10-25T02:00:00.000+01:00'],
    ['America/St_Johns', '2026-01-01T00:00:00Z', '2025-12-31T20:30:00.000-03:30'],
    ['Asia/Kathmandu', '2026-01-01T00:00:00Z', '2026-01-01T05:45:00.000+05:45'],
    ['Europe/London', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000+00:00'],
    ['Africa/Monrovia', '1971-01-01T00:00:00Z', '1970-12-31T23:15:30.000-00:44:30'],
    ['UTC', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z'],
  ])('in %s of %s is %s', (zone, instant, text) => {
    expect(localText(at(instant), zoneOf(zone))).toBe(text)
  })
  test('shows what clocks show, and parses to the same instant', () => {
    const zoned = fc.constantFrom(...oddZones).chain((name) => fc.tuple(fc.constant(name), arbitraryInstant(name)))
    fc.assert(
      fc.property(zoned, ([name, instant]) => {
        const text = localText(instant, zoneOf(name))
        expect(at(text)).toBe(instant)
        expect(`${text.slice(0, 23)}Z`).toBe(new Date(naiveLocal(instant, name)).toISOString())
      }),
    )
  })
})
