import { describe, expect, test } from 'vitest'
import { classify, deadlineAfter, isOfThePast, type PingResult, pingOutcome } from './pings.ts'

const minute = 60_000
const rhythm = { periodMs: 60 * minute, graceMs: 10 * minute }
const start = Date.UTC(2026, 10, 14, 10)
const received: PingResult = { startedAt: start, hasFailures: false, hasErrors: false }
const reported: PingResult = pingOutcome('reported', start)
const missed: PingResult = pingOutcome('missed', start)

describe('a ping', () => {
  test.each([
    ['is RECEIVED when it is the first', null, 0, 'RECEIVED'],
    ['is EARLY when it comes more than the margin before it is expected', received, 50 * minute - 1, 'EARLY'],
    ['is RECEIVED from the margin on', received, 50 * minute, 'RECEIVED'],
    ['is RECEIVED at the instant it is expected', received, 60 * minute, 'RECEIVED'],
    ['is GRACE a millisecond later', received, 60 * minute + 1, 'GRACE'],
    ['is GRACE at the deadline', received, 70 * minute, 'GRACE'],
    ['is LATE after the deadline, even where the miss is not yet written', received, 70 * minute + 1, 'LATE'],
    ['is LATE after a missed one, whenever it comes', missed, 1, 'LATE'],
    ['is judged by its time after a failure that the job itself reported', reported, 60 * minute, 'RECEIVED'],
    ['is EARLY when a result ahead of the clock stands before it', received, -minute, 'EARLY'],
  ] as const)('%s', (_, previous, afterMs, state) => {
    expect(classify(previous, start + afterMs, rhythm)).toBe(state)
  })

  test('has a margin of a tenth of the period for a short grace, and of at most half of it for a long one', () => {
    expect(classify(received, start + 54 * minute - 1, { ...rhythm, graceMs: 0 })).toBe('EARLY')
    expect(classify(received, start + 54 * minute, { ...rhythm, graceMs: 0 })).toBe('RECEIVED')
    expect(classify(received, start + 30 * minute, { ...rhythm, graceMs: 600 * minute })).toBe('RECEIVED')
    expect(classify(received, start + 30 * minute - 1, { ...rhythm, graceMs: 600 * minute })).toBe('EARLY')
  })
})

test('a received ping has no error, and a reported or missed one has', () => {
  const outcomes = (['RECEIVED', 'GRACE', 'reported', 'missed'] as const).map((kind) => pingOutcome(kind, start))
  expect(outcomes.map(({ hasFailures, hasErrors, state, error }) => [hasFailures, hasErrors, state, error])).toEqual([
    [false, false, 'RECEIVED', null],
    [false, false, 'GRACE', null],
    [true, false, 'FAILING', 'the job reported a failure'],
    [true, true, 'FAILING', 'no ping by the deadline'],
  ])
  const { isDegraded, overMaxResponseTime, attempts, values, pages } = pingOutcome('RECEIVED', start)
  expect({ isDegraded, overMaxResponseTime, attempts, values, pages }).toEqual({
    isDegraded: false,
    overMaxResponseTime: false,
    attempts: 1,
    values: {},
    pages: [],
  })
})

describe('a deadline', () => {
  test('is null before the first ping', () => {
    expect(deadlineAfter(null, rhythm, start)).toBeNull()
  })

  test('is one period and the grace after a ping, even if it passed before monitoring began', () => {
    expect(deadlineAfter(received, rhythm, start)).toBe(start + 70 * minute)
    expect(deadlineAfter(received, rhythm, start + 5000 * minute)).toBe(start + 70 * minute)
    expect(deadlineAfter(reported, rhythm, start)).toBe(start + 70 * minute)
  })

  test('is one period after the missed one, so that each expected ping gives one result', () => {
    expect(deadlineAfter(missed, rhythm, start - minute)).toBe(start + 60 * minute)
    expect(deadlineAfter(missed, rhythm, start)).toBe(start + 60 * minute)
  })

  test('after a missed ping requires a whole period of monitoring', () => {
    expect(deadlineAfter(missed, rhythm, start + 1)).toBe(start + 120 * minute)
    expect(deadlineAfter(missed, rhythm, start + 60 * minute)).toBe(start + 120 * minute)
    expect(deadlineAfter(missed, rhythm, start + 61 * minute)).toBe(start + 180 * minute)
  })
})

describe('a scheduled job', () => {
  const cron = { schedule: '0 3 * * *', timezone: 'Europe/Berlin' }
  const schedule = { periodMs: 24 * 3_600_000, graceMs: 1_800_000, cron }
  const at = (text: string) => Date.parse(text)
  const pinged = (text: string) => ({ startedAt: at(text), hasFailures: false, hasErrors: false })
  const missed = (text: string) => ({ startedAt: at(text), hasFailures: true, hasErrors: true })

  test('is expected when it is due, whenever the last ping was', () => {
    expect(deadlineAfter(pinged('2026-11-16T02:05:00Z'), schedule, 0)).toBe(at('2026-11-17T02:30:00Z'))
    expect(deadlineAfter(pinged('2026-11-16T20:00:00Z'), schedule, 0)).toBe(at('2026-11-17T02:30:00Z'))
    expect(deadlineAfter(pinged('2026-11-17T01:59:30Z'), schedule, 0)).toBe(at('2026-11-18T02:30:00Z'))
  })

  test('that was missed is missed again the next time it is due', () => {
    expect(deadlineAfter(missed('2026-11-17T02:30:00Z'), schedule, 0)).toBe(at('2026-11-18T02:30:00Z'))
    expect(deadlineAfter(missed('2026-11-17T02:30:00Z'), schedule, at('2026-11-19T12:00:00Z'))).toBe(at('2026-11-20T02:30:00Z'))
  })

  test('has a state relative to its due time', () => {
    const after = (text: string) => classify(pinged('2026-11-16T02:05:00Z'), at(text), schedule)
    expect(after('2026-11-16T12:00:00Z')).toBe('EARLY')
    expect(after('2026-11-17T02:10:00Z')).toBe('RECEIVED')
    expect(after('2026-11-17T02:30:00Z')).toBe('RECEIVED')
    expect(after('2026-11-17T02:30:01Z')).toBe('LATE')
  })
})

describe('a result that arrives late', () => {
  const past = (previous: PingResult, deadline: number, schedule: Parameters<typeof isOfThePast>[1] = rhythm) =>
    [deadline, deadline + 1].map((arrivedAt) => isOfThePast({ ...previous, arrivedAt }, schedule))

  test('is in the past once its deadline is over', () => {
    expect(past(received, start + 70 * minute)).toEqual([false, true])
    expect(past(missed, start + 60 * minute)).toEqual([false, true])
    expect(isOfThePast(received, rhythm)).toBe(false)
  })

  test('of a scheduled job is in the past once the job was due again', () => {
    const cron = { schedule: '0 3 * * *', timezone: 'UTC' }
    const schedule = { periodMs: 24 * 60 * minute, graceMs: 30 * minute, cron }
    const at = Date.parse('2026-11-16T03:30:00Z')
    expect(past({ startedAt: at, hasFailures: true, hasErrors: true }, at + 24 * 60 * minute, schedule)).toEqual([false, true])
    expect(past({ startedAt: at, hasFailures: false, hasErrors: false }, at + 24 * 60 * minute, schedule)).toEqual([false, true])
  })
})
