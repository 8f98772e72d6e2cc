import { expect, test } from 'vitest'
import { hourMs } from '../time.ts'
import { cronFault, longestPeriodMs, nextDue } from './cron.ts'

const next = (schedule: string, after: string, timezone = 'UTC') =>
  new Date(nextDue({ schedule, timezone }, Date.parse(after))).toISOString()

test.each([
  ['0 3 * * *', '2026-11-17T02:59:59.999Z', '2026-11-17T03:00:00.000Z'],
  ['0 3 * * *', '2026-11-17T03:00:00Z', '2026-11-18T03:00:00.000Z'],
  ['*/15 * * * *', '2026-11-17T03:14:00Z', '2026-11-17T03:15:00.000Z'],
  ['*/15 * * * *', '2026-11-17T23:50:00Z', '2026-11-18T00:00:00.000Z'],
  ['5/20 9-17 * * mon-fri', '2026-11-20T17:46:00Z', '2026-11-23T09:05:00.000Z'],
  ['0 0 1 jan *', '2026-11-17T00:00:00Z', '2027-01-01T00:00:00.000Z'],
  ['0 0 31 * *', '2026-11-17T00:00:00Z', '2026-12-31T00:00:00.000Z'],
  ['0 12 13 * fri', '2026-11-17T00:00:00Z', '2026-11-20T12:00:00.000Z'],
  ['0 0 * * 7', '2026-11-17T00:00:00Z', '2026-11-22T00:00:00.000Z'],
  ['@weekly', '2026-11-17T00:00:00Z', '2026-11-22T00:00:00.000Z'],
])('%s after %s is due at %s', (schedule, after, due) => {
  expect(cronFault(schedule)).toBeNull()
  expect(next(schedule, after)).toBe(due)
})

test('a schedule is of its time zone, also where clocks change', () => {
  expect(next('0 3 * * *', '2026-11-17T00:00:00Z', 'Europe/Berlin')).toBe('2026-11-17T02:00:00.000Z')
  expect(next('0 3 * * *', '2026-07-17T00:00:00Z', 'Europe/Berlin')).toBe('2026-07-17T01:00:00.000Z')
  const inGap = Date.parse(next('30 2 * * *', '2026-03-28T12:00:00Z', 'Europe/Berlin'))
  expect(inGap).toBeGreaterThanOrEqual(Date.parse('2026-03-29T00:30:00Z'))
  expect(inGap).toBeLessThanOrEqual(Date.parse('2026-03-29T01:30:00Z'))
  expect(next('30 2 * * *', '2026-10-24T12:00:00Z', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z')
})

test.each([
  '',
  '* * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * * 13 *',
  '* * * * 8',
  '5-1 * * * *',
  'a * * * *',
  '*/0 * * * *',
  '1-2-3 * * * *',
  '0 0 30 feb *',
  '0 0 29 feb *',
  '* * * * * *',
  '@reboot',
])('%j is no schedule', (schedule) => {
  expect(cronFault(schedule)).not.toBeNull()
})

test.each([
  ['* * * * *', 1 / 60],
  ['0 3 * * *', 24],
  ['0 9-17 * * *', 16],
  ['0 9 * * mon-fri', 72],
  ['0 0 1 * *', 31 * 24],
])('the longest time between two of %s is %d hours', (schedule, hours) => {
  expect(longestPeriodMs({ schedule, timezone: 'UTC' }) / hourMs).toBeCloseTo(hours, 9)
})
