/** Coordination of processes over one database. Linearizable: an acknowledged write is seen by every read that begins later. */
export type Coordination = {
  readonly claims: ClaimStore
  readonly rows: RowStore
  readonly calls: CallStore
  close(): Promise<void>
}

/** A claim to a lease. The term counts up; of its claims at most one wins. */
export type Claim = {
  readonly term: number
  /** Unique to a process and its start. */
  readonly owner: string
  /** Counts up while it is held. */
  readonly beat: number
  /** Its owner has given it up. */
  readonly ended: boolean
}

export type ClaimStore = {
  /** The newest state of each claim of the last terms, the newest term first. */
  read(): Promise<readonly Claim[]>
  write(claim: Claim): Promise<void>
  /** Deletes the claims of earlier terms. */
  deleteBefore(term: number): Promise<void>
}

/** The row with the highest version of its kind and key counts. */
export type VersionedRow = {
  readonly kind: string
  readonly key: string
  readonly version: number
  /** From when on it may be deleted; null for never. */
  readonly expiresAt: number | null
  /** Empty for one that is removed. */
  readonly body: string
}

export type RowStore = {
  /** Those with a higher version, ascending. */
  after(version: number, limit: number): Promise<readonly VersionedRow[]>
  /** All of a kind, for kinds with few rows. */
  ofKind(kind: string): Promise<readonly VersionedRow[]>
  /** All of them, or none where it rejects permanently; after a lost connection it may be either. */
  write(rows: readonly VersionedRow[]): Promise<void>
  /** Deletes expired rows, and rows between these versions. */
  expire(now: number, voids: readonly VersionRange[]): Promise<void>
}

/** Both ends are excluded. */
type VersionRange = { readonly after: number; readonly before: number }

export type Call = { readonly id: string; readonly body: string }

/** Questions of one process to another that it cannot name. */
export type CallStore = {
  ask(call: Call): Promise<void>
  /** Those of the last seconds without an answer. */
  unanswered(): Promise<readonly Call[]>
  answer(call: Call): Promise<void>
  answerTo(id: string): Promise<string | null>
}
