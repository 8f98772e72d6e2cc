import type { Account } from '../catalogue/catalogue.ts'
import type { CheckDefinition } from '../catalogue/definitions.ts'
import { groupKind } from '../catalogue/managed/check-group.ts'
import type { ManagedChange } from '../catalogue/managed/overlay.ts'
import { effectiveLength } from '../catalogue/managed/parse-managed.ts'
import { cycleOf } from '../catalogue/managed/references.ts'
import { variableKind } from '../catalogue/managed/variables.ts'
import type { Vault } from '../catalogue/managed/vault.ts'
import { type CheckDefined, definedBy, type OpenCatalogue } from '../catalogue/open.ts'
import type { CheckType } from '../checks/define.ts'
import type { DefinitionFault } from '../checks/wire-reader.ts'
import { createTimedTurns } from '../concurrency/turns.ts'
import type { Env } from '../config.ts'
import { type DocumentRef, documentKey, isAfter, type LoggedVersion } from '../store/documents/document-log.ts'
import type { Documents } from '../store/documents/documents.ts'
import { compareText } from '../text/compare-text.ts'
import { findUsers } from './find-users.ts'
import { judgeStored } from './judge-stored.ts'
import { checkKind, type ManagedDocument, readDocument } from './managed-document.ts'

export type ActiveOptions = {
  readonly documents: Documents
  readonly opened: Pick<OpenCatalogue, 'catalogue' | 'applyManaged' | 'onChange' | 'resources'>
  readonly env: Env
  /** Null if the server has no secret key. */
  readonly vault?: Vault | null | undefined
  readonly now: () => number
  readonly log: { error(message: string): void }
  /** Records how checks run from now on. */
  readonly recordDefinitions: (checks: readonly CheckDefined[], now: number) => Promise<unknown>
  readonly checkTypes?: readonly CheckType[] | undefined
}

const takenAtOnce = 20
const recordDelayMs = 200
const recordedAtOnce = 1000

/**
 * The version does not identify a check: another process may write another body as the same version, and groups or variables may change.
 */
type Expected = DocumentRef & {
  readonly version: number
  readonly body: string
  readonly check: CheckDefinition
  readonly revision: number
}

/** A managed check that is stored, but not run. */
type FaultyCheck = DocumentRef & { readonly faults: readonly DefinitionFault[] }

export type ActiveChecks = {
  /** Faulty checks of an account, sorted by id. */
  faulty(account: string): readonly FaultyCheck[]
  /** Passes the parsed check of a version about to be written, to avoid parsing it twice. */
  expect(expected: Omit<Expected, 'revision'>): () => void
  readonly lengths: EffectiveLengths
  /** Resolves once checks reflect all written groups and variables. */
  settled(): Promise<void>
  close(): Promise<void>
}

