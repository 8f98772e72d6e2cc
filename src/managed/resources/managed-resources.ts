import { randomInt } from 'node:crypto'
import type { Account } from '../../catalogue/catalogue.ts'
import type { ManagedResource, ResourceChange } from '../../catalogue/managed/resources.ts'
import type { OpenCatalogue } from '../../catalogue/open.ts'
import type { WrittenDefinition } from '../../catalogue/written-definition.ts'
import { apiError } from '../../errors.ts'
import type { Documents } from '../../store/documents/documents.ts'
import { fieldChanges } from '../field-changes.ts'
import { documentText } from '../managed-document.ts'
import { findRestorable, type RestoreOrder } from '../restorable.ts'
import type { PlannedWriter } from '../write-planned.ts'
import {
  invalidDefinition,
  isThere,
  maxWriteTries,
  type PlannedWrite,
  type Precondition,
  type WriteAction,
  type Writing,
  type Written,
  writtenBy,
} from '../writing.ts'
import { resourceChange } from './active-resources.ts'
import type { ResourceKind } from './resource-kind.ts'

type ResourcesOptions = {
  readonly documents: Documents
  readonly opened: Pick<OpenCatalogue, 'resources'>
  readonly now: () => number
  readonly writer: PlannedWriter
}

type CreateOrder = {
  /** A name; without it, the resource gets an unused number. */
  readonly id?: string | undefined
  readonly definition: WrittenDefinition
}
type ReplaceOrder = {
  readonly id: string
  readonly precondition: Precondition
  /** Returns the new definition; throws with its faults. */
  readonly change: (current: ManagedResource) => WrittenDefinition | Promise<WrittenDefinition>
}
type RemoveOrder = {
  readonly id: string
  readonly precondition: Precondition
  /** Throws if it is in use. */
  readonly guard?: (current: ManagedResource) => void | Promise<void>
}

type RestoringOrder = RestoreOrder & {
  readonly id: string
  /** Prepares an earlier definition for restoring; throws with its faults. `last` is the newest one, also of a deleted resource. */
  readonly judge: (earlier: WrittenDefinition, last: ManagedResource, isDeleted: boolean) => WrittenDefinition | Promise<WrittenDefinition>
}

type NameJudges = Pick<PlannedWrite, 'judge' | 'judgeAtCommit'>

type Named = { readonly id: string; readonly definition: WrittenDefinition; readonly before: WrittenDefinition | null }

export type ManagedResources = ReturnType<typeof createManagedResources>

