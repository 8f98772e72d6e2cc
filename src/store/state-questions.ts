import type { Rhythm } from '../calendar/rhythm.ts'
import type { Span, Window } from '../calendar/window.ts'
import type { CheckRef } from '../ids/check-ref.ts'
import type { StateInterval } from './timeline/interval.ts'
import type { Quorum } from './timeline/state.ts'
import type { StateTime } from './timeline/state-time.ts'

/** A check whose states are asked for. */
export type StateSource = {
  readonly check: CheckRef
  /** How it runs today, which also applies to the time before it was recorded. */
  readonly rhythm: Rhythm
}

/** How long checks were in each state. */
export type StatesQuery = {
  readonly sources: readonly (StateSource & {
    /** When the state is maintenance, whatever else it is; empty where that time counts by its states. Only time in the window matters. */
    readonly maintenance: readonly Span[]
  })[]
  readonly window: Window
  /** Nothing after it counts. */
  readonly now: number
  readonly quorum: Quorum
  /** States by location instead of by check; then the quorum does not matter. */
  readonly byLocation: boolean
  /** The only time that counts; null for all. */
  readonly serviceHours: readonly Span[] | null
  /** Shorter outages count as up, whole ones, even if they reach beyond the window. */
  readonly minOutageMs: number
  /** Time is added up for each of these, as far as they lie in the window. They may overlap and come in any order. */
  readonly rows: readonly Span[]
  /** Whether `intervals` are wanted. */
  readonly intervals: boolean
}

export type CheckStates = {
  /** One group with the location null, or one for each location that has results around the rows, by name. */
  readonly groups: readonly StateGroup[]
  /** The states from the start of the window to its end or now, without gap or overlap, also outside the service hours; empty unless wanted. */
  readonly intervals: readonly StateInterval[]
}
/** The milliseconds in each state, for each of the query's rows. */
type StateGroup = { readonly location: string | null; readonly rows: readonly StateTime[] }

/** The outages of checks that touch a window, whole. */
export type OutagesQuery = {
  readonly sources: readonly StateSource[]
  readonly window: Window
  readonly now: number
  readonly quorum: Quorum
  readonly minMs: number
  /** Only those that last, or only those that are over; without it, both. */
  readonly ongoing?: boolean
  /** Only those in which any of these was down; without it, all. */
  readonly locations?: readonly string[]
  /** Only those behind this one in the order of the answer; null for all. */
  readonly after: OutagePosition | null
  readonly limit: number
}

export type OutageTotalsQuery = Omit<OutagesQuery, 'after' | 'limit'>

/** How many outages there are, and how long they are together, those that last until now. */
export type OutageTotals = { readonly outages: number; readonly ms: number }

/** Outages come newest first: by their start, descending, then by the id of the check. */
export type OutagePosition = { readonly from: number; readonly checkId: string }

export type FoundOutage = {
  readonly check: CheckRef
  readonly from: number
  /** Null while it lasts. */
  readonly to: number | null
  /** All that were down at any time in it, by their UTF-8 bytes. */
  readonly locations: readonly string[]
  /** The error that most of the failing results in it have; of equally frequent ones, that of the newest result. */
  readonly reason: string | null
  readonly firstResultId: string | null
  readonly lastResultId: string | null
}
