import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chunksOf, type History, histories, naiveIntervals, naiveState, type Row, seeded } from '../../../test/support/timeline.ts'
import { collectIntervals, type StateInterval } from './interval.ts'
import { holdMs, type Regime } from './regime.ts'
import { sweep } from './sweep.ts'

const regimes: readonly Regime[] = [{ from: 0, periodMs: 20, locations: 2, parallel: true }]
const [up, degraded, down] = [0, 1, 2]

describe('a result holds for', () => {
  test('one and a half periods if each run is at all locations', () => {
    expect(holdMs({ periodMs: 60_000, locations: 3, parallel: true })).toBe(90_000)
  })
  test('that times the number of locations with round robin', () => {
    expect(holdMs({ periodMs: 60_000, locations: 3, parallel: false })).toBe(270_000)
  })
  test('the period and the grace for pings', () => {
    expect(holdMs({ periodMs: 3_600_000, graceMs: 600_000 })).toBe(4_200_000)
  })
  test('whole milliseconds', () => {
    expect(holdMs({ periodMs: 10_001, locations: 1, parallel: true })).toBe(15_001)
  })
})

describe('the states of a check over time', () => {
  test('match the definition at every millisecond, in maximal intervals', () => {
    fc.assert(
      fc.property(histories, fc.integer({ min: 1, max: 9 }), (history, chunkRows) => {
        const expected = naiveIntervals((at) => naiveState(history, at), { from: -10, to: history.now })
        expect(swept(history, chunkRows)).toEqual(expected)
      }),
      { numRuns: 200 },
    )
  })
  test('are the same for the same results in any order of arrival and any chunks', () => {
    fc.assert(
      fc.property(histories.chain(shuffled), fc.integer({ min: 1, max: 9 }), ([history, other], chunkRows) => {
        expect(swept(other, chunkRows)).toEqual(swept(history, 100))
      }),
    )
  })
  test('match the definition with many locations, too', () => {
    const random = seeded(7)
    const rows = Array.from({ length: 400 }, (_, i) => row(Math.floor(random() * 120), `at-${Math.floor(random() * 50)}`, i % 3, `${i}`))
    for (const quorum of [1, 10, 'majority'] as const) {
      const history: History = { rows, regimes: [...regimes, { from: 60, periodMs: 4, locations: 3, parallel: false }], quorum, now: 150 }
      expect(swept(history, 50)).toEqual(naiveIntervals((at) => naiveState(history, at), { from: -10, to: 150 }))
    }
  })

  test('without results are unknown', () => {
    expect(statesOf([], 100)).toEqual(['-10-100 unknown'])
  })
  test('become unknown when the hold ends, and not a millisecond before', () => {
    expect(statesOf([row(10, 'eu', up)], 100)).toEqual(['-10-10 unknown', '10-40 up', '40-100 unknown'])
  })
  test('continue without a gap if the next result starts exactly when the hold ends', () => {
    expect(statesOf([row(10, 'eu', up), row(40, 'eu', up)], 60)).toEqual(['-10-10 unknown', '10-60 up'])
  })
  test('follow the last of simultaneous results of a location', () => {
    const rows = [row(10, 'eu', up), row(20, 'eu', down, 'a'), row(20, 'eu', up, 'b'), row(30, 'eu', up, 'a'), row(30, 'eu', down, 'b')]
    expect(statesOf(rows, 50)).toEqual(['-10-10 unknown', '10-30 up', '30-50 down'])
  })
  test('change once if several locations change at the same instant', () => {
    const rows = [row(10, 'eu', down), row(10, 'us', up), row(20, 'eu', up), row(20, 'us', down)]
    expect(statesOf(rows, 30)).toEqual(['-10-10 unknown', '10-30 down'])
  })
  test('ignore everything that starts after now', () => {
    expect(statesOf([row(10, 'eu', up), row(31, 'eu', down)], 30)).toEqual(['-10-10 unknown', '10-30 up'])
  })
  test('end at now, where a result of now has no duration yet', () => {
    expect(statesOf([row(10, 'eu', up), row(30, 'eu', down)], 30)).toEqual(['-10-10 unknown', '10-30 up'])
  })
  test('follow a hold that became much shorter', () => {
    const slow: Regime = { from: 0, periodMs: 1000, locations: 2, parallel: true }
    const rows = [row(10, 'eu', down), row(100, 'us', up), row(105, 'eu', down), row(106, 'us', up), row(125, 'us', up)]
    const history: History = { rows, regimes: [slow, { ...slow, from: 100, periodMs: 10 }], quorum: 1, now: 130 }
    expect(textOf(swept(history, 10))).toEqual(['-10-10 unknown', '10-120 down', '120-121 up', '121-125 unknown', '125-130 up'])
  })
  test('are degraded while fewer locations are down than the quorum', () => {
    const rows = [row(10, 'eu', down), row(10, 'us', up), row(20, 'us', down), row(25, 'us', degraded)]
    expect(statesOf(rows, 30, 2)).toEqual(['-10-10 unknown', '10-20 degraded', '20-25 down', '25-30 degraded'])
  })
  test('require more than half of the known locations for a majority', () => {
    const rows = [row(10, 'eu', down), row(10, 'us', up), row(35, 'eu', down)]
    expect(statesOf(rows, 60, 'majority')).toEqual(['-10-10 unknown', '10-40 degraded', '40-60 down'])
  })
  test('are those of one location for pings, wherever results come from', () => {
    const rows = [row(10, 'eu', down), row(20, 'us', up)]
    const history: History = { rows, regimes: [{ from: 0, periodMs: 20, graceMs: 5 }], quorum: 1, now: 60 }
    expect(textOf(swept(history, 10))).toEqual(['-10-10 unknown', '10-20 down', '20-45 up', '45-60 unknown'])
  })
  test('require a regime', () => {
    expect(() => sweep({ regimes: [], quorum: 1, now: 0, onInterval: () => {} })).toThrow(RangeError)
  })
})

function row(startedAt: number, location: string, outcome: number, id = 'id'): Row {
  return { startedAt, location, outcome, id, error: null }
}

function shuffled(history: History): fc.Arbitrary<readonly [History, History]> {
  const { rows } = history
  return fc
    .shuffledSubarray([...rows], { minLength: rows.length, maxLength: rows.length })
    .map((arrived) => [history, { ...history, rows: arrived }])
}

function swept({ rows, regimes, quorum, now }: History, chunkRows: number): readonly StateInterval[] {
  const { onInterval, intervals } = collectIntervals()
  const sweeping = sweep({
    regimes,
    quorum,
    now,
    onInterval: (from, to, state) => onInterval(Math.max(from, -10), to, state),
  })
  for (const chunk of chunksOf(rows, chunkRows).chunks) sweeping.push(chunk)
  sweeping.end()
  return intervals
}

function statesOf(rows: readonly Row[], now: number, quorum: History['quorum'] = 1): readonly string[] {
  return textOf(swept({ rows, regimes, quorum, now }, 2))
}

const textOf = (intervals: readonly StateInterval[]) => intervals.map(({ from, to, state }) => `${from}-${to} ${state}`)
