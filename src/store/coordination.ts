/** Coordination of processes over one database. Linearizable: every read sees all writes that were acknowledged before it began. */
export type Coordination = {
  readonly claims: ClaimStore
  readonly rows: RowStore
  readonly calls: CallStore
  close(): Promise<void>
}

/** A claim to a lease. Terms count up; at most one claim of a term wins. */
export type Claim = {
  readonly term: number
  /** Unique to a process and its start. */
  readonly owner: string
  /** The heartbeat: counts up while the lease is held. */
  readonly beat: number
  /** The owner has released the lease. */
  readonly ended: boolean
}

export type ClaimStore = {
  /** The newest state of each claim of the latest terms, newest term first. */
  read(): Promise<readonly Claim[]>
  write(claim: Claim): Promise<void>
  deleteBefore(term: number): Promise<void>
}

/** A key-value row; only the highest version of a kind and key is current. */
export type VersionedRow = {
  readonly kind: string
  readonly key: string
  readonly version: number
  /** The time from which it may be deleted; null for never. */
  readonly expiresAt: number | null
  /** Empty for a deleted row. */
  readonly body: string
}

export type RowStore = {
  /** Rows with a higher version, ascending: at most `limit`, and fewer if they are long. */
  after(version: number, limit: number): Promise<readonly VersionedRow[]>
  /** All rows of a kind. Only for kinds with few rows. */
  ofKind(kind: string): Promise<readonly VersionedRow[]>
  /** Atomic: writes all rows, or none if it rejects permanently. After a lost connection, the outcome is unknown. */
  write(rows: readonly VersionedRow[]): Promise<void>
  /** Deletes expired rows, and rows between these versions. */
  expire(now: number, voids: readonly VersionRange[]): Promise<void>
}

/** Both ends are exclusive. */
type VersionRange = { readonly after: number; readonly before: number }

export type Call = { readonly id: string; readonly body: string }

/** Requests to another process, such as the leader, whose address is not known. */
export type CallStore = {
  ask(call: Call): Promise<void>
  /** Calls of the last seconds without an answer. */
  unanswered(): Promise<readonly Call[]>
  answer(call: Call): Promise<void>
  answerTo(id: string): Promise<string | null>
}
