import { compareText } from '../../text/compare-text.ts'
import type { Window } from '../store.ts'
import type { IntervalSink } from './interval.ts'
import { countReason, type ReasonCounts, usualReason } from './usual-reason.ts'

/** A maximal interval in which a check is down. */
export type Outage = {
  readonly from: number
  /** Null while ongoing. */
  readonly to: number | null
  /** All locations that were down at any time in it, sorted by UTF-8 bytes. */
  readonly locations: readonly string[]
}

type OutageOptions = {
  /** Only outages that touch it are collected; they are not clipped. */
  readonly window: Window
  readonly nameOf: (location: number) => string
  /** Filters outages; `end` is when the outage ends, or now. */
  readonly accepts?: (outage: Outage, end: number) => boolean
  /** Number of newest outages needed; older ones may be dropped. */
  readonly newest?: number
}

/** Collects the outages of a sweep, in ascending order. */
export function collectOutages({ window, nameOf, accepts, newest = Number.POSITIVE_INFINITY }: OutageOptions): OutageCollector {
  const outages: Outage[] = []
  const down = new Set<number>()
  return {
    outages,
    onDown: (location) => down.add(location),
    onInterval(from, to, state, ongoing) {
      if (state !== 'down') return
      const touches = from <= window.to && to > window.from
      const outage = touches && { from, to: ongoing ? null : to, locations: Array.from(down, nameOf).sort(compareText) }
      if (outage && (accepts?.(outage, to) ?? true)) {
        outages.push(outage)
        if (outages.length >= 2 * newest) outages.splice(0, newest)
      }
      down.clear()
    },
  }
}

type OutageCollector = {
  readonly outages: readonly Outage[]
  readonly onInterval: IntervalSink
  readonly onDown: (location: number) => void
}

/** The window of the results that started in an outage. */
export function resultWindow({ from, to }: Outage, now: number): Window {
  return { from, to: to === null ? now : to - 1 }
}

/** The failing results of an outage, in order; row numbers are those of the caller. */
type FailingRows = {
  readonly rows: Iterable<number>
  readonly idOf: (row: number) => string
  readonly errorOf: (row: number) => string | null
}

export type OutageFailures = { readonly firstResultId: string | null; readonly lastResultId: string | null; readonly reason: string | null }

/** The first and the last failing result, and the most frequent error; on a tie, that of the newest result. */
export function describeFailures({ rows, idOf, errorOf }: FailingRows): OutageFailures {
  const counts: ReasonCounts = new Map()
  let first: number | null = null
  let last: number | null = null
  for (const row of rows) {
    first ??= row
    last = row
    countReason(counts, errorOf(row))
  }
  return {
    firstResultId: first === null ? null : idOf(first),
    lastResultId: last === null ? null : idOf(last),
    reason: usualReason(counts),
  }
}
