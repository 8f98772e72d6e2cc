import type { Documents } from '../documents/documents.ts'
import type { Appended, CheckRef, FiledResult, Store, Window } from '../store.ts'
import type { DefinitionChange } from './definition-changes.ts'

/** Everything in a store that can be copied to another one. */
export type Contents = Pick<Store, 'aggregate' | 'raw' | 'results' | 'result' | 'states' | 'outages' | 'failures' | 'scan' | 'close'> & {
  /** A human-readable description. */
  readonly name: string
  /** The checks with stored data, by account and id. */
  checks(): Promise<readonly StoredCheck[]>
  /** Number of results of each check on each day (UTC), in order, without empty days. */
  dayCounts(checks: readonly CheckRef[]): Promise<readonly (readonly DayCount[])[]>
  /** Digests of a check for parts of a window of this width, in order, without empty parts. */
  digests(check: CheckRef, window: Window, widthMs: number): Promise<readonly Digest[]>
  /** Which results of a check have evidence. */
  evidenceIn(check: CheckRef, window: Window): Promise<readonly EvidenceSize[]>
  /** Evidence by the id of its result, without evidence that has been dropped since. */
  readEvidence(check: CheckRef, listed: readonly EvidenceSize[]): Promise<ReadonlyMap<string, Uint8Array>>
  /** The definition changes of each check, oldest first. */
  definitionsOf(checks: readonly CheckRef[]): Promise<readonly (readonly DefinitionChange[])[]>
  /** Versions of documents written over the API, in log order. */
  readonly documentsAfter: Documents['after']
  /** Keeps servers from writing until the returned function is called; null while a server is writing. Absent if this cannot be known. */
  readonly claim?: () => (() => void) | null
}

export type Destination = Contents & {
  append(results: readonly FiledResult[]): Promise<Appended>
  /** Adds changes that are not recorded yet. */
  addDefinitions(histories: readonly DefinitionHistory[]): Promise<void>
  /** Adds versions that are newer than the stored ones; returns how many. */
  readonly addDocuments: Documents['addVersions']
}

export type DefinitionHistory = { readonly check: CheckRef; readonly changes: readonly DefinitionChange[] }

export type StoredCheck = CheckRef & {
  /** Approximate. */
  readonly results: number
  /** Changes whenever results of the check are added; null if unknown. */
  readonly revision: string | null
}

/** A day by its number since 1970-01-01, in UTC. */
export type DayCount = { readonly day: number; readonly results: number }

/** The results of the part that starts at `from`: their number, and a digest of their identities (identity-digest.ts). */
export type Digest = { readonly from: number; readonly results: number; readonly digest: string }

export type EvidenceSize = { readonly startedAt: number; readonly resultId: string; readonly bytes: number }
