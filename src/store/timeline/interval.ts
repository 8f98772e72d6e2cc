import type { TimelineState } from './state.ts'

/** A half-open stretch of time, `[from, to)`, in epoch milliseconds. */
export type Span = { readonly from: number; readonly to: number }
export type StateInterval = Span & { readonly state: TimelineState }

/** Takes intervals in ascending order, without overlap; `ongoing` where only `now` cuts it off. */
export type IntervalSink = (from: number, to: number, state: TimelineState, ongoing: boolean) => void

/** Collects intervals; those that touch and have the same state become one. */
export function collectIntervals(): { readonly onInterval: IntervalSink; readonly intervals: readonly StateInterval[] } {
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

/** The same time as ascending spans that neither overlap nor touch. */
export function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const merged: Span[] = []
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (span.to <= span.from) continue
    if (last && span.from <= last.to) merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, span.to) }
    else merged.push(span)
  }
  return merged
}
