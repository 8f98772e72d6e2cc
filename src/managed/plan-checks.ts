import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Account, Catalogue, Check } from '../catalogue/catalogue.ts'
import type { CheckDefinition } from '../catalogue/definitions.ts'
import { movesSecrets } from '../catalogue/managed/check-group.ts'
import { lengthFault } from '../catalogue/managed/definition-length.ts'
import type { ParsedCheck } from '../catalogue/managed/parse-managed.ts'
import { referenceFaults } from '../catalogue/managed/references.ts'
import type { Resources } from '../catalogue/managed/resources.ts'
import { shownFaulty } from '../catalogue/managed/shown-faulty.ts'
import type { OpenCatalogue } from '../catalogue/open.ts'
import { shownDefinition, type WrittenDefinition } from '../catalogue/written-definition.ts'
import { checkTypes as registry } from '../checks/registry.ts'
import { type ApiError, apiError } from '../errors.ts'
import type { Documents } from '../store/documents/documents.ts'
import type { ActiveOptions } from './active-checks.ts'
import { fieldChanges } from './field-changes.ts'
import { destinationToKeep, isMoved, judgeNew, judgeStored, movedText, parseStored } from './judge-stored.ts'
import { checkKind, documentText, readDocument } from './managed-document.ts'
import type { PlannedWriter } from './write-planned.ts'
import { invalidDefinition, isThere, type PlannedWrite, type Precondition, type StoredVersion, type WriteAction } from './writing.ts'

type PlanOptions = Pick<ActiveOptions, 'env' | 'now' | 'checkTypes' | 'vault'> & {
  readonly documents: Documents
  readonly opened: Pick<OpenCatalogue, 'catalogue' | 'resources' | 'fileName' | 'definedAt'>
  readonly requireRoom: PlannedWriter['requireRoom']
}

/** The resources that a definition may refer to: current ones, or those after the changes planned with it. */
export type PlanView = { readonly catalogue: Catalogue; readonly resources: Resources }

export type CheckChange = {
  readonly id: string
  readonly action: WriteAction
  /** Returns the new definition; `current` is null if the stored one no longer parses. */
  readonly change: (definition: WrittenDefinition, current: CheckDefinition | null) => WrittenDefinition
  /** Whether it keeps hidden values. Only called if resources that the check refers to change with it. */
  readonly keepsHidden?: (current: CheckDefinition) => boolean
}

export type CheckPlans = ReturnType<typeof createCheckPlans>

