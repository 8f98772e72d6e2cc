import type { Documents } from '../documents/documents.ts'
import type { Appended, CheckRef, FiledResult, Store, Window } from '../store.ts'
import type { DefinitionChange } from './definition-changes.ts'

/** Everything that a store holds, as far as it can be copied to another one. */
export type Contents = Pick<Store, 'aggregate' | 'raw' | 'results' | 'result' | 'states' | 'outages' | 'failures' | 'scan' | 'close'> & {
  /** A description for people. */
  readonly name: string
  /** The checks of which anything is stored, by account and id. */
  checks(): Promise<readonly StoredCheck[]>
  /** How many results each of these checks has on each day (UTC), in order; days without any are left out. */
  dayCounts(checks: readonly CheckRef[]): Promise<readonly (readonly DayCount[])[]>
  /** Counts of a check by parts of this width of a window, in order; empty parts are left out. */
  digests(check: CheckRef, window: Window, widthMs: number): Promise<readonly Digest[]>
  /** Which results of a check have evidence. */
  evidenceIn(check: CheckRef, window: Window): Promise<readonly EvidenceSize[]>
  /** Evidence by the id of its result, unless it has been dropped since. */
  readEvidence(check: CheckRef, listed: readonly EvidenceSize[]): Promise<ReadonlyMap<string, Uint8Array>>
  /** How each of these checks changed, oldest first. */
  definitionsOf(checks: readonly CheckRef[]): Promise<readonly (readonly DefinitionChange[])[]>
  /** Versions of documents that were written over the API, in their order. */
  readonly documentsAfter: Documents['after']
  /**
   * Keeps servers from writing until it is released; null while a server is writing. Absent where that cannot be known.
   */
  readonly claim?: () => (() => void) | null
}

/** Contents that can be added to. */
export type Destination = Contents & {
  append(results: readonly FiledResult[]): Promise<Appended>
  /** Adds changes that are not recorded yet. */
  addDefinitions(histories: readonly DefinitionHistory[]): Promise<void>
  /** Adds versions that are newer than those that it has; returns how many. */
  readonly addDocuments: Documents['addVersions']
}

export type DefinitionHistory = { readonly check: CheckRef; readonly changes: readonly DefinitionChange[] }

export type StoredCheck = CheckRef & {
  /** About how many. */
  readonly results: number
  /** Changes whenever results of the check are added; null where that is not known. */
  readonly revision: string | null
}

/** A day by its number since 1970-01-01, in UTC. */
export type DayCount = { readonly day: number; readonly results: number }

/** The results from an instant on: how many, and a digest of their identities (identity-digest.ts). */
export type Digest = { readonly from: number; readonly results: number; readonly digest: string }

export type EvidenceSize = { readonly startedAt: number; readonly resultId: string; readonly bytes: number }
