import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Span } from '../../src/calendar/window.ts'
import type { Check } from '../../src/catalogue/catalogue.ts'
import type { FoundOutage, OutagesQuery, StateSource, StatesQuery } from '../../src/store/state-questions.ts'
import type { CheckRef, FiledResult, NewResult, Store } from '../../src/store/store.ts'
import type { StateInterval } from '../../src/store/timeline/interval.ts'
import type { Regime } from '../../src/store/timeline/regime.ts'
import type { TimelineState } from '../../src/store/timeline/state.ts'
import type { StateTime } from '../../src/store/timeline/state-time.ts'
import { check, otherCheck } from './arbitrary-results.ts'
import { testCheck } from './catalogue.ts'
import { anyRunType } from './example-config.ts'
import { calm } from './results.ts'
import type { OpenForTest } from './store-conformance.ts'
import {
  covers,
  type History,
  histories,
  inOrder,
  naiveIntervals,
  naiveLocationState,
  naiveState,
  type Row,
  spans,
  windows,
} from './timeline.ts'
import { triesOf } from './tries.ts'

/** Histories of a few days: a millisecond of the oracle is an hour here. */
export const unitMs = 3_600_000
const origin = Date.UTC(2026, 10, 2)
export const instantOf = (unit: number) => origin + unit * unitMs
const spanOf = ({ from, to }: Span): Span => ({ from: instantOf(from), to: instantOf(to) })

/** Through its interface, a store only knows the current rhythm. */
const steady = histories.map((history): History => ({ ...history, regimes: history.regimes.slice(0, 1) }))
const policies = fc.record({ maintenance: spans, serviceHours: fc.option(spans), minOutage: fc.constantFrom(0, 0, 5, 20) })
type PolicyInUnits = { readonly maintenance: readonly Span[]; readonly serviceHours: readonly Span[] | null; readonly minOutage: number }