/** Plans writes of checks. A plan throws on faults, and writes nothing. */
export function createCheckPlans({ documents, opened, env, vault, now, checkTypes, requireRoom }: PlanOptions) {
  const { catalogue, resources } = opened
  const present: PlanView = { catalogue, resources }

  const refOf = (account: Account, id: string) => ({ kind: checkKind, account: account.id, id })

  /** The newest version of an existing check. */
  async function currentOf(account: Account, id: string, precondition: Precondition = null): Promise<StoredVersion> {
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

  /** The place of a check in the config file, such as `tidemark.yaml:12`. */
  async function placeInFile(account: Account, id: string): Promise<string | null> {
    const place = await opened.definedAt(account.id, id)
    return place && `${place.file ?? opened.fileName}${place.line === null ? '' : `:${place.line}`}`
  }

  /** `otherwise` is the error message if the file defines it differently. */
  async function definedInFile(account: Account, id: string, otherwise = ''): Promise<ApiError | null> {
    const place = await placeInFile(account, id)
    return place === null ? null : apiError('DEFINED_IN_FILE', { place: `${place}${otherwise}` })
  }

  const contextOf = (account: Account, view: Pick<PlanView, 'resources'>) => ({
    account,
    env,
    checkTypes,
    service: catalogue.service(),
    resources: view.resources,
    vault,
  })

  const judged = (
    account: Account,
    id: string,
    document: Parameters<typeof judgeStored>[1],
    view: Pick<PlanView, 'resources'> = present,
  ): ParsedCheck => judgeStored(id, document, contextOf(account, view))

  /** A stored definition with secrets redacted; null if it is unknown which texts are secret. */
  function shown(account: Account, definition: WrittenDefinition): WrittenDefinition | null {
    const parsed = parseStored(definition, contextOf(account, present))
    return 'check' in parsed ? shownDefinition(parsed.check) : shownFaulty(definition, checkTypes ?? registry)
  }

  function faultsOf(account: Account, definition: WrittenDefinition, view = present): ParsedCheck {
    const checkType = (checkTypes ?? registry).find(({ type }) => type === definition.type)
    const tooLong = lengthFault(definition, checkType)
    if (tooLong !== null) return { faults: [{ pointer: '', message: tooLong }] }
    const parsed = judgeNew(String(definition.id), definition, contextOf(account, view))
    if ('faults' in parsed) return parsed
    const faults = referenceFaults(parsed.check, view.catalogue, view.resources)
    return faults.length > 0 ? { faults } : parsed
  }

  /** Dependencies are checked again inside the lock: two concurrent writes could form a cycle. */
  function judgeOf(check: CheckDefinition, current: CheckDefinition | null, view = present): PlannedWrite['judge'] {
    const isNew = check.dependsOn.some((other) => !current?.dependsOn.includes(other))
    if (!isNew) return null
    return () => {
      const faults = referenceFaults(check, view.catalogue)
      if (faults.length > 0) throw invalidDefinition(faults)
    }
  }

  function valid(account: Account, definition: WrittenDefinition, view = present): CheckDefinition {
    const parsed = faultsOf(account, definition, view)
    if ('faults' in parsed) throw invalidDefinition(parsed.faults)
    return parsed.check
  }

  /** Plans a change of a check; null if nothing would change. */
  function planChange(account: Account, head: StoredVersion, order: CheckChange, view = present): PlannedWrite | null {
    const { id, action, change, keepsHidden } = order
    const document = readDocument(head.body)
    const { definition, createdAt } = document
    const parsed = parseStored(definition, contextOf(account, present))
    const found = 'check' in parsed ? parsed.check : null
    const hasMoved = found !== null && isMoved(document, found)
    const current = hasMoved ? null : found
    // A definition that no longer parses is not shown: it is unknown which texts are secret.
    const shown = current ? shownDefinition(current) : {}
    // Hidden values belong to their address: if that has changed, the change starts from the redacted definition.
    const wanted = { ...change(hasMoved ? shownDefinition(found) : definition, current), id }
    const check = valid(account, wanted, view)
    const moves = current !== null && movesSecrets(current, check)
    if (moves && keepsHidden?.(current)) throw invalidDefinition([{ pointer: '', message: movedText }])
    const changes = fieldChanges({ value: definition, shown }, { value: wanted, shown: shownDefinition(check) })
    // Remember the new address.
    if (changes.length === 0 && !hasMoved && !moves) return null
    const body = documentText({ definition: wanted, createdAt, ...destinationToKeep(check) })
    const planned = { ...refOf(account, id), expected: head.version, action, changes: JSON.stringify(changes), body }
    requireRoom({ change: planned, check })
    return { check, changes, change: planned, judge: judgeOf(check, current, view) }
  }

  return {
    refOf,
    currentOf,
    missing,
    placeInFile,
    definedInFile,
    judgeOf,
    judged,
    shown,
    faultsOf,
    valid,
    planChange,

    /** Plans to add a check. With `isAdopted`, it may replace an equal check of the config file. */
    async planCreate(account: Account, definition: WrittenDefinition, { isAdopted = false, view = present } = {}): Promise<PlannedWrite> {
      const id = typeof definition.id === 'string' ? definition.id : randomUUID()
      const wanted: WrittenDefinition = { ...definition, id }
      const check = valid(account, wanted, view)
      const inFile = await definedInFile(account, id)
      if (inFile && !isAdopted) throw inFile
      const head = await documents.recall(refOf(account, id))
      if (isThere(head)) throw apiError('CHECK_EXISTS')
      const ofFile = inFile && catalogue.check(account.id, id)
      if (inFile && !(ofFile && runsTheSame(ofFile, check))) throw (await definedInFile(account, id, ', with another definition')) ?? inFile
      const createdAt = ofFile?.createdAt ?? Math.floor(now())
      const changes = fieldChanges(null, { value: wanted, shown: shownDefinition(check) })
      const change = {
        ...refOf(account, id),
        expected: head?.version ?? 0,
        action: 'create',
        changes: JSON.stringify(changes),
        body: documentText({ definition: wanted, createdAt, ...destinationToKeep(check) }),
      } as const
      requireRoom({ change, check })
      return { check, changes, change, judge: judgeOf(check, null, view) }
    },

    /** Plans to pause a check, even a faulty one; null if it is paused already. */
    planPause(account: Account, head: StoredVersion): PlannedWrite | null {
      const document = readDocument(head.body)
      const { definition } = document
      if (definition.activated === false) return null
      const paused = { ...document, definition: { ...definition, activated: false } }
      const parsed = judged(account, head.id, paused)
      const changes = [{ pointer: '/activated', ...('activated' in definition && { before: definition.activated }), after: false }]
      const body = documentText(paused)
      const change = {
        ...refOf(account, head.id),
        expected: head.version,
        action: 'update',
        changes: JSON.stringify(changes),
        body,
      } as const
      return { check: 'check' in parsed ? parsed.check : null, changes, change, judge: null }
    },
  }
}

export const isManaged = ({ managedVersion }: Pick<Check, 'managedVersion'>) => managedVersion !== undefined

/** Whether two definitions are the same check once variables are replaced. */
function runsTheSame(one: Check, other: CheckDefinition): boolean {
  return isDeepStrictEqual(whatRuns(one), whatRuns(other))
}

function whatRuns(check: Omit<Check, 'createdAt' | 'updatedAt' | 'agentLocations'>) {
  const { id, account, name, checkType, activated, muted, everyMs, failingEveryMs, locations, tags, dependsOn, alerts } = check
  const { runParallel, retry, timeoutMs, degradedResponseTimeMs, maxResponseTimeMs, evidence, settings } = check
  return [
    { id, account, name, type: checkType.type, activated, muted, everyMs, failingEveryMs, locations, tags, dependsOn, alerts },
    { runParallel, retry, timeoutMs, degradedResponseTimeMs, maxResponseTimeMs, evidence, settings },
  ]
}
