import type { Account } from '../catalogue/catalogue.ts'
import type { OpenCatalogue } from '../catalogue/open.ts'
import { shownDefinition, type WrittenDefinition } from '../catalogue/written-definition.ts'
import type { DefinitionFault } from '../checks/wire-reader.ts'
import { apiError } from '../errors.ts'
import type { DocumentRef } from '../store/documents/document-log.ts'
import type { DocumentUsage } from '../store/documents/usage.ts'
import { shortened } from '../text/shortened.ts'
import { type ActiveOptions, activateChecks } from './active-checks.ts'
import { type Changer, changeMany } from './change-many.ts'
import { createProjects } from './deploy/projects.ts'
import { fieldChanges } from './field-changes.ts'
import { findUsers } from './find-users.ts'
import { documentText, readDocument } from './managed-document.ts'
import { type CheckChange, createCheckPlans } from './plan-checks.ts'
import { createRemoval } from './remove-checks.ts'
import { activateResources } from './resources/active-resources.ts'
import { createManagedResources } from './resources/managed-resources.ts'
import { findRestorable, type RestoreOrder } from './restorable.ts'
import { createUserJudge } from './user-judge.ts'
import { createPlannedWriter } from './write-planned.ts'
import {
  invalidDefinition,
  isThere,
  maxWriteTries,
  type PlannedWrite,
  type Precondition,
  type Writing,
  type Written,
  writtenBy,
} from './writing.ts'

const usualLimit: DocumentUsage = { count: 20_000, characters: 64 * 2 ** 20 }
const maxNameLength = 200

type ChangeOrder = CheckChange & {
  readonly precondition: Precondition
  /** Whether it only pauses a check, which is possible for a faulty one, too. */
  readonly isPause?: boolean
}

type ManyOrder = Pick<ChangeOrder, 'change' | 'isPause'>

/** Checks with these ids, or all checks with any of these tags. */
type ChosenChecks =
  | { readonly ids: readonly string[]; readonly tags?: undefined }
  | { readonly ids?: undefined; readonly tags: readonly string[] }

export type ManagedChecks = ReturnType<typeof createManagedChecks> extends Promise<infer Checks> ? Checks : never

type ManagedOptions = Omit<ActiveOptions, 'opened'> & {
  readonly opened: ActiveOptions['opened'] & Pick<OpenCatalogue, 'fileName' | 'definedAt' | 'applyResources'>
  /** The limit of checks per account. */
  readonly limit?: DocumentUsage | undefined
}

