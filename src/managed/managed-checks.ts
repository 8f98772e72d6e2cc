import { randomUUID } from 'node:crypto'
import { tokenHash } from '../catalogue/build.ts'
import type { Account, Check } from '../catalogue/catalogue.ts'
import type { CheckDefinition } from '../catalogue/definitions.ts'
import { type DefinitionFault, type ParsedCheck, parseManagedCheck } from '../catalogue/managed/parse-managed.ts'
import { referenceFaults, usersOf } from '../catalogue/managed/references.ts'
import { runsTheSame } from '../catalogue/managed/runs-the-same.ts'
import type { OpenCatalogue } from '../catalogue/open.ts'
import { shownDefinition, type WrittenDefinition } from '../catalogue/written-definition.ts'
import { ApiError, apiError } from '../errors.ts'
import type { Author, LoggedVersion } from '../store/documents/document-log.ts'
import { type DocumentChange, OverLimit } from '../store/documents/documents.ts'
import { type DocumentUsage, exceeded, growthOf } from '../store/documents/usage.ts'
import { hourMs } from '../time.ts'
import { type ActiveOptions, activateChecks, judgeStored } from './active-checks.ts'
import { type Changer, changeMany } from './change-many.ts'
import { type CheckDocument, checkKind, documentText, readDocument } from './check-document.ts'
import { type FieldChange, fieldChanges } from './field-changes.ts'

const usualLimit: DocumentUsage = { count: 20_000, characters: 64 * 2 ** 20 }
const maxDefinitionLength = 65_536
/** How often a change is tried again where another one came first. */
const maxTries = 10
const undoMs = hourMs
const shownFaults = 5

/** Who writes, and in which account. */
export type Writing = { readonly account: Account; readonly author: Author; readonly isDryRun?: boolean }

export type WriteAction = 'create' | 'update' | 'delete' | 'restore'

/** What a write did, or would do. `version` is the one that the check has then. */
export type Written = {
  readonly id: string
  readonly action: WriteAction | 'none'
  readonly version: number
  readonly changes: readonly FieldChange[]
}

/** Whether a write of a version may go ahead; without it, the last writer wins. */
export type Precondition = ((version: number) => boolean) | null

type ChangeOrder = {
  readonly id: string
  readonly precondition: Precondition
  readonly action: WriteAction
  /** Whether it does nothing but pause a check, which is possible for one with faults, too. */
  readonly isPause?: boolean
  /** The definition that is wanted, made from the one that it replaces; `current` is null where that cannot be parsed now. */
  readonly change: (definition: WrittenDefinition, current: CheckDefinition | null) => WrittenDefinition
}

export type ManagedChecks = ReturnType<typeof createManagedChecks> extends Promise<infer Checks> ? Checks : never

type ManagedOptions = Omit<ActiveOptions, 'opened'> & {
  readonly opened: ActiveOptions['opened'] & Pick<OpenCatalogue, 'fileName' | 'definedAt'>
  /** What an account may have. */
  readonly limit?: DocumentUsage | undefined
}

