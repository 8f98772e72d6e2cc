import type { Account, Catalogue } from '../catalogue/catalogue.ts'
import { removableTogether, usersOf, usersOfAny } from '../catalogue/managed/references.ts'
import { shownDefinition } from '../catalogue/written-definition.ts'
import type { DefinitionFault } from '../checks/wire-reader.ts'
import { apiError } from '../errors.ts'
import type { LoggedVersion } from '../store/documents/document-log.ts'
import type { Documents } from '../store/documents/documents.ts'
import { type FieldChange, removedFields } from './field-changes.ts'
import { checkKind, readDocument } from './managed-document.ts'
import { undoMs } from './restorable.ts'
import { isThere, maxWriteTries, type PlannedWrite, type Precondition, type StoredVersion, type Writing, type Written } from './writing.ts'

const shownUsers = 5

type RemovalOptions = {
  readonly documents: Documents
  readonly catalogue: Catalogue
  readonly now: () => number
  readonly currentOf: (account: Account, id: string, precondition: Precondition) => Promise<StoredVersion>
  readonly isInFile: (account: Account, id: string) => Promise<boolean>
  /** All or none; false if one has another version by now. */
  readonly write: (author: Writing['author'], planned: readonly PlannedWrite[]) => Promise<boolean>
}

/** A check that was deleted, and by whom. */
type DeletedCheck = Pick<LoggedVersion, 'id' | 'at' | 'keyId' | 'keyName'> & {
  /** Null if it was not recorded. */
  readonly name: string | null
  readonly type: string | null
  readonly restorableUntil: number
}

/** A check that was not deleted, and why. */
type KeptCheck = { readonly id: string; readonly faults: readonly DefinitionFault[] }

export type Removal = ReturnType<typeof createRemoval>

/** Deletes managed checks; their results stay until they are too old. */
export function createRemoval({ documents, catalogue, now, currentOf, isInFile, write }: RemovalOptions) {
  function planned(head: StoredVersion, judge: () => void): PlannedWrite {
    const { kind, account, id, version } = head
    const changes = removedFields({ value: readDocument(head.body).definition, shown: shownOf(head) })
    const change = { kind, account, id, expected: version, action: 'delete', changes: JSON.stringify(changes), body: null } as const
    return { check: null, changes, change, judge }
  }

  /** For an inactive check it is unknown which texts are secret. */
  function shownOf({ account, id, version, body }: StoredVersion) {
    const active = catalogue.check(account, id)
    if (active?.managedVersion === version) return shownDefinition(active)
    const { name, type } = readDocument(body).definition
    return { name, type }
  }

  return {
    /** Plans a batch of deletions: returns a function that plans each of them, undefined if it is gone already. */
    planRemovals(account: Account, ids: readonly string[]): (id: string) => PlannedWrite | undefined {
      const usersNow = () => usersOfAny(account.id, ids, catalogue)
      const usersThen = usersNow()
      // Shared by all deletions, because it scans every check of the account.
      const judge = () => {
        const [users] = usersNow().values()
        if (users) throw inUse(users)
      }
      return (id) => {
        const head = documents.head({ kind: checkKind, account: account.id, id })
        if (!isThere(head)) return undefined
        const users = usersThen.get(id)
        if (users) throw inUse(users)
        return planned(head, judge)
      }
    },

    async remove({ account, author, isDryRun = false }: Writing, id: string, precondition: Precondition): Promise<Written> {
      const judge = () => {
        const users = usersOf({ account: account.id, id }, catalogue)
        if (users.length > 0) throw inUse(users)
      }
      for (let tries = 0; tries < maxWriteTries; tries++) {
        const head = await currentOf(account, id, precondition)
        judge()
        const removal = planned(head, judge)
        if (isDryRun || (await write(author, [removal])))
          return { id, action: 'delete', version: head.version + 1, changes: removal.changes }
      }
      throw apiError('VERSION_CONFLICT', { version: documents.head({ kind: checkKind, account: account.id, id })?.version ?? 0 })
    },

    /** Deletes these checks unless they are in use, dependents first, so that they can be restored in reverse order. */
    async removeMany({ account, author, isDryRun = false }: Writing, ids: readonly string[]) {
      for (let tries = 0; tries < maxWriteTries; tries++) {
        const heads = new Map(ids.map((id) => [id, documents.head({ kind: checkKind, account: account.id, id })]))
        const stored = [...heads.values()].filter(isThere)
        const judged = () =>
          removableTogether(
            account.id,
            stored.map(({ id }) => id),
            catalogue,
          )
        const { removable, inUse: used } = judged()
        const judge = () => {
          const still = judged().removable
          if (removable.some((id) => !still.includes(id))) throw inUse(['a check that was just written'])
        }
        const writes = removable.map((id) => heads.get(id)).filter(isThere)
        const isDone =
          isDryRun ||
          writes.length === 0 ||
          (await write(
            author,
            writes.map((head) => planned(head, judge)),
          ))
        if (!isDone) continue
        const others = ids.filter((id) => !isThere(heads.get(id)))
        const ofFile = await filtered(others, (id) => isInFile(account, id))
        const failed: readonly KeptCheck[] = [
          ...[...used].map(([id, users]) => ({ id, faults: [{ pointer: '', message: inUse(users).message }] })),
          ...others
            .filter((id) => !ofFile.includes(id))
            .map((id) => ({ id, faults: [{ pointer: '', message: apiError('CHECK_NOT_FOUND').message }] })),
        ]
        return { deleted: removable, definedInFile: ofFile.length, failed }
      }
      throw apiError('BULK_CHANGE_UNDER_WAY')
    },

    /** A page of checks that can still be restored, newest first. */
    deleted(account: Account, { offset, limit }: { readonly offset: number; readonly limit: number }) {
      const all = documents.deletedSince({ kind: checkKind, account: account.id }, now() - undoMs)
      return { total: all.length, checks: all.slice(offset, offset + limit).map(deletedCheck) }
    },
  }
}

function deletedCheck({ id, at, keyId, keyName, changes }: LoggedVersion): DeletedCheck {
  const fields: readonly FieldChange[] = JSON.parse(changes)
  const before = (pointer: string) => {
    const value = fields.find((field) => field.pointer === pointer)?.before
    return typeof value === 'string' ? value : null
  }
  return { id, at, keyId, keyName, name: before('/name'), type: before('/type'), restorableUntil: at + undoMs }
}

const inUse = (users: readonly string[]) => apiError('CHECK_IN_USE', { users: users.slice(0, shownUsers).join(', ') })

async function filtered<T>(items: readonly T[], fits: (item: T) => Promise<boolean>): Promise<readonly T[]> {
  const found: T[] = []
  for (const item of items) if (await fits(item)) found.push(item)
  return found
}