/** Checks and other resources that are written over the API. A faulty definition changes nothing. */
export async function createManagedChecks(options: ManagedOptions) {
  const { documents, opened, env, now, limit = usualLimit } = options
  const { catalogue, resources } = opened
  const stopResources = activateResources(documents, opened)
  const active = await activateChecks(options)
  const writer = createPlannedWriter({ documents, active, checkLimit: limit })
  const { write, requireRoom } = writer
  const plans = createCheckPlans({ ...options, requireRoom })
  const { refOf, currentOf, missing, placeInFile, definedInFile, judged, judgeOf, valid, planChange, planPause } = plans
  const judgeUsers = createUserJudge({ documents, catalogue, resources, judged, lengths: active.lengths, checkLimit: limit })
  const managedResources = createManagedResources({ documents, opened, now, writer })
  const vault = options.vault ?? null
  const usersOf = async (ref: DocumentRef) =>
    (await findUsers([ref], { documents, resources })).map(({ id, body }) => ({ id, ...readDocument(body) }))
  /** Accounts with a bulk change in progress. */
  const changing = new Set<string>()

  /** One bulk change per account at a time. */
  async function alone<T>(account: Account, work: () => Promise<T>): Promise<T> {
    if (changing.has(account.id)) throw apiError('BULK_CHANGE_UNDER_WAY')
    changing.add(account.id)
    try {
      return await work()
    } finally {
      changing.delete(account.id)
    }
  }

  async function changeOne({ account, author, isDryRun = false }: Writing, order: ChangeOrder): Promise<Written> {
    const { id, precondition } = order
    for (let tries = 0; tries < maxWriteTries; tries++) {
      const head = await currentOf(account, id, precondition)
      const planned = order.isPause ? planPause(account, head) : planChange(account, head, order)
      if (planned === null) return { id, action: 'none', version: head.version, changes: [] }
      // Otherwise a key with the scope write could take over a check of the file, and then change it.
      const inFile = planned.check && (await definedInFile(account, id, ', as well as over the API'))
      if (inFile) throw inFile
      if (isDryRun || (await write(author, [planned]))) return writtenBy(planned)
    }
    throw apiError('VERSION_CONFLICT', { version: documents.head(refOf(account, id))?.version ?? 0 })
  }

  /** Adapts a bulk change to single checks. */
  function changerOf(writing: Writing, order: ManyOrder): Changer<PlannedWrite> {
    const { account, author, isDryRun = false } = writing
    const action = 'update'
    return {
      plan(id) {
        const head = documents.head(refOf(account, id))
        if (!isThere(head)) throw apiError('CHECK_NOT_FOUND')
        return order.isPause ? planPause(account, head) : planChange(account, head, { id, action, ...order })
      },
      write: async (planned) => isDryRun || write(author, planned),
      changeOne: async (id) => (await changeOne(writing, { id, precondition: null, action, ...order })).action !== 'none',
    }
  }

  const taggedIds = (account: Account, tags: readonly string[]) =>
    catalogue
      .checks(account.id)
      .filter((check) => check.tags.some((tag) => tags.includes(tag)))
      .map(({ id }) => id)

  /** Leaves out checks that the config file defines, too. Those are changed in the file. */
  async function changeable(account: Account, ids: readonly string[]): Promise<readonly string[]> {
    const found: string[] = []
    for (const id of ids) if ((await opened.definedAt(account.id, id)) === null) found.push(id)
    return found
  }

  const { remove, removeMany, planRemovals, deleted } = createRemoval({
    documents,
    catalogue,
    now,
    currentOf,
    isInFile: async (account, id) => (await opened.definedAt(account.id, id)) !== null,
    write,
  })

  return {
    placeInFile,
    remove,
    deleted,
    /** The faults of a check that is stored but not run; null for any other check. */
    whyFaulty(account: Account, id: string): readonly DefinitionFault[] | null {
      const head = documents.head(refOf(account, id))
      const found = isThere(head) ? judged(account, id, readDocument(head.body)) : null
      return found && 'faults' in found ? found.faults : null
    },

    /** A faulty definition as responses may show it; null if the check is not faulty, or its secrets cannot be located. */
    faultyDefinition(account: Account, id: string) {
      const head = documents.head(refOf(account, id))
      if (!isThere(head)) return null
      const document = readDocument(head.body)
      const found = judged(account, id, document)
      if ('check' in found) return null
      const definition = plans.shown(account, document.definition)
      return definition && { definition, version: head.version, faults: found.faults }
    },

    faulty: (account: Account) => active.faulty(account.id),

    /** The name of a check, and whether it is paused; also of a faulty one. */
    writtenName(account: Account, id: string): { readonly name: string; readonly type: string; readonly activated: boolean } {
      const head = documents.head(refOf(account, id))
      const { name, type, activated } = isThere(head) ? readDocument(head.body).definition : {}
      return {
        name: typeof name === 'string' ? shortened(name, maxNameLength) : id,
        type: String(type ?? ''),
        activated: activated !== false,
      }
    },

    /** The faults of a definition, as a check of this id. */
    faults(account: Account, id: string, definition: WrittenDefinition): readonly DefinitionFault[] {
      const parsed = plans.faultsOf(account, { ...definition, id })
      return 'faults' in parsed ? parsed.faults : []
    },

    /** Adds a check. With `isAdopted`, it may replace an equal check of the config file. */
    async create({ account, author, isDryRun = false }: Writing, definition: WrittenDefinition, isAdopted = false): Promise<Written> {
      const planned = await plans.planCreate(account, definition, { isAdopted })
      if (!isDryRun && !(await write(author, [planned]))) throw apiError('CHECK_EXISTS')
      return writtenBy(planned)
    },

    change: changeOne,
    /** The environment variables that definitions of an account may use. */
    env,

    /**
     * Changes managed checks in batches, with one bulk change per account at a time. Skips checks of the config file, and checks that would
     * become faulty.
     */
    changeSelected: (writing: Writing, chosen: ChosenChecks, order: ManyOrder) =>
      alone(writing.account, async () => {
        const { account } = writing
        const ids = chosen.ids ?? taggedIds(account, chosen.tags)
        const own = await changeable(account, ids)
        const { changed, failures, failed } = await changeMany(own, changerOf(writing, order))
        return { changed, unchanged: own.length - changed - failures, definedInFile: ids.length - own.length, failed }
      }),

    removeMany: (writing: Writing, ids: readonly string[]) => alone(writing.account, () => removeMany(writing, ids)),

    /** Restores an earlier version; without a number, the one before the current one. A deleted check can be restored for an hour. */
    async restore(writing: Writing, id: string, order: RestoreOrder): Promise<Written> {
      const { account, author, isDryRun = false } = writing
      const { precondition } = order
      const { head, earlier: document } = await findRestorable(refOf(account, id), order, {
        documents,
        now,
        missing: () => missing(account, id),
        // The id of a deleted check may be reused by one of another type.
        isSame: (one, other) => one.definition.type === other.definition.type,
      })
      // Inside the lock: resources that it refers to may change.
      const judgedDefinition = () => {
        const found = judged(account, id, document)
        if ('faults' in found) throw invalidDefinition(found.faults)
        return document.definition
      }
      if (head.body !== null) return changeOne(writing, { id, precondition, action: 'restore', change: judgedDefinition })
      const inFile = await definedInFile(account, id)
      if (inFile) throw inFile
      const check = valid(account, judgedDefinition())
      const changes = fieldChanges({ value: {}, shown: {} }, { value: document.definition, shown: shownDefinition(check) })
      const change = {
        ...refOf(account, id),
        expected: head.version,
        action: 'restore',
        changes: JSON.stringify(changes),
        body: documentText(document),
      } as const
      requireRoom({ change, check })
      const planned = { check, changes, change, judge: judgeOf(check, null) }
      if (!isDryRun && !(await write(author, [planned]))) throw apiError('VERSION_CONFLICT', { version: head.version + 1 })
      return writtenBy(planned)
    },

    /** Whether such a managed check exists, or existed lately. */
    isKnown: async (account: Account, id: string) => (await documents.recall(refOf(account, id))) !== undefined,
    records: documents.records,
    /** For atomic changes of several kinds: plan each, then `writeTogether`. */
    plans: { ...plans, planRemovals },
    writeTogether: write,
    /** Resources other than checks. */
    resources: managedResources,
    /** Finds checks that a change of groups or variables would break. */
    judgeUsers,
    /** Definitions of checks that may refer to a group or variable, also of faulty ones. */
    usersOf,
    /** Resolves once checks reflect all written groups and variables. */
    settled: active.settled,
    /** What managed checks are parsed with. */
    sources: { resources, vault },
    /** Projects that command-line clients deploy. */
    projects: createProjects({
      documents,
      plans: { ...plans, planRemovals },
      writer,
      view: opened,
      now,
      checkTypes: options.checkTypes,
      settled: active.settled,
      env,
      resources: managedResources,
      judgeUsers,
      usersOf,
      vault,
    }),
    async close() {
      stopResources()
      await active.close()
    },
  }
}