/** Syncs the catalogue with the documents: own writes before they are acknowledged, writes of other processes soon after. */
export async function activateChecks(options: ActiveOptions): Promise<ActiveChecks> {
  const { documents, opened, env, vault, now, log, recordDefinitions, checkTypes } = options
  const { catalogue, resources } = opened
  const expected = new Map<string, Expected>()
  const unrecorded = new Map<string, CheckDefinition>()
  /** Checks that are not run, and their last log message. */
  const faulty = new Map<string, FaultyCheck & { readonly text: string }>()
  /** Checks that run without a dependency that would close a cycle. */
  const broken = new Map<string, LoggedVersion>()
  const lengths = createLengths()
  let waiting: LoggedVersion[] = []
  let isApplying = false
  let applied: Promise<void> = Promise.resolve()
  let recording: NodeJS.Timeout | null = null
  let accounts: ReadonlyMap<string, string> = new Map()
  /** Counts changes of groups and variables. */
  let revision = 0
  const following = new Set<Promise<void>>()

  const expectedOf = (version: LoggedVersion) => {
    const own = expected.get(versionKey(version))
    return own && own.body === version.body && own.revision === revision ? own.check : null
  }

  function changeOf(version: LoggedVersion, parsed: CheckDefinition | null): ManagedChange | null {
    const { account: accountId, id, body } = version
    const key = documentKey(version)
    const none = { account: accountId, id, check: null }
    if (body === null) {
      lengths.set(version, 0)
      faulty.delete(key)
      broken.delete(key)
      return none
    }
    const document = readDocument(body)
    const account = catalogue.account(accountId)
    if (!account) return null
    const active = parsed ?? parse(version, account, document)
    lengths.set(version, active ? effectiveLength(active) : 0)
    if (active === null) {
      broken.delete(key)
      return none
    }
    faulty.delete(key)
    const check = withoutCycle(active, version)
    unrecorded.set(key, check)
    return {
      account: accountId,
      id,
      check: {
        definition: { ...check, managedVersion: version.version },
        lifetime: { createdAt: document.createdAt, updatedAt: version.at },
      },
    }
  }

  /** A faulty check is not run: it may use variables or code that are no longer allowed. */
  function parse(version: LoggedVersion, account: Account, document: ManagedDocument): CheckDefinition | null {
    const parsed = judgeStored(version.id, document, { account, env, checkTypes, service: catalogue.service(), resources, vault })
    if ('check' in parsed) return parsed.check
    const { faults } = parsed
    const { kind, id } = version
    const text = faults.map(({ pointer, message }) => `${pointer}: ${message}`).join('; ')
    if (faulty.get(documentKey(version))?.text !== text)
      log.error(`Version ${version.version} of the managed check ${id} of ${account.id} is invalid, so it is not run: ${text}`)
    faulty.set(documentKey(version), { kind, account: account.id, id, faults, text })
    return null
  }

  /**
   * Two processes may concurrently write checks that depend on each other. Every process breaks such a cycle at the check written last, so
   * that all run the same.
   */
  function withoutCycle(check: CheckDefinition, version: LoggedVersion): CheckDefinition {
    const key = documentKey(version)
    const isKnown = broken.delete(key)
    let open = check
    for (let cycle = cycleOf(open, catalogue); cycle !== null; cycle = cycleOf(open, catalogue)) {
      const newest = newestOf(cycle, version)
      if (newest !== version) {
        void applySoon([newest])
        return open
      }
      const [, other] = cycle
      broken.set(key, version)
      open = { ...open, dependsOn: open.dependsOn.filter((id) => id !== other) }
      if (!isKnown)
        log.error(
          `Managed checks of ${check.account} depend on each other in a cycle (${cycle.slice(0, 10).join(', ')}): ${check.id} runs as if it did not depend on ${other}.`,
        )
    }
    return open
  }

  function newestOf(cycle: readonly string[], version: LoggedVersion): LoggedVersion {
    const others = cycle.flatMap((id) => (id === version.id ? [] : (documents.head({ ...version, id }) ?? [])))
    return others.reduce((last, other) => (isAfter(other, last) ? other : last), version)
  }

  function apply(changes: readonly (ManagedChange | null)[]): void {
    const found = changes.filter((change) => change !== null)
    if (found.length === 0) return
    opened.applyManaged(found)
    recording ??= setTimeout(() => void record(), recordDelayMs).unref()
  }

  async function record(): Promise<void> {
    recording = null
    const some = [...unrecorded].slice(0, recordedAtOnce)
    if (some.length === 0) return
    for (const [key] of some) unrecorded.delete(key)
    try {
      await recordDefinitions(
        some.map(([, check]) => definedBy(check)),
        now(),
      )
    } catch {
      for (const [key, check] of some) if (!unrecorded.has(key)) unrecorded.set(key, check)
    }
    if (unrecorded.size > 0) recording ??= setTimeout(() => void record(), recordDelayMs).unref()
  }

  /** Works in batches, because other processes may have written thousands of versions. */
  async function applyWaiting(): Promise<void> {
    isApplying = true
    try {
      const pause = createTimedTurns()
      while (waiting.length > 0) {
        const some = waiting.slice(0, takenAtOnce)
        waiting = waiting.slice(takenAtOnce)
        // One by one: whether a check closes a cycle depends on the earlier ones.
        for (const version of some) {
          if (documents.head(version)?.version === version.version) apply([changeOf(version, null)])
          const next = pause()
          if (next) await next
        }
      }
    } finally {
      isApplying = false
    }
  }

  function applySoon(versions: readonly LoggedVersion[]): Promise<void> {
    waiting = [...waiting, ...versions]
    if (!isApplying) applied = applyWaiting()
    return applied
  }

  function written(versions: readonly LoggedVersion[]): void {
    const referred = versions.filter(({ kind }) => kind === groupKind || kind === variableKind)
    if (referred.length > 0) revision++
    const ofChecks = versions.filter(({ kind }) => kind === checkKind)
    const isOwn = (version: LoggedVersion) => version.body === null || expectedOf(version) !== null
    apply(ofChecks.filter(isOwn).map((version) => changeOf(version, expectedOf(version))))
    const others = ofChecks.filter((version) => !isOwn(version))
    // Checks with a broken cycle are applied again, because the cycle may be gone.
    const parted = ofChecks.length === 0 ? [] : [...broken.values()]
    if (others.length + parted.length > 0) void applySoon([...others, ...parted])
    if (referred.length > 0) follow(referred)
  }

  /** Parses checks again whose groups or variables changed. */
  function follow(referred: readonly LoggedVersion[]): void {
    const done = findUsers(referred, { documents, resources })
      .then(applySoon)
      .finally(() => following.delete(done))
    following.add(done)
  }

  /** Parses checks again after a change of `managedVariables` or `allowUploadedCode`. */
  async function applyAccounts(): Promise<void> {
    const heads = documents.heads().filter(({ kind, body }) => kind === checkKind && body !== null)
    const known = new Map<string, string>()
    const { allowUploadedCode } = catalogue.service()
    for (const id of new Set(heads.map(({ account }) => account))) {
      const account = catalogue.account(id)
      if (account) known.set(id, JSON.stringify([allowUploadedCode, account.managedVariables ?? []]))
    }
    const changed = heads.filter(({ account }) => known.has(account) && known.get(account) !== accounts.get(account))
    accounts = known
    if (changed.length > 0) await applySoon(changed)
  }

  const stopListening = documents.onWritten(written)
  const stopWatching = opened.onChange(() => void applyAccounts())
  await applyAccounts()
  await record()
  return {
    faulty: (account) => [...faulty.values()].filter((check) => check.account === account).sort((a, b) => compareText(a.id, b.id)),
    expect(own) {
      const key = versionKey(own)
      expected.set(key, { ...own, revision })
      return () => expected.delete(key)
    },
    lengths,
    settled: async () => void (await Promise.all(following)),
    async close() {
      stopListening()
      stopWatching()
      if (recording) clearTimeout(recording)
      waiting = []
      await Promise.all(following)
      await applied
    },
  }
}

/** Sizes of expanded checks in characters, per check and per account. */
export type EffectiveLengths = {
  of(ref: DocumentRef): number
  ofAccount(account: string): number
}

function createLengths() {
  const known = new Map<string, number>()
  const totals = new Map<string, number>()
  const of = (ref: DocumentRef) => known.get(documentKey(ref)) ?? 0
  const ofAccount = (account: string) => totals.get(account) ?? 0
  return {
    of,
    ofAccount,
    set(ref: DocumentRef, length: number): void {
      totals.set(ref.account, ofAccount(ref.account) + length - of(ref))
      if (length === 0) known.delete(documentKey(ref))
      else known.set(documentKey(ref), length)
    },
  }
}

const versionKey = (ref: DocumentRef & { readonly version: number }) => `${ref.version} ${documentKey(ref)}`
