import type { Account } from '../catalogue/catalogue.ts'
import type { CheckDefinition } from '../catalogue/definitions.ts'
import type { DefinitionFault } from '../checks/wire-reader.ts'
import { ApiError, apiError } from '../errors.ts'
import type { Author, LoggedVersion } from '../store/documents/document-log.ts'
import type { DocumentChange } from '../store/documents/documents.ts'
import type { FieldChange } from './field-changes.ts'

export type Writing = { readonly account: Account; readonly author: Author; readonly isDryRun?: boolean }

export type WriteAction = 'create' | 'update' | 'delete' | 'restore'

/** The outcome of a write or dry run, with the resulting version. */
export type Written = {
  readonly id: string
  readonly action: WriteAction | 'none'
  readonly version: number
  readonly changes: readonly FieldChange[]
}

/** Optimistic locking; without it, the last writer wins. */
export type Precondition = ((version: number) => boolean) | null

export type PlannedWrite = {
  readonly change: DocumentChange & { readonly action: WriteAction }
  readonly changes: readonly FieldChange[]
  /** The resulting check; null if it is deleted or faulty, and for other kinds. */
  readonly check: CheckDefinition | null
  /** Validates again against the current state; null if that is not needed. */
  readonly judge: (() => void) | null
  /** Like `judge`, for rules that concurrent processes could violate. It must be fast, because all writes wait for it. */
  readonly judgeAtCommit?: (() => void) | null
}

/** Retries after a conflict. */
export const maxWriteTries = 10

export function writtenBy({ change: { id, action, expected }, changes }: PlannedWrite): Written {
  return { id, action, version: expected + 1, changes }
}

/** The version of an existing document. */
export type StoredVersion = LoggedVersion & { readonly body: string }

export const isThere = (head: LoggedVersion | null | undefined): head is StoredVersion => typeof head?.body === 'string'

const shownFaults = 5

export function invalidDefinition(faults: readonly DefinitionFault[]): ApiError {
  const first = faults.slice(0, shownFaults).map(({ pointer, message }) => (pointer === '' ? message : `${pointer}: ${message}`))
  const more = faults.length > shownFaults ? [`and ${faults.length - shownFaults} more`] : []
  const { message } = apiError('INVALID_DEFINITION', { faults: [...first, ...more].join('; ') })
  return new ApiError('INVALID_DEFINITION', message, {}, faults)
}
