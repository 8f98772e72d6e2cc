import type { Span, Window } from '../../calendar/window.ts'
import type { Check } from '../../catalogue/catalogue.ts'
import { rhythmOf } from '../../catalogue/rhythm.ts'
import type { NewResult } from '../../store/store.ts'
import { holdMs } from '../../store/timeline/regime.ts'
import type { TimelineState } from '../../store/timeline/state.ts'
import { sweep } from '../../store/timeline/sweep.ts'

/**
 * A sum of durations that includes ongoing ones, which need no updates until they end. Times are relative, since sums of epoch times lose
 * digits.
 */
type TimeSum = { over: number; lasting: number; sinceSum: number }

/** The counted time of several checks, and the part of it that was down. */
export type TimeTotals = { readonly counted: TimeSum; readonly bad: TimeSum }

const newSum = (): TimeSum => ({ over: 0, lasting: 0, sinceSum: 0 })
export const newTotals = (): TimeTotals => ({ counted: newSum(), bad: newSum() })

export const timeAt = ({ over, lasting, sinceSum }: TimeSum, at: number): number => over + lasting * at - sinceSum

type Options = {
  readonly check: Check
  /** Ascending. */
  readonly maintenance: readonly Span[]
  /** Results and times are within it; totals count from its start. */
  readonly window: Window
  /** The totals of the SLOs that include the check. */
  readonly totals: readonly TimeTotals[]
  /** Called with each time at which `settle` is due: a result no longer holds, or a maintenance begins or ends. */
  readonly onDue: (at: number, settle: (at: number) => void) => void
}

/**
 * Adds the time that a check spends in its states to totals, as SLOs by time count it: the check is down while any location is, and
 * maintenance does not count.
 */
export function trackStateTime({ check, maintenance: spans, window, totals, onDue }: Options) {
  const rhythm = rhythmOf(check)
  const holds = holdMs(rhythm)
  const maintenance = followSpans(spans)
  const codes = new Map<string, number>()
  let open = { state: 'unknown' as TimelineState, from: window.from, isCounted: false }
  for (const { from, to } of spans) for (const edge of [from, to]) onDue(edge, settle)

  function sums(): readonly TimeSum[] {
    if (open.state === 'unknown') return []
    return totals.flatMap(({ counted, bad }) => (open.state === 'down' ? [counted, bad] : [counted]))
  }

  /** Ends the open interval, and begins one with this state. */
  function turn(at: number, state: TimelineState): void {
    const ms = at - open.from - maintenance.overlapMs(open.from, at)
    const since = open.from - window.from
    for (const sum of sums()) {
      sum.over += ms
      if (!open.isCounted) continue
      sum.lasting--
      sum.sinceSum -= since
    }
    open = { state, from: at, isCounted: !maintenance.includes(at) }
    if (!open.isCounted) return
    for (const sum of sums()) {
      sum.lasting++
      sum.sinceSum += at - window.from
    }
  }

  const states = sweep({
    regimes: [{ ...rhythm, from: 0 }],
    quorum: 1,
    now: window.to,
    onInterval(from, to, state) {
      if (to <= window.from) return
      if (state !== open.state) turn(Math.max(from, open.from), state)
      turn(to, 'unknown')
    },
  })

  function settle(at: number): void {
    const { state, from } = states.settle(at)
    if (state !== open.state) turn(Math.max(from, open.from), state)
    if (spans.length > 0) turn(at, state)
  }

  return {
    add({ startedAt, runLocation, hasFailures, isDegraded }: NewResult): void {
      const location = codes.get(runLocation) ?? codes.size
      codes.set(runLocation, location)
      const outcome = hasFailures ? 2 : isDegraded ? 1 : 0
      states.push({ times: Float64Array.of(startedAt), locations: Int32Array.of(location), outcomes: Uint8Array.of(outcome) })
      settle(startedAt)
      onDue(startedAt + holds, settle)
    },
    settle,
  }
}

/** A cursor over ascending spans, for ascending instants. */
export function followSpans(spans: readonly Span[]) {
  let first = 0
  const skipTo = (at: number) => {
    while (first < spans.length && (spans[first] as Span).to <= at) first++
  }
  return {
    overlapMs(from: number, to: number): number {
      skipTo(from)
      let sum = 0
      for (let i = first; i < spans.length && (spans[i] as Span).from < to; i++) {
        const span = spans[i] as Span
        sum += Math.min(span.to, to) - Math.max(span.from, from)
      }
      return sum
    },
    includes(at: number): boolean {
      skipTo(at)
      return (spans[first]?.from ?? Number.POSITIVE_INFINITY) <= at
    },
  }
}