export function describeStates(name: string, open: OpenForTest): void {
  const withHistories = async <T>(given: readonly (readonly [CheckRef, History])[], work: (store: Store) => Promise<T>): Promise<T> => {
    const { store, dispose } = await open(instantOf(300))
    try {
      for (const [ref, { rows }] of given) await store.append(filedRows(ref, rows))
      return await work(store)
    } finally {
      await dispose()
    }
  }

  describe(`${name}: states`, () => {
    test('the time of each row matches the definition, whatever the policy', async () => {
      await fc.assert(
        fc.asyncProperty(steady, windows, policies, spans, async (history, window, policy, rows) => {
          const query = statesQuery(history, window, policy, rows)
          const [answer] = await withHistories([[check, history]], (store) => store.states(query))
          const expected = naiveRows(history, window, policy, rows, (at) => naiveState(history, at))
          expect(answer).toEqual({ groups: rows.length === 0 ? [] : [{ location: null, rows: expected }], intervals: [] })
        }),
        { numRuns: triesOf(60) },
      )
    })

    test('each location has its own times', async () => {
      const ran = steady.filter(({ regimes }) => !regimes.some((regime) => 'graceMs' in regime))
      await fc.assert(
        fc.asyncProperty(ran, windows, policies, spans, async (history, window, policy, some) => {
          const rows = some.length > 0 ? some : [window]
          const query = { ...statesQuery(history, window, policy, rows), byLocation: true }
          const [answer] = await withHistories([[check, history]], (store) => store.states(query))
          const inWindow = history.rows.filter(({ startedAt }) => startedAt >= window.from && startedAt <= window.to)
          for (const location of new Set(inWindow.map((row) => row.location))) {
            const expected = naiveRows(history, window, policy, rows, (at) => naiveLocationState(history, location, at))
            expect(answer?.groups.find((group) => group.location === location)?.rows).toEqual(expected)
          }
        }),
        { numRuns: triesOf(40) },
      )
    })

    test('the intervals cover the window up to now, also outside of service hours', async () => {
      await fc.assert(
        fc.asyncProperty(steady, windows, policies, async (history, window, policy) => {
          const query = { ...statesQuery(history, window, policy, [window]), intervals: true }
          const [answer] = await withHistories([[check, history]], (store) => store.states(query))
          const stateAt = naivePolicy(history, policy, (at) => naiveState(history, at))
          const expected = naiveIntervals(stateAt, { from: window.from, to: Math.min(window.to, history.now) })
          expect(answer?.intervals).toEqual(expected.map((interval): StateInterval => ({ ...interval, ...spanOf(interval) })))
        }),
        { numRuns: triesOf(40) },
      )
    })

    test('are returned per check, in the requested order, also for a check without results', async () => {
      const down = { ...quiet, rows: [row(0, 'eu', 2)] }
      await withHistories([[otherCheck, down]], async (store) => {
        const query = statesQuery(quiet, { from: 0, to: 9 }, plainPolicy, [{ from: 0, to: 9 }])
        const sources = [sourceOf(check, quiet), sourceOf(otherCheck, down)].map((source) => ({ ...source, maintenance: [] }))
        const answers = await store.states({ ...query, sources })
        const times = answers.map(({ groups }) => groups[0]?.rows[0])
        expect(times.map((time) => [time?.down, time?.unknown])).toEqual([
          [0, 9 * unitMs],
          [3 * unitMs, 6 * unitMs],
        ])
        await expect(store.states(query, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
      })
    })
  })

  describe(`${name}: outages`, () => {
    test('match the definition: unclipped, newest first, page by page', async () => {
      const limits = fc.integer({ min: 1, max: 5 })
      await fc.assert(
        fc.asyncProperty(steady, steady, windows, limits, fc.constantFrom(0, 0, 10), async (own, other, window, limit, min) => {
          const another = { ...other, quorum: own.quorum, now: own.now }
          const found = await withHistories(
            [
              [check, own],
              [otherCheck, another],
            ],
            (store) =>
              pages(store, { ...outagesQuery(own, window), sources: [sourceOf(otherCheck, another), sourceOf(check, own)] }, limit, min),
          )
          const expected = [...naiveOutages(check, own, window), ...naiveOutages(otherCheck, another, window)]
            .filter(({ from, to }) => (to ?? instantOf(own.now)) - from >= min * unitMs)
            .sort((a, b) => b.from - a.from || (a.check.checkId < b.check.checkId ? -1 : 1))
          expect(found).toEqual(expected)
        }),
        { numRuns: triesOf(60) },
      )
    })

    test('an aborted query rejects with the reason of its signal', async () => {
      await withHistories([], async (store) => {
        await expect(store.outages(outagesQuery(quiet, { from: 0, to: 9 }), { signal: AbortSignal.abort() })).rejects.toMatchObject({
          name: 'AbortError',
        })
      })
    })
  })
}

const quiet: History = { rows: [], regimes: [{ from: 0, periodMs: 2, locations: 1, parallel: true }], quorum: 1, now: 300 }
export const plainPolicy: PolicyInUnits = { maintenance: [], serviceHours: null, minOutage: 0 }

function row(startedAt: number, location: string, outcome: number): Row {
  return { startedAt, location, outcome, id: 'id', error: null }
}

/** Rows as results, with ids that are unique within a check. */
export function filedRows(ref: CheckRef, rows: readonly Row[]): readonly FiledResult[] {
  return rows.map(({ startedAt, location, outcome, error, id }) => {
    const result: NewResult = {
      ...calm,
      id: idOf({ startedAt, location, id }),
      startedAt: instantOf(startedAt),
      runLocation: location,
      hasFailures: outcome === 2,
      isDegraded: outcome === 1,
      error,
      values: {},
      pages: [],
    }
    return { check: ref, result }
  })
}

const idOf = ({ startedAt, location, id }: Pick<Row, 'startedAt' | 'location' | 'id'>) => `${startedAt} ${location} ${id}`

function sourceOf(ref: CheckRef, { regimes }: History): StateSource {
  const { from: _, ...rhythm } = scaled(regimes[0] as Regime)
  return { check: ref, rhythm }
}

/** A check with the rhythm of the history's first regime. */
export function checkOfHistory({ regimes }: History): Check {
  const [regime] = regimes
  if (!regime || 'graceMs' in regime) throw new TypeError('only checks that are run')
  const locations = Array.from({ length: regime.locations }, (_, i) => `at-${i}`)
  return testCheck(anyRunType(), { everyMs: regime.periodMs * unitMs, locations, runParallel: regime.parallel })
}

/** Converts a regime to milliseconds. */
export function scaled(regime: Regime): Regime {
  const from = instantOf(regime.from)
  const periodMs = regime.periodMs * unitMs
  return 'graceMs' in regime ? { from, periodMs, graceMs: regime.graceMs * unitMs } : { ...regime, from, periodMs }
}

export function statesQuery(history: History, window: Span, policy: PolicyInUnits, rows: readonly Span[]): StatesQuery {
  return {
    sources: [{ ...sourceOf(check, history), maintenance: policy.maintenance.map(spanOf) }],
    window: spanOf(window),
    now: instantOf(history.now),
    quorum: history.quorum,
    byLocation: false,
    serviceHours: policy.serviceHours?.map(spanOf) ?? null,
    minOutageMs: policy.minOutage * unitMs,
    rows: rows.map(spanOf),
    intervals: false,
  }
}

function outagesQuery(history: History, window: Span): OutagesQuery {
  const { now, quorum } = history
  return { sources: [sourceOf(check, history)], window: spanOf(window), now: instantOf(now), quorum, minMs: 0, after: null, limit: 100 }
}

async function pages(store: Store, query: OutagesQuery, limit: number, min: number): Promise<readonly FoundOutage[]> {
  const found: FoundOutage[] = []
  for (;;) {
    const last = found.at(-1)
    const after = last ? { from: last.from, checkId: last.check.checkId } : null
    const page = await store.outages({ ...query, after, limit, minMs: min * unitMs })
    found.push(...page)
    if (page.length < limit) return found
  }
}

type StateAt = (at: number) => TimelineState

export function naiveRows(
  history: History,
  window: Span,
  policy: PolicyInUnits,
  rows: readonly Span[],
  ofResults: StateAt,
): readonly StateTime[] {
  const stateAt = naivePolicy(history, policy, ofResults)
  return rows.map((span) => {
    const time: Record<TimelineState, number> = { up: 0, degraded: 0, down: 0, unknown: 0, maintenance: 0 }
    const [from, to] = [Math.max(span.from, window.from), Math.min(span.to, window.to, history.now)]
    for (let at = from; at < to; at++) if (policy.serviceHours === null || covers(policy.serviceHours, at)) time[stateAt(at)] += unitMs
    return time
  })
}

function naivePolicy({ now }: History, { maintenance, minOutage }: PolicyInUnits, stateAt: StateAt): StateAt {
  const outages = naiveIntervals(stateAt, { from: 0, to: now }).filter(({ state }) => state === 'down')
  const short = outages.filter(({ from, to }) => to - from < minOutage)
  return (at) => {
    if (covers(maintenance, at)) return 'maintenance'
    return covers(short, at) ? 'up' : stateAt(at)
  }
}

/** Outages straight from the definition. */
export function naiveOutages(ref: CheckRef, history: History, window: Span): readonly FoundOutage[] {
  const { rows, now } = history
  const down = naiveIntervals((at) => naiveState(history, at), { from: 0, to: now }).filter(({ state }) => state === 'down')
  const touching = down.filter(({ from, to }) => from <= window.to && to > window.from)
  return touching.map(({ from, to }) => {
    const lasts = to === now && naiveState(history, now) === 'down'
    const instants = Array.from({ length: to - from + Number(lasts) }, (_, i) => from + i)
    const names = [...new Set(rows.map(({ location }) => location))]
    const isIn = ({ startedAt }: Row) => startedAt >= from && (lasts ? startedAt <= now : startedAt < to)
    const failing = inOrder(rows).filter((one) => one.outcome === 2 && isIn(one))
    const errors = failing.flatMap(({ error }) => error ?? [])
    const countOf = (text: string) => errors.filter((error) => error === text).length
    const most = Math.max(0, ...errors.map(countOf))
    const [first, last] = [failing[0], failing.at(-1)]
    return {
      check: ref,
      from: instantOf(from),
      to: lasts ? null : instantOf(to),
      locations: names
        .filter((location) => instants.some((at) => naiveLocationState(history, location, at) === 'down'))
        .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      reason: errors.findLast((error) => countOf(error) === most) ?? null,
      firstResultId: first ? idOf(first) : null,
      lastResultId: last ? idOf(last) : null,
    }
  })
}
