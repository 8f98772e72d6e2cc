/** The key of a document; `kind` is, for example, `check`. */
export type DocumentRef = { readonly kind: string; readonly account: string; readonly id: string }

/** The API key that wrote a version. */
export type Author = { readonly keyId: string; readonly keyName: string }

export type VersionRecord = DocumentRef &
  LogPlace &
  Author & {
    /** Counts up from 1. */
    readonly version: number
    readonly at: number
    /** Such as `create`. */
    readonly action: string
    /** The changes, as JSON, without secrets. */
    readonly changes: string
  }

/** `body` is JSON; null if this version deleted the document. */
export type LoggedVersion = VersionRecord & { readonly body: string | null }

/** Versions that were written together share a position. */
export type LogPlace = { readonly position: number; readonly ordinal: number }

export const logStart: LogPlace = { position: 0, ordinal: 0 }

export type RecordQuery = {
  readonly account: string
  /** Null for all. */
  readonly kind: string | null
  readonly id: string | null
  /** Only earlier versions; null to start with the newest. */
  readonly before: LogPlace | null
  readonly limit: number
}

/** All versions of all documents, in the order of writing. */
export type DocumentLog = {
  /** Whether other processes append to it as well. */
  readonly isShared: boolean
  /** Appends all versions at the next position. Returns false, and appends nothing, if another process has taken that position. */
  append(versions: readonly LoggedVersion[]): Promise<boolean>
  /**
   * A page in log order, of at most `limit` versions; empty only at the end of the log. It ends with the version that reaches
   * `maxPageCharacters`.
   */
  after(place: LogPlace, limit: number): Promise<readonly LoggedVersion[]>
  /** The newest version of each document, including deleted ones, in log order; paged as in `after`. */
  heads(after: LogPlace, limit: number): Promise<readonly LoggedVersion[]>
  /** Newest first. */
  records(query: RecordQuery): Promise<readonly VersionRecord[]>
  version(ref: DocumentRef, version: number): Promise<LoggedVersion | null>
  /**
   * Drops versions older than `before`, and the oldest versions of an account beyond `maxPerAccount`. Keeps the current version of each
   * document; drops all versions of a deleted document, oldest first.
   */
  expire(before: number, maxPerAccount: number): Promise<void>
  close(): Promise<void>
}

/** Limit of bodies and changes in one page, since documents may be long. */
export const maxPageCharacters = 8 * 2 ** 20

/** Number of leading rows that fit into a page, given their lengths. */
export function fittingRows(lengths: readonly number[]): number {
  let left = maxPageCharacters
  const end = lengths.findIndex((length) => {
    left -= length
    return left <= 0
  })
  return end === -1 ? lengths.length : end + 1
}

export function isAfter(a: LogPlace, b: LogPlace): boolean {
  return a.position > b.position || (a.position === b.position && a.ordinal > b.ordinal)
}

export const documentKey = ({ kind, account, id }: DocumentRef) => JSON.stringify([kind, account, id])
