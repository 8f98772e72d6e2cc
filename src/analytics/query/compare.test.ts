import { describe, expect, test } from 'vitest'
import { findZone, type Zone } from '../../calendar/zone.ts'
import { dayMs } from '../../time.ts'
import { changeOf, comparedWindow } from './compare.ts'

const now = Date.parse('2026-11-14T10:20:30.456Z')

describe('the previous period', () => {
  const window = { from: now - 3 * dayMs, to: now - dayMs }
  const before = { from: now - 5 * dayMs, to: now - 3 * dayMs }

  test.each([
    ['from and to', { from: window.from, to: window.to }],
    ['from alone', { from: window.from, to: null }],
    ['to alone', { from: null, to: window.to }],
  ])('has the same length if the window is given by %s, whatever the preset', (_, edges) => {
    const request = { quickRange: 'thisMonth', timezone: null, ...edges } as const
    expect(comparedWindow('previousPeriod', request, window)).toEqual(before)
  })

  test('does not begin before the epoch', () => {
    const early = { from: dayMs, to: 4 * dayMs }
    const request = { quickRange: 'last24Hours', timezone: null, ...early } as const
    expect(comparedWindow('previousPeriod', request, early)).toEqual({ from: 0, to: dayMs })
  })

  test('of a single instant is a week earlier for the same weekdays', () => {
    const instant = { from: now, to: now }
    const request = { quickRange: 'last24Hours', timezone: null, ...instant } as const
    expect(comparedWindow('sameWeekdays', request, instant)).toEqual({ from: now - 7 * dayMs, to: now - 7 * dayMs })
  })
})

describe('the same weekdays across a clock change', () => {
  const timezone = findZone('Europe/Berlin') as Zone
  const compared = (from: string, to: string) => {
    const window = { from: Date.parse(from), to: Date.parse(to) }
    const before = comparedWindow('sameWeekdays', { quickRange: 'last24Hours', timezone, ...window }, window)
    return [before.from, before.to].map((instant) => new Date(instant).toISOString())
  }

  test('are those of the week before for a week of 169 hours', () => {
    const week = compared('2026-10-18T22:00:00.000Z', '2026-10-25T22:59:59.999Z')
    expect(week).toEqual(['2026-10-11T22:00:00.000Z', '2026-10-18T21:59:59.999Z'])
  })

  test('do not overlap a window of seven times 24 hours in which clocks skip an hour', () => {
    const week = compared('2026-03-22T23:00:00.000Z', '2026-03-29T23:00:00.000Z')
    expect(week).toEqual(['2026-03-08T23:00:00.000Z', '2026-03-16T00:00:00.000Z'])
  })
})

describe('a given window for comparison', () => {
  const request = { quickRange: 'last24Hours', timezone: null, from: null, to: null } as const
  const ownWindow = (from: number, to: number) => comparedWindow({ from, to }, request, { from: now - dayMs, to: now })

  test('may be a single instant, but must not end before it begins', () => {
    expect(ownWindow(1000, 1000)).toEqual({ from: 1000, to: 1000 })
    expect(() => ownWindow(1001, 1000)).toThrow(expect.objectContaining({ code: 'INVALID_WINDOW' }))
  })
})

describe('a percentile', () => {
  const bounds = (low: unknown, high: unknown) => ({ p_low: low, p_high: high }) as Record<string, number | null>

  test.each([
    ['is higher where its interval lies above the one before', [5, 9], [1, 4], 'higher'],
    ['is lower where its interval lies below the one before', [1, 4], [5, 9], 'lower'],
    ['has not evidently changed where the intervals overlap', [3, 9], [1, 4], 'no evidence'],
    ['has not evidently changed where its interval begins at the end of the other', [4, 9], [1, 4], 'no evidence'],
    ['has not evidently changed where its interval ends at the start of the other', [1, 4], [4, 9], 'no evidence'],
  ])('%s', (_, [low, high], [previousLow, previousHigh], change) => {
    expect(changeOf('p', bounds(low, high), bounds(previousLow, previousHigh))).toBe(change)
  })

  test.each([
    ['its own lower bound', [null, 9], [1, 4]],
    ['its own upper bound', [5, null], [1, 4]],
    ['the lower bound before', [5, 9], [null, 4]],
    ['the upper bound before', [1, 4], [5, null]],
  ])('has an unknown change without %s', (_, [low, high], [previousLow, previousHigh]) => {
    expect(changeOf('p', bounds(low, high), bounds(previousLow, previousHigh))).toBeNull()
  })

  test('has an unknown change without a previous row', () => {
    expect(changeOf('p', bounds(5, 9), null)).toBeNull()
  })
})
