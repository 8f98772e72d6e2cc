import type { Quorum, StateCounts } from '../../store/timeline/state.ts'
import type { MessageResult } from '../channels/message.ts'
import type { StateFacts } from './state-facts.ts'

export type CheckFacts = {
  /** By the quorums that rules use. */
  readonly states: ReadonlyMap<Quorum, StateFacts>
  /** The number of locations by state code. */
  readonly tally: StateCounts
  /** Names, sorted. */
  readonly downLocations: readonly string[]
  /** Locations that are degraded or down. */
  readonly affectedLocations: readonly string[]
  /** The number of locations with a known state. */
  readonly known: number
  readonly newestFailing: FailedResult | null
  readonly newestDegraded: FailedResult | null
  /** The most frequent error of the current or last outage. */
  readonly usualReason: string | null
  readonly certificateDays: number | null
  /** When the newest result started. */
  readonly newestAt: number | null
}

export type FailedResult = MessageResult & { readonly error: string | null }

/** The checks of a location: how many have a known state there, and by check id, since when it is down. */
export type LocationFacts = { readonly known: number; readonly down: ReadonlyMap<string, number> }

export type FactsView = {
  check(id: string): CheckFacts | null
  /** When the newest result of a check at a location started. */
  newestAt(id: string, location: string): number | null
  /**
   * When the definition of the check, or the rules that watch it, began to expect results at a location, or more frequent ones; null if
   * that was before the start.
   */
  expectedSince(id: string, location: string): number | null
  /** When the current state of a check at a location was first reported. */
  receivedAt(id: string, location: string): number | null
  location(name: string): LocationFacts
}
