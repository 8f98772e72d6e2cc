import type { Span } from '../../calendar/window.ts'
import type { StateSink } from './interval.ts'
import type { TimelineState } from './state.ts'

/** Passes on the parts of intervals that lie in the spans, which must ascend without overlap. */
export function clipTo(spans: readonly Span[], sink: StateSink): StateSink {
  const overlapping = overlapsInOrder(spans)
  return (from, to, state) => {
    for (const span of overlapping(from, to)) {
      sink(Math.max(from, span.from), Math.min(to, span.to), state)
    }
  }
}

/** Passes on intervals, with `state` in the spans, which must ascend without overlap. */
export function override(spans: readonly Span[], state: TimelineState, sink: StateSink): StateSink {
  const overlapping = overlapsInOrder(spans)
  return (from, to, own) => {
    let at = from
    for (const span of overlapping(from, to)) {
      const end = Math.min(to, span.to)
      if (span.from > at) sink(at, span.from, own)
      sink(Math.max(at, span.from), end, state)
      at = end
    }
    if (at < to) sink(at, to, own)
  }
}

/** Passes on whole outages that are shorter than `minOutageMs` as up. */
export function forgiveShortOutages(minOutageMs: number, sink: StateSink): StateSink {
  return (from, to, state) => sink(from, to, state === 'down' && to - from < minOutageMs ? 'up' : state)
}

/** Returns the spans that overlap an interval; the intervals of successive calls must ascend. */
function overlapsInOrder(spans: readonly Span[]): (from: number, to: number) => readonly Span[] {
  let first = 0
  return (from, to) => {
    while (first < spans.length && (spans[first] as Span).to <= from) first++
    let end = first
    while (end < spans.length && (spans[end] as Span).from < to) end++
    return spans.slice(first, end)
  }
}
