import type { Span } from '../../calendar/window.ts'
import type { StateSink } from './interval.ts'
import { timelineStates } from './state.ts'
import { noTime, type StateTime, sumStateTime } from './state-time.ts'

export type RowTime = { readonly onInterval: StateSink; readonly rows: () => readonly StateTime[] }

/** Sums the time in each state per span. Spans may overlap; no interval may begin before the first one. */
export function sumRowTime(spans: readonly Span[]): RowTime {
  const edges = Float64Array.from(new Set(spans.flatMap(({ from, to }) => [from, to]))).sort()
  const indexOf = new Map(Array.from(edges, (edge, i) => [edge, i]))
  const { onInterval, rows: pieces } = sumStateTime(edges)
  const between = ({ from, to }: Span) => pieces.slice(indexOf.get(from), indexOf.get(to))
  return { onInterval, rows: () => spans.map((span) => totalTime(between(span))) }
}

export function totalTime(times: readonly StateTime[]): StateTime {
  const total = noTime()
  for (const time of times) for (const state of timelineStates) total[state] += time[state]
  return total
}
