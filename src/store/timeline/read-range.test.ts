import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chunksOf, type History, histories, type Row, windows } from '../../../test/support/timeline.ts'
import { collectOutages, type Outage } from './outages.ts'
import { mayBeginEarlier, mayEndLater, readFrom, settledFrom } from './read-range.ts'
import { type OpenInterval, sweep } from './sweep.ts'

const instant = fc.integer({ min: 0, max: 240 })
const runs: History['regimes'] = [
  { from: 0, periodMs: 60, locations: 1, parallel: true },
  { from: 100, periodMs: 10, locations: 1, parallel: true },
]

describe('the range to read', () => {
  test('for a state is limited to what may still hold, under the regime of its own start', () => {
    expect(readFrom(runs, 90)).toBe(0)
    expect(readFrom(runs, 110)).toBe(20)
    expect(readFrom(runs, 189)).toBe(99)
    expect(readFrom(runs, 190)).toBe(175)
  })
  test('suffices for the states from an instant on', () => {
    fc.assert(
      fc.property(histories, instant, instant, (history, from, later) => {
        const start = readFrom(history.regimes, from)
        expect(settledFrom(history.regimes, start)).toBeLessThanOrEqual(from)
        const at = from + later
        expect(openAt(history, start, at).state).toBe(openAt(history, Number.NEGATIVE_INFINITY, at).state)
      }),
    )
  })
  test('gives certain states from the instant at which nothing unread holds', () => {
    expect(settledFrom(runs, 95)).toBe(185)
    expect(settledFrom(runs, 300)).toBe(315)
    expect(settledFrom(runs, Number.NEGATIVE_INFINITY)).toBe(Number.NEGATIVE_INFINITY)
    fc.assert(
      fc.property(histories, instant, instant, (history, start, later) => {
        const at = settledFrom(history.regimes, start) + later
        expect(openAt(history, start, at).state).toBe(openAt(history, Number.NEGATIVE_INFINITY, at).state)
      }),
    )
  })
})

test('reading back by doubling, and ahead while an outage lasts, finds every outage of a window completely', () => {
  fc.assert(
    fc.property(histories, windows, (history, window) => {
      const inReach = outagesBetween(history, window, startFor(history, window.from), endFor(history, window))
      expect(inReach).toEqual(outagesBetween(history, window, Number.NEGATIVE_INFINITY, history.now))
    }),
    { numRuns: 300 },
  )
})

/** Like `feed`: looks back in growing steps while the outage at `from` may have begun earlier. */
function startFor(history: History, from: number): number {
  const oldest = Math.min(...history.rows.map(({ startedAt }) => startedAt))
  let start = readFrom(history.regimes, from)
  for (let back = 1; start > oldest; back *= 2) {
    const open = openAt(history, start, Math.min(from, history.now))
    if (!mayBeginEarlier(open, settledFrom(history.regimes, start))) return start
    start -= back
  }
  return Number.NEGATIVE_INFINITY
}

function endFor(history: History, window: { readonly from: number; readonly to: number }): number {
  let end = window.to
  while (end < history.now && mayEndLater(openAt(history, Number.NEGATIVE_INFINITY, end), window)) end += 10
  return end
}

/** The interval at `at`, from results that started between `start` and `at`. */
function openAt({ rows, regimes, quorum, now }: History, start: number, at: number): OpenInterval {
  const sweeping = sweep({ regimes, quorum, now: Math.max(now, at), onInterval: () => {} })
  for (const chunk of chunksOf(between(rows, start, at), 7).chunks) sweeping.push(chunk)
  return sweeping.settle(at)
}

function outagesBetween(
  { rows, regimes, quorum, now }: History,
  window: { from: number; to: number },
  start: number,
  end: number,
): readonly Outage[] {
  const { chunks, names } = chunksOf(between(rows, start, end), 7)
  const { onInterval, onDown, outages } = collectOutages({
    window,
    nameOf: (location) => names[location] ?? '',
  })
  const sweeping = sweep({ regimes, quorum, now, onInterval, onDown })
  for (const chunk of chunks) sweeping.push(chunk)
  sweeping.end()
  return outages
}

function between(rows: readonly Row[], start: number, end: number): readonly Row[] {
  return rows.filter(({ startedAt }) => startedAt >= start && startedAt <= end)
}
