import { describe, expect, test } from 'vitest'
import { classify, deadlineAfter, type PingResult, pingOutcome } from './pings.ts'

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

  test('has a margin of a tenth of the period where the grace is shorter, and of half of it where the grace is longer', () => {
    expect(classify(received, start + 54 * minute - 1, { ...rhythm, graceMs: 0 })).toBe('EARLY')
    expect(classify(received, start + 54 * minute, { ...rhythm, graceMs: 0 })).toBe('RECEIVED')
    expect(classify(received, start + 30 * minute, { ...rhythm, graceMs: 600 * minute })).toBe('RECEIVED')
    expect(classify(received, start + 30 * minute - 1, { ...rhythm, graceMs: 600 * minute })).toBe('EARLY')
  })
})

describe('a deadline', () => {
  test('is not there before the first ping', () => {
    expect(deadlineAfter(null, rhythm, start)).toBeNull()
  })

  test('is one period and the grace after a ping, also where it passed before anybody listened', () => {
    expect(deadlineAfter(received, rhythm, start)).toBe(start + 70 * minute)
    expect(deadlineAfter(received, rhythm, start + 5000 * minute)).toBe(start + 70 * minute)
    expect(deadlineAfter(reported, rhythm, start)).toBe(start + 70 * minute)
  })

  test('is one period after the missed one, so that each expected ping is one result', () => {
    expect(deadlineAfter(missed, rhythm, start - minute)).toBe(start + 60 * minute)
    expect(deadlineAfter(missed, rhythm, start)).toBe(start + 60 * minute)
  })

  test('after a missed ping needs a whole period of listening', () => {
    expect(deadlineAfter(missed, rhythm, start + 1)).toBe(start + 120 * minute)
    expect(deadlineAfter(missed, rhythm, start + 60 * minute)).toBe(start + 120 * minute)
    expect(deadlineAfter(missed, rhythm, start + 61 * minute)).toBe(start + 180 * minute)
  })
})