/** Resources that are written over the API. Plans can be written atomically with other changes, also of checks: `writer.write`. */
export function createManagedResources({ documents, opened, now, writer }: ResourcesOptions) {
  const { resources } = opened
  const refOf = (account: Account, { kind }: ResourceKind, id: string) => ({ kind, account: account.id, id })

  /** The newest version of an existing resource. */
  async function currentOf(account: Account, kind: ResourceKind, { id, precondition }: RemoveOrder): Promise<ManagedResource> {
    const ref = refOf(account, kind, id)
    const known = resources.find(ref)
    if (!known || precondition?.(known.version) === false) await documents.refresh()
    const current = resources.find(ref)
    if (!current) throw apiError('RESOURCE_NOT_FOUND', { noun: kind.noun })
    if (precondition?.(current.version) === false) throw apiError('VERSION_CONFLICT', { version: current.version })
    return current
  }

  /** A number that no resource of the kind has or had. If two processes choose the same one, one of the writes fails. */
  async function newNumber(account: Account, kind: ResourceKind): Promise<string> {
    for (;;) {
      const id = String(randomInt(1, maxNumber))
      if (!(await documents.recall(refOf(account, kind, id)))) return id
    }
  }

  function requireLength({ maxLength, noun }: ResourceKind, definition: WrittenDefinition): void {
    if (JSON.stringify(definition).length > maxLength)
      throw invalidDefinition([{ pointer: '', message: `a ${noun} must have at most ${maxLength} characters as JSON` }])
  }

  /** Throw if another resource has the name by now; null if names need not be unique, or the name is unchanged. */
  function nameJudges(account: Account, kind: ResourceKind, { id, definition, before }: Named): NameJudges {
    const nameOf = kind.uniqueName
    if (!nameOf || (before && nameOf(before) === nameOf(definition))) return { judge: null }
    const isSame = (other: ManagedResource) => other.id !== id && nameOf(other.definition) === nameOf(definition)
    const judge = () => {
      if (resources.list(kind.kind, account.id).some(isSame)) throw apiError('RESOURCE_EXISTS', { noun: kind.noun })
    }
    judge()
    // `judge` runs in a lock of this process, `judgeAtCommit` with the version log that processes share.
    return { judge, judgeAtCommit: judge }
  }

  async function planCreate(account: Account, kind: ResourceKind, { id, definition }: CreateOrder): Promise<PlannedWrite> {
    requireLength(kind, definition)
    const ref = refOf(account, kind, id ?? (await newNumber(account, kind)))
    const head = await documents.recall(ref)
    if (isThere(head)) throw apiError('RESOURCE_EXISTS', { noun: kind.noun })
    const changes = fieldChanges(null, { value: definition, shown: kind.shown(definition) })
    const body = documentText({ definition, createdAt: Math.floor(now()) })
    const change = { ...ref, expected: head?.version ?? 0, action: 'create', changes: JSON.stringify(changes), body } as const
    writer.requireRoom({ change })
    return { check: null, changes, change, ...nameJudges(account, kind, { id: ref.id, definition, before: null }) }
  }

  /** Null if nothing would change. */
  async function planReplace(
    account: Account,
    kind: ResourceKind,
    order: ReplaceOrder,
    action: WriteAction = 'update',
  ): Promise<PlannedWrite | null> {
    const current = await currentOf(account, kind, order)
    const { version, definition: old, createdAt } = current
    const definition = await order.change(current)
    requireLength(kind, definition)
    const changes = fieldChanges({ value: old, shown: kind.shown(old) }, { value: definition, shown: kind.shown(definition) })
    if (changes.length === 0) return null
    const body = documentText({ definition, createdAt })
    const change = {
      ...refOf(account, kind, order.id),
      expected: version,
      action,
      changes: JSON.stringify(changes),
      body,
    }
    writer.requireRoom({ change })
    return { check: null, changes, change, ...nameJudges(account, kind, { id: order.id, definition, before: old }) }
  }

  async function planRemove(account: Account, kind: ResourceKind, order: RemoveOrder): Promise<PlannedWrite> {
    const current = await currentOf(account, kind, order)
    await order.guard?.(current)
    const change = { ...refOf(account, kind, order.id), expected: current.version, action: 'delete', changes: '[]', body: null } as const
    return { check: null, changes: [], change, judge: null }
  }

  async function planRestore(account: Account, kind: ResourceKind, order: RestoringOrder): Promise<Plan> {
    const { id, precondition, judge } = order
    const ref = refOf(account, kind, id)
    const { head, earlier, last } = await findRestorable(ref, order, {
      documents,
      now,
      missing: () => apiError('RESOURCE_NOT_FOUND', { noun: kind.noun }),
    })
    if (head.body !== null) {
      const change = (current: ManagedResource) => judge(earlier.definition, current, false)
      return planOrNone(id, head.version, await planReplace(account, kind, { id, precondition, change }, 'restore'))
    }
    const { createdAt } = earlier
    const newest = { ...ref, version: head.version, definition: last.definition, createdAt, updatedAt: head.at }
    const definition = await judge(earlier.definition, newest, true)
    const changes = fieldChanges({ value: {}, shown: {} }, { value: definition, shown: kind.shown(definition) })
    const body = documentText({ definition, createdAt })
    const change = { ...ref, expected: head.version, action: 'restore', changes: JSON.stringify(changes), body } as const
    writer.requireRoom({ change })
    return planOf([{ check: null, changes, change, ...nameJudges(account, kind, { id, definition, before: null }) }])
  }

  /** Plans and writes, with retries on conflicts. */
  async function write({ author, isDryRun = false }: Writing, plan: () => Promise<Plan>): Promise<Written> {
    for (let tries = 1; ; tries++) {
      const { planned, written } = await plan()
      if (isDryRun || planned.length === 0 || (await writer.write(author, planned))) return written
      if (tries === maxWriteTries) throw apiError('VERSION_CONFLICT', { version: written.version })
    }
  }

  return {
    planCreate,
    planReplace,
    planRemove,
    find: (account: Account, kind: ResourceKind, id: string) => resources.find(refOf(account, kind, id)),
    list: (account: Account, { kind }: ResourceKind) => resources.list(kind, account.id),

    create: (writing: Writing, kind: ResourceKind, order: CreateOrder): Promise<Written> =>
      write(writing, async () => planOf([await planCreate(writing.account, kind, order)])),

    replace: (writing: Writing, kind: ResourceKind, order: ReplaceOrder): Promise<Written> =>
      write(writing, async () => {
        const planned = await planReplace(writing.account, kind, order)
        const { version = 0 } = resources.find(refOf(writing.account, kind, order.id)) ?? {}
        return planOrNone(order.id, version, planned)
      }),

    /** Restores an earlier version; a deleted resource can be restored for an hour. */
    restore: (writing: Writing, kind: ResourceKind, order: RestoringOrder): Promise<Written> =>
      write(writing, () => planRestore(writing.account, kind, order)),

    /** Whether such a resource exists, or existed lately. */
    isKnown: async (account: Account, kind: ResourceKind, id: string) => (await documents.recall(refOf(account, kind, id))) !== undefined,

    /** `together` is written atomically with it. */
    remove: (
      writing: Writing,
      kind: ResourceKind,
      order: RemoveOrder,
      together: () => readonly PlannedWrite[] = () => [],
    ): Promise<Written> => write(writing, async () => planOf([await planRemove(writing.account, kind, order), ...together()])),
  }
}

type Plan = { readonly planned: readonly PlannedWrite[]; readonly written: Written }

const planOf = (planned: readonly [PlannedWrite, ...PlannedWrite[]]): Plan => ({ planned, written: writtenBy(planned[0]) })

const planOrNone = (id: string, version: number, planned: PlannedWrite | null): Plan =>
  planned ? planOf([planned]) : { planned: [], written: { id, action: 'none', version, changes: [] } }

/** A safe integer in every client, and large enough to find a free one at once. */
const maxNumber = 2 ** 40

/** The resources of the catalogue after a planned change. */
export function plannedResource({ change }: PlannedWrite, now: number): ResourceChange {
  return resourceChange({ ...change, version: change.expected + 1, at: now })
}
