import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chunksOf, type History, histories, type Row } from '../../../test/support/timeline.ts'
import type { FiledResult } from '../../store/store.ts'
import { checkOutages } from '../../store/timeline/check-outages.ts'
import type { Regime } from '../../store/timeline/regime.ts'
import { sweep } from '../../store/timeline/sweep.ts'
import { addResult, type CheckTrack, createTrack, evaluate, type Seed, seedTrack, type TrackedCheck } from './check-track.ts'
import { createTracker } from './tracker.ts'

const check = { account: 'acme', checkId: 'shop' }
const tracked: TrackedCheck = {
  id: 'shop',
  rhythm: { periodMs: 60_000, locations: 1, parallel: true },
  expectedAt: ['eu'],
  quorums: [1],
  runs: 1,
  durationMetric: null,
}

function filed({ startedAt, location, id, outcome, error }: Row): FiledResult {
  const flags = { hasFailures: outcome === 2, isDegraded: outcome === 1, hasErrors: false, overMaxResponseTime: false }
  return { check, result: { id, startedAt, runLocation: location, ...flags, attempts: 1, state: null, error, values: {}, pages: [] } }
}

const row = (startedAt: number, outcome: number, more: Partial<Row> = {}): Row => ({
  startedAt,
  location: 'eu',
  id: `${startedAt}`,
  outcome,
  error: outcome === 2 ? 'refused' : null,
  ...more,
})

function trackOf({ regimes, quorum }: Pick<History, 'regimes' | 'quorum'>, more: Partial<TrackedCheck> = {}): CheckTrack {
  return createTrack({ ...tracked, rhythm: regimes.at(-1) as Regime, quorums: [quorum], ...more }, regimes)
}

function sweptState({ rows, regimes, quorum, now }: History) {
  const sweeping = sweep({ regimes, quorum, now, onInterval: () => {} })
  for (const chunk of chunksOf(rows, 100).chunks) sweeping.push(chunk)
  return sweeping.settle(now)
}

/** The open outage of a check, as `/v1/outages` finds it. */
function openOutage({ rows, regimes, quorum, now }: History) {
  const { chunks, names } = chunksOf(rows, 100)
  const source = { chunks: () => chunks, hasBefore: () => false, nameOf: (code: number) => names[code] as string }
  const window = { from: now - 1, to: now }
  const found = checkOutages({ regimes, quorum, window, now, minMs: 0, limit: 1, accepts: () => true }, source)
  return found.find(({ to }) => to === null)
}

const arrivals = histories.chain((history) =>
  fc.record({
    history: fc.constant(history),
    order: fc.shuffledSubarray([...history.rows], { minLength: history.rows.length }),
    asked: fc.array(fc.nat(60), { maxLength: 5 }),
  }),
)

