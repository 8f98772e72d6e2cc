import type { Span } from '../../calendar/window.ts'
import { compareText } from '../../text/compare-text.ts'
import { checkStateRows } from '../admission/cost.ts'
import type { CheckStates, StatesQuery } from '../state-questions.ts'
import { QueryTooLarge, type Window } from '../store.ts'
import { sweepByLocation } from './by-location.ts'
import { type Feedable, feed, type ResultSource } from './feed.ts'
import { collectIntervals, type StateInterval, type StateSink } from './interval.ts'
import { applyPolicy, elapsedSpan, type Policy } from './policy.ts'
import type { Regime } from './regime.ts'
import { type RowTime, sumRowTime } from './row-time.ts'
import { type SweepOptions, sweep } from './sweep.ts'

/** The results of one check, with the names of its location codes. */
export type NamedResults = ResultSource & { readonly nameOf: (location: number) => string }

type StatesOptions = Omit<StatesQuery, 'sources'> & { readonly maintenance: readonly Span[]; readonly regimes: readonly Regime[] }

const maxIntervals = 50_000

/** The time of one check in each state, in each row. */
export function sweepStates(options: StatesOptions, results: NamedResults): CheckStates {
  const window = windowOfRows(options)
  if (window === null) return { groups: [], intervals: [] }
  return options.byLocation ? statesByLocation(options, window, results) : statesOfCheck(options, window, results)
}

/** A sweep over all locations of a check, with the interface of one per location. */
export function sweepCheck(options: SweepOptions): Feedable {
  const { push, settle, end } = sweep(options)
  return { push, end, settle: (readTo) => [settle(readTo)] }
}

function statesOfCheck(options: StatesOptions, window: Window, results: NamedResults): CheckStates {
  const { regimes, quorum, now } = options
  const { onInterval, rows } = rowSink(options, window)
  const collected = collectIntervals()
  const policy: Policy = { ...options, serviceHours: null }
  const onExplained = options.intervals ? applyPolicy(policy, elapsedSpan(window, now), bounded(collected)) : null
  const sweepWith = (sink: StateSink) => sweepCheck({ regimes, quorum, now, onInterval: sink })
  const target = sweepWith((from, to, state) => {
    onInterval(from, to, state)
    onExplained?.(from, to, state)
  })
  feed(target, results, { ...feedOptions(options, window), probe: () => sweepWith(() => {}) })
  return { groups: [{ location: null, rows: rows() }], intervals: collected.intervals }
}

/** Feeds all results of the window, whatever its rows: a location counts in each row if it has results in the window. */
function statesByLocation(options: StatesOptions, counted: Window, results: NamedResults): CheckStates {
  const { regimes, now, window } = options
  const byLocation = new Map<number, RowTime>()
  const target = sweepByLocation({
    regimes,
    now,
    sinkOf(location) {
      const sink = rowSink(options, counted)
      byLocation.set(location, sink)
      return sink.onInterval
    },
  })
  feed(target, results, { ...feedOptions(options, window), probe: () => sweepByLocation({ regimes, now, sinkOf: () => () => {} }) })
  checkStateRows(byLocation.size * options.rows.length)
  const groups = Array.from(byLocation, ([location, { rows }]) => ({ location: results.nameOf(location), rows: rows() }))
  return { groups: groups.sort((a, b) => compareText(a.location, b.location)), intervals: [] }
}

function rowSink(options: StatesOptions, window: Window): RowTime {
  const { onInterval, rows } = sumRowTime(options.rows)
  return { onInterval: applyPolicy(options, elapsedSpan(window, options.now), onInterval), rows }
}

function feedOptions({ regimes, now, minOutageMs }: StatesOptions, window: Window) {
  return { regimes, window, now, wholeOutages: minOutageMs > 0 }
}

/** The part of the window that the rows cover; null without rows. */
function windowOfRows({ window, rows }: StatesOptions): Window | null {
  const [first] = rows
  if (first === undefined) return null
  const hull = rows.reduce((all, { from, to }) => ({ from: Math.min(all.from, from), to: Math.max(all.to, to) }), first)
  const from = Math.max(window.from, hull.from)
  return { from, to: Math.max(from, Math.min(window.to, hull.to)) }
}

function bounded({ onInterval, intervals }: { readonly onInterval: StateSink; readonly intervals: readonly StateInterval[] }): StateSink {
  return (...interval) => {
    onInterval(...interval)
    if (intervals.length > maxIntervals) throw new QueryTooLarge(`the state changes more than ${maxIntervals} times`)
  }
}
