import type { Rhythm } from '../calendar/rhythm.ts'
import type { Span, Window } from '../calendar/window.ts'
import type { CheckRef } from '../ids/check-ref.ts'
import type { StateInterval } from './timeline/interval.ts'
import type { Quorum } from './timeline/state.ts'
import type { StateTime } from './timeline/state-time.ts'

/** A check whose states are queried. */
export type StateSource = {
  readonly check: CheckRef
  /** The current rhythm, which also applies before the first recorded one. */
  readonly rhythm: Rhythm
}

/** The time of checks in each state. */
export type StatesQuery = {
  readonly sources: readonly (StateSource & {
    /**
     * Spans in which the state is maintenance, regardless of results; empty if maintenance counts by its actual states. Only time in the
     * window matters.
     */
    readonly maintenance: readonly Span[]
  })[]
  readonly window: Window
  /** Time after it does not count. */
  readonly now: number
  readonly quorum: Quorum
  /** States by location instead of by check; the quorum is then ignored. */
  readonly byLocation: boolean
  /** The only time that counts; null for all. */
  readonly serviceHours: readonly Span[] | null
  /** Shorter outages count as up. Measured on whole outages, even if they extend beyond the window. */
  readonly minOutageMs: number
  /** Time is summed for each of these spans, clipped to the window. They may overlap and come in any order. */
  readonly rows: readonly Span[]
  /** Whether `intervals` are wanted. */
  readonly intervals: boolean
}

export type CheckStates = {
  /** One group with the location null, or at least one per location with results in the window, sorted by name. */
  readonly groups: readonly StateGroup[]
  /**
   * The states from the start of the window to its end or now, without gaps or overlaps, including time outside service hours; empty unless
   * requested.
   */
  readonly intervals: readonly StateInterval[]
}
/** The milliseconds in each state, for each of the query's rows. */
type StateGroup = { readonly location: string | null; readonly rows: readonly StateTime[] }

/** The outages of checks that touch a window, not clipped to it. */
export type OutagesQuery = {
  readonly sources: readonly StateSource[]
  readonly window: Window
  readonly now: number
  readonly quorum: Quorum
  readonly minMs: number
  /** Only ongoing outages, or only ended ones; both if absent. */
  readonly ongoing?: boolean
  /** Only outages in which one of these locations was down; all if absent. */
  readonly locations?: readonly string[]
  /** Only outages after this position in the order of the answer; null for all. */
  readonly after: OutagePosition | null
  readonly limit: number
}

export type OutageTotalsQuery = Omit<OutagesQuery, 'after' | 'limit'>

/** Number of outages and their total duration; ongoing ones count until now. */
export type OutageTotals = { readonly outages: number; readonly ms: number }

/** Outages are ordered by start, newest first, then by check id. */
export type OutagePosition = { readonly from: number; readonly checkId: string }

export type FoundOutage = {
  readonly check: CheckRef
  readonly from: number
  /** Null while ongoing. */
  readonly to: number | null
  /** All locations that were down at any time in it, sorted by UTF-8 bytes. */
  readonly locations: readonly string[]
  /** The most frequent error of its failing results; on a tie, that of the newest result. */
  readonly reason: string | null
  readonly firstResultId: string | null
  readonly lastResultId: string | null
}
