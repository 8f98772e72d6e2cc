import type { Span } from '../../calendar/window.ts'
import type { TimelineState } from './state.ts'

export type StateInterval = Span & { readonly state: TimelineState }

/** Takes intervals in ascending order, without overlap. */
export type StateSink = (from: number, to: number, state: TimelineState) => void

/** As `StateSink`; `ongoing` if the interval ends only because of `now`. */
export type IntervalSink = (from: number, to: number, state: TimelineState, ongoing: boolean) => void

/** Collects intervals; merges adjacent ones with the same state. */
export function collectIntervals(): { readonly onInterval: StateSink; readonly intervals: readonly StateInterval[] } {
  const intervals: StateInterval[] = []
  return {
    intervals,
    onInterval(from, to, state) {
      const last = intervals.at(-1)
      if (last?.state === state && last.to === from) intervals[intervals.length - 1] = { from: last.from, to, state }
      else intervals.push({ from, to, state })
    },
  }
}
