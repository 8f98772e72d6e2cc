import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { hourMs } from '../time.ts'
import { cronFault, longestPeriodMs, nextDue } from './cron.ts'
import { temporal } from './temporal.ts'

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

test.each(['jan feb mar apr may jun jul aug sep oct nov dec'.split(' '), 'sun mon tue wed thu fri sat'.split(' ')])(
  '%s and the other names stand for numbers',
  (...names) => {
    const schedule = (value: string | number) => (names.length === 12 ? `0 0 1 ${value} *` : `0 0 * * ${value}`)
    const dueByName = names.map((name) => next(schedule(name), '2026-11-17T00:00:00Z'))
    expect(dueByName).toEqual(names.map((_, index) => next(schedule(index + (names.length === 12 ? 1 : 0)), '2026-11-17T00:00:00Z')))
    expect(new Set(dueByName).size).toBe(names.length)
  },
)

test('a schedule follows its time zone, also across clock changes', () => {
  expect(next('0 3 * * *', '2026-11-17T00:00:00Z', 'Europe/Berlin')).toBe('2026-11-17T02:00:00.000Z')
  expect(next('0 3 * * *', '2026-07-17T00:00:00Z', 'Europe/Berlin')).toBe('2026-07-17T01:00:00.000Z')
  const inGap = Date.parse(next('30 2 * * *', '2026-03-28T12:00:00Z', 'Europe/Berlin'))
  expect(inGap).toBeGreaterThanOrEqual(Date.parse('2026-03-29T00:30:00Z'))
  expect(inGap).toBeLessThanOrEqual(Date.parse('2026-03-29T01:30:00Z'))
  expect(next('30 2 * * *', '2026-10-24T12:00:00Z', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z')
})

test.each([
  ['2026-03-29T00:00:00Z', 'skip an hour'],
  ['2026-10-25T00:00:00Z', 'repeat an hour'],
])('from %s, when clocks %s, each time of day is computed only once', (from) => {
  const compute = vi.spyOn(temporal().PlainDateTime.prototype, 'toZonedDateTime')
  onTestFinished(() => compute.mockRestore())
  const hour = Array.from({ length: 60 }, (_, minute) => Date.parse(from) + minute * 60_000 - 1)
  const dues = hour.map((after) => nextDue({ schedule: '* * * * *', timezone: 'Europe/Vienna' }, after))
  expect(dues).toEqual(hour.map((after) => after + 1))
  expect(compute.mock.calls.length).toBeGreaterThan(0)
  expect(compute.mock.calls.length).toBeLessThanOrEqual(1440)
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
  '5- * * * *',
  '-5 * * * *',
  '0x5 * * * *',
  '1.0 * * * *',
  '1e1 * * * *',
  '0 0 30 feb *',
  '0 0 29 feb *',
  '* * * * * *',
  '@reboot',
])('%j is not a valid schedule', (schedule) => {
  expect(cronFault(schedule)).not.toBeNull()
})

test.each([
  ['* * * * *', 1 / 60],
  ['0 3 * * *', 24],
  ['0 9-17 * * *', 16],
  ['0 9 * * mon-fri', 72],
  ['0 0 1 * *', 31 * 24],
])('the longest period of %s is %d hours', (schedule, hours) => {
  expect(longestPeriodMs({ schedule, timezone: 'UTC' }) / hourMs).toBeCloseTo(hours, 9)
})

test('any schedule is due at the first minute that a naive search finds', () => {
  /** Zones without clock changes. */
  const zones = fc.constantFrom(
    { timezone: 'UTC', offset: 0 },
    { timezone: 'Asia/Kolkata', offset: 330 },
    { timezone: 'America/Phoenix', offset: -420 },
  )
  const field = (min: number, max: number) => {
    const number = fc.integer({ min, max })
    const range = fc.tuple(number, number).map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const)
    return fc.oneof(
      { weight: 2, arbitrary: fc.constant({ text: '*', holds: (_: number) => true, isAny: true }) },
      { weight: 2, arbitrary: number.map((one) => ({ text: String(one), holds: (value: number) => value === one, isAny: false })) },
      {
        weight: 1,
        arbitrary: fc.tuple(range, fc.integer({ min: 1, max: 7 })).map(([[from, to], step]) => ({
          text: `${from}-${to}/${step}`,
          holds: (value: number) => value >= from && value <= to && (value - from) % step === 0,
          isAny: false,
        })),
      },
    )
  }
  const fields = fc.tuple(field(0, 59), field(0, 23), field(1, 28), field(0, 6))
  const start = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2030, 0) })
  fc.assert(
    fc.property(fields, start, zones, ([minute, hour, day, weekday], after, { timezone, offset }) => {
      const schedule = `${minute.text} ${hour.text} ${day.text} * ${weekday.text}`
      const isDay = (date: Date) => {
        const [ofMonth, ofWeek] = [day.holds(date.getUTCDate()), weekday.holds(date.getUTCDay())]
        return day.isAny || weekday.isAny ? ofMonth && ofWeek : ofMonth || ofWeek
      }
      let at = Math.floor(after / 60_000) * 60_000 + 60_000
      for (;;) {
        const local = new Date(at + offset * 60_000)
        if (isDay(local) && hour.holds(local.getUTCHours()) && minute.holds(local.getUTCMinutes())) break
        // Skips the rest of an hour or day that does not match.
        const rest = !isDay(local)
          ? 1440 - local.getUTCHours() * 60 - local.getUTCMinutes()
          : hour.holds(local.getUTCHours())
            ? 1
            : 60 - local.getUTCMinutes()
        at += rest * 60_000
      }
      expect(new Date(nextDue({ schedule, timezone }, after)).toISOString()).toBe(new Date(at).toISOString())
    }),
  )
})