/** Checks that are written over the API. A definition with a fault changes nothing. */
export async function createManagedChecks(options: ManagedOptions) {
  const { documents, opened, env, now, checkTypes, limit = usualLimit } = options
  const { catalogue } = opened
  const active = await activateChecks(options)
  /** Ping tokens of writes that are under way. */
  const reserved = new Set<string>()
  /** Accounts whose checks are being changed by their tags. */
  const changing = new Set<string>()

  const refOf = (account: Account, id: string) => ({ kind: checkKind, account: account.id, id })

  /** The newest version of a check that is there. */
  async function currentOf(account: Account, id: string, precondition: Precondition = null): Promise<LoggedVersion & { body: string }> {
    const ref = refOf(account, id)
    const known = documents.head(ref)
    if (!isThere(known) || precondition?.(known.version) === false) await documents.refresh()
    const head = documents.head(ref)
    if (!isThere(head)) throw await missing(account, id)
    if (precondition?.(head.version) === false) throw apiError('VERSION_CONFLICT', { version: head.version })
    return head
  }

  async function missing(account: Account, id: string): Promise<ApiError> {
    return (await definedInFile(account, id)) ?? apiError('CHECK_NOT_FOUND')
  }

  /** `otherwise` is said where it is defined there in another way. */
  async function definedInFile(account: Account, id: string, otherwise = ''): Promise<ApiError | null> {
    const place = await opened.definedAt(account.id, id)
    if (!place) return null
    const { file, line } = place
    return apiError('DEFINED_IN_FILE', { place: `${file ?? opened.fileName}${line === null ? '' : `:${line}`}${otherwise}` })
  }

  const judged = (account: Account, id: string, definition: WrittenDefinition): ParsedCheck =>
    judgeStored(id, definition, { account, env, checkTypes, service: catalogue.service() })

  function faultsOf(
    account: Account,
    definition: WrittenDefinition,
  ): { readonly check: CheckDefinition } | { readonly faults: readonly DefinitionFault[] } {
    if (JSON.stringify(definition).length > maxDefinitionLength)
      return { faults: [{ pointer: '', message: `the definition must have at most ${maxDefinitionLength} characters as JSON` }] }
    const parsed = judged(account, String(definition.id), definition)
    if ('faults' in parsed) return parsed
    const faults = referenceFaults(parsed.check, catalogue)
    return faults.length > 0 ? { faults } : parsed
  }

  function valid(account: Account, definition: WrittenDefinition): CheckDefinition {
    const parsed = faultsOf(account, definition)
    if ('faults' in parsed) throw invalidDefinition(parsed.faults)
    return parsed.check
  }

  /** Writes checks as one change; false where one of them has another version by now. */
  async function write(author: Author, planned: readonly PlannedWrite[]): Promise<boolean> {
    const tokens = planned.flatMap(({ check }) => (check && tokenHash(check) !== '' ? [tokenHash(check)] : []))
    if (tokens.some((token) => reserved.has(token)) || new Set(tokens).size < tokens.length)
      throw invalidDefinition([{ pointer: '', message: 'another check has this ping token' }])
    for (const token of tokens) reserved.add(token)
    const forget = planned.flatMap(({ change, check }) =>
      check && change.body !== null ? [active.expect({ ...change, version: change.expected + 1, body: change.body, check })] : [],
    )
    try {
      const changes = planned.map(({ change }) => change)
      return (await documents.write(changes, author, limit)) !== null
    } catch (problem) {
      throw problem instanceof OverLimit ? overLimit(problem.what) : problem
    } finally {
      for (const token of tokens) reserved.delete(token)
      for (const each of forget) each()
    }
  }

  const overLimit = (what: keyof DocumentUsage) =>
    apiError(what === 'count' ? 'TOO_MANY_CHECKS' : 'DEFINITIONS_TOO_LONG', { limit: limit[what] })

  /** Throws where there is no room for a write; the write itself counts again, with those that came before it. */
  function requireRoom({ change }: PlannedWrite): void {
    const over = exceeded(documents.usage(change), growthOf(documents.head(change), change), limit)
    if (over) throw overLimit(over)
  }

  /** Plans a change of a check; null where it would change nothing. */
  function plan(
    account: Account,
    head: LoggedVersion & { body: string },
    { id, action, change }: Omit<ChangeOrder, 'precondition'>,
  ): PlannedWrite | null {
    const { definition, createdAt } = readDocument(head.body)
    const parsed = parseManagedCheck(definition, { account, env, checkTypes })
    const current = 'check' in parsed ? parsed.check : null
    // Nothing of one that cannot be parsed now is shown: which texts are secret is not known.
    const shown = current ? shownDefinition(current) : {}
    const wanted = { ...change(definition, current), id }
    const check = valid(account, wanted)
    const changes = fieldChanges({ value: definition, shown }, { value: wanted, shown: shownDefinition(check) })
    if (changes.length === 0) return null
    const body = documentText({ definition: wanted, createdAt })
    const planned = { ...refOf(account, id), expected: head.version, action, changes: JSON.stringify(changes), body }
    requireRoom({ check, changes, change: planned })
    return { check, changes, change: planned }
  }

  async function changeOne({ account, author, isDryRun = false }: Writing, order: ChangeOrder): Promise<Written> {
    const { id, precondition, action } = order
    for (let tries = 0; tries < maxTries; tries++) {
      const head = await currentOf(account, id, precondition)
      const planned = order.isPause ? planPause(account, head) : plan(account, head, order)
      if (planned === null) return { id, action: 'none', version: head.version, changes: [] }
      // Otherwise whoever may write checks could take over one of the file, and then change it.
      const inFile = planned.check && (await definedInFile(account, id, ', as well as over the API'))
      if (inFile) throw inFile
      const written = { id, action, version: head.version + 1, changes: planned.changes }
      if (isDryRun || (await write(author, [planned]))) return written
    }
    throw apiError('VERSION_CONFLICT', { version: documents.head(refOf(account, id))?.version ?? 0 })
  }

  /** How a change of many checks changes each. */
  function changerOf(writing: Writing, change: ChangeOrder['change']): Changer<PlannedWrite> {
    const { account, author, isDryRun = false } = writing
    const action = 'update'
    return {
      plan(id) {
        const head = documents.head(refOf(account, id))
        return isThere(head) ? plan(account, head, { id, action, change }) : null
      },
      write: async (planned) => isDryRun || write(author, planned),
      changeOne: async (id) => (await changeOne(writing, { id, precondition: null, action, change })).action !== 'none',
    }
  }

  /** Plans to pause a check that may have faults, as what was allowed once may have by now; null where it is paused. */
  function planPause(account: Account, head: LoggedVersion & { body: string }): PlannedWrite | null {
    const { definition, createdAt } = readDocument(head.body)
    if (definition.activated === false) return null
    const paused = { ...definition, activated: false }
    const parsed = judged(account, head.id, paused)
    const changes = [{ pointer: '/activated', ...('activated' in definition && { before: definition.activated }), after: false }]
    const body = documentText({ definition: paused, createdAt })
    const change = { ...refOf(account, head.id), expected: head.version, action: 'update', changes: JSON.stringify(changes), body }
    return { check: 'check' in parsed ? parsed.check : null, changes, change }
  }

  return {
    /** Why a managed check is stored but not run; null for any other. */
    whyFaulty(account: Account, id: string): readonly DefinitionFault[] | null {
      const head = documents.head(refOf(account, id))
      const found = isThere(head) ? judged(account, id, readDocument(head.body).definition) : null
      return found && 'faults' in found ? found.faults : null
    },

    /** The faults of a definition, as a check of this id. */
    faults(account: Account, id: string, definition: WrittenDefinition): readonly DefinitionFault[] {
      const parsed = faultsOf(account, { ...definition, id })
      return 'faults' in parsed ? parsed.faults : []
    },

    /** Adds a check. One of the config file is taken over only where `isAdopted`, and only as it is there. */
    async create({ account, author, isDryRun = false }: Writing, definition: WrittenDefinition, isAdopted = false): Promise<Written> {
      const id = typeof definition.id === 'string' ? definition.id : randomUUID()
      const check = valid(account, { ...definition, id })
      const inFile = await definedInFile(account, id)
      if (inFile && !isAdopted) throw inFile
      const head = await documents.recall(refOf(account, id))
      if (isThere(head)) throw apiError('CHECK_EXISTS')
      const ofFile = inFile && catalogue.check(account.id, id)
      if (inFile && !(ofFile && runsTheSame(ofFile, check))) throw (await definedInFile(account, id, ', with another definition')) ?? inFile
      const createdAt = ofFile?.createdAt ?? Math.floor(now())
      const wanted: WrittenDefinition = { ...definition, id }
      const changes = fieldChanges(null, { value: wanted, shown: shownDefinition(check) })
      const change = {
        ...refOf(account, id),
        expected: head?.version ?? 0,
        action: 'create',
        changes: JSON.stringify(changes),
        body: documentText({ definition: wanted, createdAt }),
      }
      requireRoom({ check, changes, change })
      if (!isDryRun && !(await write(author, [{ check, changes, change }]))) throw apiError('CHECK_EXISTS')
      return { id, action: 'create', version: change.expected + 1, changes }
    },

    change: changeOne,

    /**
     * Changes all managed checks with any of these tags, some at a time; one change of an account at a time. Those of the config file stay
     * as they are, and those that would have faults.
     */
    async changeTagged(writing: Writing, tags: readonly string[], change: ChangeOrder['change']) {
      const { account } = writing
      if (changing.has(account.id)) throw apiError('BULK_CHANGE_UNDER_WAY')
      changing.add(account.id)
      try {
        const tagged = catalogue.checks(account.id).filter((check) => check.tags.some((tag) => tags.includes(tag)))
        const ids = tagged.filter(isManaged).map(({ id }) => id)
        const { changed, failures, failed } = await changeMany(ids, changerOf(writing, change))
        return { changed, unchanged: ids.length - changed - failures, definedInFile: tagged.length - ids.length, failed }
      } finally {
        changing.delete(account.id)
      }
    },

    /** Its results stay until they are too old. */
    async remove({ account, author, isDryRun = false }: Writing, id: string, precondition: Precondition): Promise<Written> {
      for (let tries = 0; tries < maxTries; tries++) {
        const head = await currentOf(account, id, precondition)
        const users = usersOf({ account: account.id, id }, catalogue)
        if (users.length > 0) throw apiError('CHECK_IN_USE', { users: users.slice(0, 5).join(', ') })
        const change: DocumentChange = { ...refOf(account, id), expected: head.version, action: 'delete', changes: '[]', body: null }
        if (isDryRun || (await write(author, [{ check: null, changes: [], change }])))
          return { id, action: 'delete', version: head.version + 1, changes: [] }
      }
      throw apiError('VERSION_CONFLICT', { version: documents.head(refOf(account, id))?.version ?? 0 })
    },

    /** Writes an earlier version again; without a number, the one before the current one. A deleted check can be restored for an hour. */
    async restore(
      writing: Writing,
      id: string,
      { version, precondition }: { readonly version: number | null; readonly precondition: Precondition },
    ): Promise<Written> {
      const { account, author, isDryRun = false } = writing
      await documents.refresh()
      const head = await documents.recall(refOf(account, id))
      if (!head) throw await missing(account, id)
      if (precondition?.(head.version) === false) throw apiError('VERSION_CONFLICT', { version: head.version })
      if (head.body === null && now() - head.at > undoMs) throw apiError('VERSION_NOT_FOUND')
      const earlier = await documents.version(refOf(account, id), version ?? head.version - 1)
      const last = head.body === null ? await documents.version(refOf(account, id), head.version - 1) : head
      if (!isThere(earlier) || !isThere(last) || !isSameCheck(readDocument(earlier.body), readDocument(last.body)))
        throw apiError('VERSION_NOT_FOUND')
      const document = readDocument(earlier.body)
      if (head.body !== null) return changeOne(writing, { id, precondition, action: 'restore', change: () => document.definition })
      const inFile = await definedInFile(account, id)
      if (inFile) throw inFile
      const check = valid(account, document.definition)
      const change = { ...refOf(account, id), expected: head.version, action: 'restore', changes: '[]', body: earlier.body }
      requireRoom({ check, changes: [], change })
      if (!isDryRun && !(await write(author, [{ check, changes: [], change }])))
        throw apiError('VERSION_CONFLICT', { version: head.version + 1 })
      return { id, action: 'restore', version: head.version + 1, changes: [] }
    },

    /** Whether there is, or lately was, such a managed check. */
    isKnown: async (account: Account, id: string) => (await documents.recall(refOf(account, id))) !== undefined,
    records: documents.records,
    close: active.close,
  }
}

type PlannedWrite = { readonly check: CheckDefinition | null; readonly changes: readonly FieldChange[]; readonly change: DocumentChange }

const isThere = (head: LoggedVersion | null | undefined): head is LoggedVersion & { body: string } => typeof head?.body === 'string'

/** Whether two versions of an id are of one check: after it was deleted, another one may have been added, even of another type. */
const isSameCheck = (one: CheckDocument, other: CheckDocument) =>
  one.createdAt === other.createdAt && one.definition.type === other.definition.type

export const isManaged = ({ managedVersion }: Pick<Check, 'managedVersion'>) => managedVersion !== undefined

export function invalidDefinition(faults: readonly DefinitionFault[]): ApiError {
  const first = faults.slice(0, shownFaults).map(({ pointer, message }) => (pointer === '' ? message : `${pointer}: ${message}`))
  const more = faults.length > shownFaults ? [`and ${faults.length - shownFaults} more`] : []
  const { message } = apiError('INVALID_DEFINITION', { faults: [...first, ...more].join('; ') })
  return new ApiError('INVALID_DEFINITION', message, {}, faults)
}
