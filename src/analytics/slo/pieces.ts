import type { Span, Window } from '../../calendar/window.ts'
import { type GoodOfCounted, nothing, type SloMeasurements, sumTallies } from './measurements.ts'
import { perBurnPeriod, type SloPlan } from './window.ts'

/** The tally from an instant up to the next cut. */
type Piece = GoodOfCounted & { readonly start: number }

/** All time that a plan needs: its window and its burn windows. */
export function measuredWindow({ window, end, burn }: SloPlan): Window {
  return { from: Math.min(window.from, ...Object.values(burn).map(({ from }) => from)), to: end }
}

/**
 * The instants at which a day, the window, a burn window or an interval begins or ends, within the measured window. Ascending; the last one
 * is after its end.
 */
export function cutsOf(plan: SloPlan, intervals: readonly Span[]): Float64Array {
  const { from, to } = measuredWindow(plan)
  const edges = intervals.flatMap((interval) => [interval.from, interval.to])
  const cuts = [from, plan.window.from, ...plan.dayStarts, ...Object.values(plan.burn).map((burn) => burn.from), ...edges]
  return Float64Array.from(new Set([...cuts.filter((cut) => cut >= from && cut <= to), to + 1])).sort()
}

/** The pieces that do not begin in an interval; both ascend. */
export function piecesOutside(intervals: readonly Span[], pieces: readonly Piece[]): readonly Piece[] {
  let next = 0
  return pieces.filter(({ start }) => {
    while (next < intervals.length && (intervals[next] as Span).to <= start) next++
    return start < (intervals[next]?.from ?? Number.POSITIVE_INFINITY)
  })
}

/** The measurements of a plan from ascending pieces between its cuts. */
export function measurementsOf({ window, dayStarts, burn }: SloPlan, pieces: readonly Piece[]): SloMeasurements {
  const days = new Map<number, GoodOfCounted>()
  let day = 0
  for (const piece of dayStarts.length === 0 ? [] : pieces.filter(({ start }) => start >= window.from)) {
    while (day + 1 < dayStarts.length && (dayStarts[day + 1] as number) <= piece.start) day++
    const start = dayStarts[day] as number
    days.set(start, sumTallies([days.get(start) ?? nothing, piece]))
  }
  return { days, burn: perBurnPeriod((period) => sumTallies(pieces.filter(({ start }) => start >= burn[period].from))) }
}
