import { mergeSpans, type Span } from '../../calendar/window.ts'
import type { Window } from '../store.ts'
import type { StateSink } from './interval.ts'
import { clipTo, forgiveShortOutages, override } from './overlay.ts'

/** How states become figures. */
export type Policy = {
  /** Spans in which the state is maintenance, regardless of results; empty if maintenance counts by its actual states. */
  readonly maintenance: readonly Span[]
  /** The only time that counts; null for all. */
  readonly serviceHours: readonly Span[] | null
  /** Shorter outages count as up. Measured on whole outages, not clipped by maintenance, service hours or the window. */
  readonly minOutageMs: number
}

/** The part of a window up to now, as a span of the length `to - from`. */
export function elapsedSpan(window: Window, now: number): Span {
  return { from: window.from, to: Math.max(window.from, Math.min(window.to, now)) }
}

/** Filter between a sweep and a sink: intervals that count by the policy, clipped to a span. */
export function applyPolicy(policy: Policy, span: Span, sink: StateSink): StateSink {
  const hours = policy.serviceHours
  const counted = hours === null ? sink : clipTo(mergeSpans(hours), sink)
  const clipped = clipTo(mergeSpans([span]), counted)
  return forgiveShortOutages(policy.minOutageMs, override(mergeSpans(policy.maintenance), 'maintenance', clipped))
}
