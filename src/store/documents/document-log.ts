/** The key of a document: its kind, such as `check`, its account, and its id. */
export type DocumentRef = { readonly kind: string; readonly account: string; readonly id: string }

/** The key that a version was written with. */
export type Author = { readonly keyId: string; readonly keyName: string }

/** The metadata of a version of a document. */
export type VersionRecord = DocumentRef &
  LogPlace &
  Author & {
    /** Counts up from 1. */
    readonly version: number
    readonly at: number
    /** The action, such as `create`. */
    readonly action: string
    /** The changes, as JSON, without secrets. */
    readonly changes: string
  }

/** `body` is JSON; null where this version deleted the document. */
export type LoggedVersion = VersionRecord & { readonly body: string | null }

/** Versions that were written together have one position. */
export type LogPlace = { readonly position: number; readonly ordinal: number }

export const logStart: LogPlace = { position: 0, ordinal: 0 }

export type RecordQuery = {
  readonly account: string
  /** Null for all. */
  readonly kind: string | null
  readonly id: string | null
  /** Only earlier ones; null for the newest. */
  readonly before: LogPlace | null
  readonly limit: number
}

/** All versions of all documents, in the order in which they were written. */
export type DocumentLog = {
  /** Whether other processes append to it as well. */
  readonly isShared: boolean
  /** Appends versions at the position after the last, all of them; false, and none of them, where another process has taken it. */
  append(versions: readonly LoggedVersion[]): Promise<boolean>
  /** In their order: at least one where there is any, and no more than `limit`, or than `maxPageCharacters` and one. */
  after(place: LogPlace, limit: number): Promise<readonly LoggedVersion[]>
  /** The newest version of each document, also of deleted ones, in the order of the log; pages as for `after`. */
  heads(after: LogPlace, limit: number): Promise<readonly LoggedVersion[]>
  /** The newest first. */
  records(query: RecordQuery): Promise<readonly VersionRecord[]>
  version(ref: DocumentRef, version: number): Promise<LoggedVersion | null>
  /** Drops versions from before an instant, and those of an account beyond a number, but none that a document has now: of a deleted one, all go, the oldest first. */
  expire(before: number, maxPerAccount: number): Promise<void>
  close(): Promise<void>
}

/** Bodies and changes in one page: documents may be long. */
export const maxPageCharacters = 8 * 2 ** 20

/** How many of the first rows fit into a page, by their lengths. */
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
