import { type ApiError, apiError } from '../errors.ts'
import type { DocumentRef, LoggedVersion } from '../store/documents/document-log.ts'
import type { Documents } from '../store/documents/documents.ts'
import { hourMs } from '../time.ts'
import { type ManagedDocument, readDocument } from './managed-document.ts'
import { isThere, type Precondition } from './writing.ts'

export const undoMs = hourMs

/** Which version; null for the one before the newest. */
export type RestoreOrder = { readonly version: number | null; readonly precondition: Precondition }

type RestoreContext = {
  readonly documents: Documents
  readonly now: () => number
  /** The error if there never was such a document. */
  readonly missing: () => ApiError | Promise<ApiError>
  /** Whether two versions of an id belong to the same thing: an id can be reused after a deletion. */
  readonly isSame?: (one: ManagedDocument, other: ManagedDocument) => boolean
}

/** `head` is the newest version, `last` the newest that is not a deletion. */
type Restorable = { readonly head: LoggedVersion; readonly earlier: ManagedDocument; readonly last: ManagedDocument }

/** Finds a version to restore; deleted documents can be restored for an hour. */
export async function findRestorable(
  ref: DocumentRef,
  { version, precondition }: RestoreOrder,
  context: RestoreContext,
): Promise<Restorable> {
  const { documents, now, missing, isSame = () => true } = context
  await documents.refresh()
  const head = await documents.recall(ref)
  if (!head) throw await missing()
  if (precondition?.(head.version) === false) throw apiError('VERSION_CONFLICT', { version: head.version })
  if (head.body === null && now() - head.at > undoMs) throw apiError('VERSION_NOT_FOUND')
  const found = await documents.version(ref, version ?? head.version - 1)
  const newest = head.body === null ? await documents.version(ref, head.version - 1) : head
  if (!isThere(found) || !isThere(newest)) throw apiError('VERSION_NOT_FOUND')
  const [earlier, last] = [readDocument(found.body), readDocument(newest.body)]
  if (earlier.createdAt !== last.createdAt || !isSame(earlier, last)) throw apiError('VERSION_NOT_FOUND')
  return { head, earlier, last }
}