describe('the state of a check', () => {
  test('equals that of the store for the same results, in any order', () => {
    fc.assert(
      fc.property(arrivals, ({ history, order, asked }) => {
        const track = trackOf(history, { runs: 60 })
        order.forEach((each, i) => {
          addResult(track, filed(each), history.now)
          if (asked.includes(i)) evaluate(track, history.now)
        })
        const facts = evaluate(track, history.now)
        const state = facts.states.get(history.quorum)
        expect({ from: state?.since, state: state?.state }).toEqual(sweptState(history))
        expect(state?.isCertain).toBe(true)
        const outage = openOutage(history)
        if (outage) expect(state).toMatchObject({ state: 'down', since: outage.from })
        expect(facts.downLocations.every((name) => history.rows.some(({ location }) => location === name))).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  test('stays correct if few results are kept and time passes', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const track = trackOf(history, { runs: 1 })
        const rows = [...history.rows].sort((a, b) => a.startedAt - b.startedAt)
        rows.forEach((each, i) => {
          const now = Math.max(each.startedAt, history.now)
          addResult(track, filed(each), now)
          const facts = evaluate(track, now).states.get(history.quorum)
          const expected = sweptState({ ...history, rows: rows.slice(0, i + 1), now })
          expect({ from: facts?.since, state: facts?.state }).toEqual(expected)
        })
      }),
      { numRuns: 200 },
    )
  })

  test('is kept with few results if many start at the same instant', () => {
    const atFewInstants = histories.map((history) => ({
      ...history,
      rows: history.rows.map((each, i) => ({
        ...each,
        startedAt: 120 * Math.floor(each.startedAt / 120),
        location: i % 2 === 0 ? 'eu' : 'us',
        id: String((7 * i) % 61).padStart(2, '0'),
      })),
    }))
    fc.assert(
      fc.property(atFewInstants, (history) => {
        const track = trackOf(history)
        const rows = history.rows.toSorted((a, b) => a.startedAt - b.startedAt)
        rows.forEach((each, i) => {
          const now = Math.max(each.startedAt, history.now)
          addResult(track, filed(each), now)
          expect(track.rows.times.length).toBeLessThanOrEqual(32)
          const expected = sweptState({ ...history, rows: rows.slice(0, i + 1), now })
          expect(evaluate(track, now).states.get(history.quorum)?.state).toBe(expected.state)
        })
      }),
      { numRuns: 300 },
    )
  })

  test.each([
    ['of the same instant', () => 60_000],
    ['that are late', (i: number) => 1000 + i],
  ])('is kept with few results if thousands arrive %s', (_, startedAt) => {
    const track = createTrack(tracked)
    const now = 60_000
    for (let i = 0; i < 20; i++) addResult(track, filed(row(50_000 + i, 0)), now)
    for (let i = 0; i < 5000; i++) addResult(track, filed(row(startedAt(i), 2, { location: 'us', id: String(i).padStart(6, '0') })), now)
    expect(track.rows.times.length).toBeLessThanOrEqual(32)
    expect(evaluate(track, now).states.get(1)?.state).toBe('down')
  })

  test('is certain again once results that were read from the store are added', () => {
    fc.assert(
      fc.property(histories, fc.nat(240), (history, readFrom) => {
        const track = trackOf(history)
        const outage = openOutage(history)
        const seed: Seed = {
          results: history.rows.filter(({ startedAt }) => startedAt >= readFrom).map(filed),
          readFrom,
          outages: new Map(outage ? [[history.quorum, outage.from]] : []),
        }
        seedTrack(track, seed, history.now)
        const facts = evaluate(track, history.now).states.get(history.quorum)
        if (facts?.isCertain) expect({ from: facts.since, state: facts.state }).toEqual(sweptState(history))
      }),
      { numRuns: 300 },
    )
  })

  test('counts failing runs of the location with the most, or of all locations if runs rotate', () => {
    const rows = [row(0, 0), row(100, 2), row(101, 2, { location: 'us' }), row(160, 2)]
    const runsOf = (parallel: boolean) => {
      const track = trackOf({ regimes: [{ from: 0, periodMs: 100, locations: 2, parallel }], quorum: 1 })
      for (const each of rows) addResult(track, filed(each), 200)
      return evaluate(track, 200).states.get(1)
    }
    expect(runsOf(true)).toMatchObject({ state: 'down', since: 100, runs: 2 })
    expect(runsOf(false)).toMatchObject({ state: 'down', since: 100, runs: 3 })
  })

  test('has the newest failure and the most frequent reason', () => {
    const track = trackOf({ regimes: [{ from: 0, periodMs: 100, locations: 1, parallel: true }], quorum: 1 })
    const errors = ['reset', 'refused', 'refused', 'timeout']
    errors.forEach((error, i) => {
      addResult(track, filed(row(100 * (i + 1), 2, { error })), 1000)
    })
    expect(evaluate(track, 450)).toMatchObject({
      usualReason: 'refused',
      newestFailing: { id: '400', error: 'timeout', runLocation: 'eu' },
    })
  })
})

describe('a tracker', () => {
  const quick: TrackedCheck = { ...tracked, rhythm: { periodMs: 10_000, locations: 1, parallel: true } }

  test('reports no change while a check stays up', () => {
    const tracker = createTracker()
    tracker.define([quick], 0)
    tracker.add([filed(row(1000, 0))], 1000)
    expect(tracker.changed(1000)).toEqual(new Set(['shop']))
    tracker.add([filed(row(11_000, 0))], 11_000)
    expect(tracker.changed(11_000)).toEqual(new Set())
    tracker.add([filed(row(21_000, 2))], 21_000)
    expect(tracker.changed(21_000)).toEqual(new Set(['shop']))
    expect(tracker.check('shop')?.states.get(1)).toMatchObject({ state: 'down', since: 21_000 })
  })
  test('reports no change either if all locations run at the same instant', () => {
    const tracker = createTracker()
    tracker.define([quick], 0)
    const everywhere = (time: number) => ['eu', 'us', 'ap'].map((location) => filed(row(time, 0, { location })))
    tracker.add(everywhere(1000), 1000)
    tracker.changed(1000)
    tracker.add(everywhere(11_000), 11_000)
    expect(tracker.changed(11_000)).toEqual(new Set())
  })
  test('notices without new results that a hold has ended, and that a result of the future is due', () => {
    const tracker = createTracker()
    tracker.define([quick], 0)
    tracker.add([filed(row(1000, 0)), filed(row(12_000, 2))], 1000)
    tracker.changed(1000)
    expect(tracker.check('shop')?.states.get(1)?.state).toBe('up')
    expect(tracker.nextAt()).toBe(12_000)
    expect(tracker.changed(12_000)).toEqual(new Set(['shop']))
    expect(tracker.check('shop')?.states.get(1)?.state).toBe('down')
    expect(tracker.changed(27_000)).toEqual(new Set(['shop']))
    expect(tracker.check('shop')?.states.get(1)?.state).toBe('unknown')
    expect(tracker.nextAt()).toBeNull()
  })
  test('returns a limited number of changed checks at a time, and the others next time', () => {
    const tracker = createTracker()
    const ids = ['a', 'b', 'c']
    tracker.define(
      ids.map((id) => ({ ...tracked, id })),
      0,
    )
    expect([...tracker.changed(0, 2)]).toEqual(['a', 'b'])
    expect(tracker.hasChanged()).toBe(true)
    expect([...tracker.changed(0, 2)]).toEqual(['c'])
    expect(tracker.hasChanged()).toBe(false)
  })

  test('knows when the current state of a check at a location was first received', () => {
    const tracker = createTracker()
    tracker.define([quick], 0)
    const receivedAt = (time: number, outcome: number, now: number) => {
      tracker.add([filed(row(time, outcome))], now)
      return tracker.receivedAt('shop', 'eu')
    }
    expect(receivedAt(1000, 0, 1500)).toBe(1500)
    expect(receivedAt(10_000, 2, 10_500)).toBe(10_500)
    expect(receivedAt(20_000, 2, 20_500)).toBe(10_500)
    expect(receivedAt(5000, 0, 21_000)).toBe(10_500)
    // The state was unknown in between.
    expect(receivedAt(60_000, 2, 60_500)).toBe(60_500)
    expect(tracker.receivedAt('shop', 'us')).toBeNull()
  })

  test('counts the checks of a location and since when they are down', () => {
    const tracker = createTracker()
    const at = (id: string, each: Row): FiledResult => ({ ...filed(each), check: { account: 'acme', checkId: id } })
    tracker.define(
      [
        { ...quick, id: 'a' },
        { ...quick, id: 'b' },
      ],
      0,
    )
    tracker.add([at('a', row(1000, 2)), at('b', row(2000, 0))], 2000)
    tracker.changed(2000)
    expect(tracker.location('eu')).toEqual({ known: 2, down: new Map([['a', 1000]]) })
    tracker.define([{ ...quick, id: 'b' }], 3000)
    expect(tracker.location('eu')).toEqual({ known: 1, down: new Map() })
    tracker.changed(17_000)
    expect(tracker.location('eu')).toEqual({ known: 0, down: new Map() })
  })
  test('follows a clock that is set back, by the results that arrive afterwards', () => {
    const tracker = createTracker()
    tracker.define([quick], 0)
    const times = Array.from({ length: 400 }, (_, i) => 10_000 * (i + 1))
    for (const time of times) {
      tracker.add([filed(row(time, 0))], time)
      tracker.changed(time)
    }
    const back = (time: number, outcome: number) => {
      tracker.add([filed(row(time, outcome, { id: `back ${time}` }))], time + 500)
      tracker.changed(time + 500)
      return tracker.check('shop')
    }
    expect(back(1_000_300, 2)).toMatchObject({ known: 1, downLocations: ['eu'], newestAt: 1_000_300 })
    expect(tracker.check('shop')?.states.get(1)).toMatchObject({ state: 'down', since: 1_000_300, runs: 1 })
    expect(tracker.newestAt('shop', 'eu')).toBe(1_000_300)
    expect(tracker.location('eu')).toEqual({ known: 1, down: new Map([['shop', 1_000_300]]) })
    expect(back(1_010_300, 0)?.states.get(1)).toMatchObject({ state: 'up', since: 1_010_300 })
    expect(tracker.location('eu')).toEqual({ known: 1, down: new Map() })
  })
  test('does not mistake a small correction for a clock that is set back', () => {
    const tracker = createTracker()
    tracker.define([quick], 0)
    tracker.add([filed(row(1000, 2)), filed(row(11_000, 2))], 11_000)
    tracker.changed(11_000)
    tracker.changed(10_500)
    tracker.changed(11_100)
    expect(tracker.check('shop')?.states.get(1)).toMatchObject({ state: 'down', since: 1000, runs: 2 })
  })
  test('is uncertain when an outage began after a late result from before those it keeps, until it is seeded', () => {
    const tracker = createTracker()
    tracker.define([quick], 0)
    const times = Array.from({ length: 40 }, (_, i) => 10_000 * (i + 1))
    for (const time of times) tracker.add([filed(row(time, 2))], time)
    tracker.changed(400_000)
    expect(tracker.check('shop')?.states.get(1)).toMatchObject({ state: 'down', since: 10_000, isCertain: true })
    const late = filed(row(15_000, 0))
    tracker.add([late], 400_000)
    tracker.changed(400_000)
    expect(tracker.check('shop')?.states.get(1)).toMatchObject({ state: 'down', isCertain: false })
    tracker.seed(
      'shop',
      { results: times.slice(-5).map((time) => filed(row(time, 2))), readFrom: 360_000, outages: new Map([[1, 20_000]]) },
      400_000,
    )
    tracker.changed(400_000)
    expect(tracker.check('shop')?.states.get(1)).toMatchObject({ state: 'down', since: 20_000, isCertain: true })
  })
})
