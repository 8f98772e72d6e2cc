import type { Account } from '../catalogue/catalogue.ts'
import type { CheckDefinition } from '../catalogue/definitions.ts'
import type { DefinitionFault } from '../catalogue/managed/parse-managed.ts'
import { ApiError, apiError } from '../errors.ts'
import type { Author, LoggedVersion } from '../store/documents/document-log.ts'
import type { DocumentChange } from '../store/documents/documents.ts'
import type { FieldChange } from './field-changes.ts'

/** Who writes, and in which account. */
export type Writing = { readonly account: Account; readonly author: Author; readonly isDryRun?: boolean }

export type WriteAction = 'create' | 'update' | 'delete' | 'restore'

/** What a write did, or would do. `version` is the one that the document has then. */
export type Written = {
  readonly id: string
  readonly action: WriteAction | 'none'
  readonly version: number
  readonly changes: readonly FieldChange[]
}

/** Whether a write of a version may go ahead; without it, the last writer wins. */
export type Precondition = ((version: number) => boolean) | null

/** A change that is not written yet. */
export type PlannedWrite = {
  readonly change: DocumentChange & { readonly action: WriteAction }
  readonly changes: readonly FieldChange[]
  /** The check that it makes; null for a deleted one, one with faults, and anything else than a check. */
  readonly check: CheckDefinition | null
  /** Throws where what other checks or resources are by now speaks against it; null where that cannot be. */
  readonly judge: (() => void) | null
  /** The same for what must not be decided by two processes at once; quick, since all writes wait for it. */
  readonly judgeAtCommit?: (() => void) | null
}

/** How often a change is tried again where another one came first. */
export const maxWriteTries = 10

export function writtenBy({ change: { id, action, expected }, changes }: PlannedWrite): Written {
  return { id, action, version: expected + 1, changes }
}

/** A version of a document that is there. */
export type StoredVersion = LoggedVersion & { readonly body: string }

export const isThere = (head: LoggedVersion | null | undefined): head is StoredVersion => typeof head?.body === 'string'

const shownFaults = 5

export function invalidDefinition(faults: readonly DefinitionFault[]): ApiError {
  const first = faults.slice(0, shownFaults).map(({ pointer, message }) => (pointer === '' ? message : `${pointer}: ${message}`))
  const more = faults.length > shownFaults ? [`and ${faults.length - shownFaults} more`] : []
  const { message } = apiError('INVALID_DEFINITION', { faults: [...first, ...more].join('; ') })
  return new ApiError('INVALID_DEFINITION', message, {}, faults)
}
