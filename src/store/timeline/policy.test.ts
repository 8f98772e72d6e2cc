import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chunksOf, covers, type History, histories, naiveIntervals, naiveState, spans, windows } from '../../../test/support/timeline.ts'
import { mergeSpans } from '../../calendar/window.ts'
import { collectIntervals, type IntervalSink } from './interval.ts'
import { applyPolicy, elapsedSpan, type Policy } from './policy.ts'
import type { TimelineState } from './state.ts'
import { availability, type StateTime, sumStateTime } from './state-time.ts'
import { sweep } from './sweep.ts'

const policies: fc.Arbitrary<Policy> = fc.record({
  maintenance: spans,
  serviceHours: fc.option(spans),
  minOutageMs: fc.constantFrom(0, 0, 5, 20),
})
const bucketMs = fc.integer({ min: 1, max: 300 })
const plain: Policy = { maintenance: [], serviceHours: null, minOutageMs: 0 }

describe('the intervals of a window', () => {
  test('match the definition and cover it without gap or overlap', () => {
    fc.assert(
      fc.property(histories, windows, policies, (history, window, policy) => {
        const span = elapsedSpan(window, history.now)
        const { onInterval, intervals } = collectIntervals()
        pushAll(history, applyPolicy({ ...policy, serviceHours: null }, span, onInterval))
        expect(intervals).toEqual(naiveIntervals(naivePolicy(history, policy), span))
      }),
    )
  })
  test('are empty for a window of one instant, or one that begins after now', () => {
    for (const window of [
      { from: 50, to: 50 },
      { from: 101, to: 200 },
    ]) {
      const { onInterval, intervals } = collectIntervals()
      pushAll(
        { rows: [], regimes: [{ from: 0, periodMs: 10, graceMs: 0 }], quorum: 1, now: 100 },
        applyPolicy(plain, elapsedSpan(window, 100), onInterval),
      )
      expect(intervals).toEqual([])
    }
  })
})

describe('time by state', () => {
  test('is the number of milliseconds in each state, in every bucket', () => {
    fc.assert(
      fc.property(histories, windows, policies, bucketMs, (history, window, policy, width) => {
        const span = elapsedSpan(window, history.now)
        const starts = startsOf(window, width)
        const { onInterval, rows } = sumStateTime(starts)
        pushAll(history, applyPolicy(policy, span, onInterval))
        const stateAt = naivePolicy(history, policy)
        expect(rows).toEqual(
          starts.map((start) => naiveTime(stateAt, policy, { from: Math.max(start, span.from), to: Math.min(start + width, span.to) })),
        )
      }),
    )
  })
  test('adds up to the part of the window up to now', () => {
    fc.assert(
      fc.property(histories, windows, policies, bucketMs, (history, window, policy, width) => {
        const { onInterval, rows } = sumStateTime(startsOf(window, width))
        pushAll(history, applyPolicy({ ...policy, serviceHours: null }, elapsedSpan(window, history.now), onInterval))
        const total = rows.flatMap((row) => Object.values(row)).reduce((sum, ms) => sum + ms, 0)
        expect(total).toBe(Math.max(0, Math.min(window.to, history.now) - window.from))
      }),
    )
  })
  test('measures an outage as a whole, beyond the window and through maintenance, before it is ignored as short', () => {
    const rows = [10, 20, 30].map((startedAt) => ({ startedAt, location: 'eu', id: 'id', outcome: 2, error: null }))
    const history: History = { rows, regimes: [{ from: 0, periodMs: 10, locations: 1, parallel: true }], quorum: 1, now: 100 }
    const timeWith = (minOutageMs: number) => {
      const { onInterval, rows } = sumStateTime([20])
      pushAll(history, applyPolicy({ ...plain, maintenance: [{ from: 22, to: 24 }], minOutageMs }, { from: 20, to: 30 }, onInterval))
      return rows[0]
    }
    expect(timeWith(35)).toEqual({ up: 0, degraded: 0, down: 8, unknown: 0, maintenance: 2 })
    expect(timeWith(36)).toEqual({ up: 8, degraded: 0, down: 0, unknown: 0, maintenance: 2 })
  })
})

describe('availability', () => {
  const time: StateTime = { up: 60, degraded: 20, down: 20, unknown: 1000, maintenance: 1000 }
  test('counts degraded time as up or down', () => {
    expect(availability(time, 'up')).toBe(80)
    expect(availability(time, 'down')).toBe(60)
  })
  test('is null if nothing is known', () => {
    expect(availability({ ...time, up: 0, degraded: 0, down: 0 }, 'up')).toBeNull()
  })
})

test('merged spans cover the same time, ascending and disjoint', () => {
  fc.assert(
    fc.property(spans, (given) => {
      const merged = mergeSpans(given)
      const instants = Array.from({ length: 320 }, (_, at) => at)
      expect(instants.filter((at) => covers(merged, at))).toEqual(instants.filter((at) => covers(given, at)))
      for (const [i, { from, to }] of merged.entries()) {
        expect(from).toBeLessThan(to)
        expect(to).toBeLessThan(merged[i + 1]?.from ?? Number.POSITIVE_INFINITY)
      }
    }),
  )
})

function pushAll({ rows, regimes, quorum, now }: History, onInterval: IntervalSink): void {
  const sweeping = sweep({ regimes, quorum, now, onInterval })
  for (const chunk of chunksOf(rows, 7).chunks) sweeping.push(chunk)
  sweeping.end()
}

/** The first bucket may begin before the window. */
function startsOf({ from, to }: { readonly from: number; readonly to: number }, width: number): readonly number[] {
  const first = Math.floor(from / width) * width
  return Array.from({ length: Math.floor((to - first) / width) + 1 }, (_, i) => first + i * width)
}

function naivePolicy(history: History, { maintenance, minOutageMs }: Policy): (at: number) => TimelineState {
  const outages = naiveIntervals((at) => naiveState(history, at), { from: 0, to: history.now }).filter(({ state }) => state === 'down')
  const short = outages.filter(({ from, to }) => to - from < minOutageMs)
  return (at) => {
    if (covers(maintenance, at)) return 'maintenance'
    return covers(short, at) ? 'up' : naiveState(history, at)
  }
}

function naiveTime(
  stateAt: (at: number) => TimelineState,
  { serviceHours }: Policy,
  span: { readonly from: number; readonly to: number },
): StateTime {
  const time: Record<TimelineState, number> = { up: 0, degraded: 0, down: 0, unknown: 0, maintenance: 0 }
  for (let at = span.from; at < span.to; at++) if (serviceHours === null || covers(serviceHours, at)) time[stateAt(at)]++
  return time
}
