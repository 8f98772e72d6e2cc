import { expect, onTestFinished, test } from 'vitest'
import { showZone } from '../state/zone.ts'
import { fieldInstant, fieldTime } from './local-time-field.tsx'

test.each([
  ['UTC', '2026-12-24T14:00:00.000Z'],
  ['Europe/Berlin', '2026-12-24T13:00:00.000Z'],
  ['Asia/Kolkata', '2026-12-24T08:30:00.000Z'],
])('a time is in the shown zone: %s', (zone, instant) => {
  onTestFinished(() => showZone(null))
  showZone(zone)
  expect(new Date(fieldInstant('2026-12-24T14:00')).toISOString()).toBe(instant)
  expect(fieldTime(Date.parse(instant))).toBe('2026-12-24T14:00')
})

test('an incomplete time is invalid', () => {
  expect(fieldInstant('')).toBeNaN()
})
