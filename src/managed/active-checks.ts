import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Account } from '../catalogue/catalogue.ts'
import type { CheckDefinition } from '../catalogue/definitions.ts'
import { codeFaults } from '../catalogue/managed/code-faults.ts'
import type { ManagedChange } from '../catalogue/managed/overlay.ts'
import { type ParsedCheck, parseManagedCheck } from '../catalogue/managed/parse-managed.ts'
import { type CheckDefined, definedBy, type OpenCatalogue } from '../catalogue/open.ts'
import type { CheckType } from '../checks/define.ts'
import type { Env } from '../config.ts'
import { type DocumentRef, documentKey, type LoggedVersion } from '../store/documents/document-log.ts'
import type { Documents } from '../store/documents/documents.ts'
import { checkKind, readDocument } from './check-document.ts'

export type ActiveOptions = {
  readonly documents: Documents
  readonly opened: Pick<OpenCatalogue, 'catalogue' | 'applyManaged' | 'onChange'>
  readonly env: Env
  readonly now: () => number
  readonly log: { error(message: string): void }
  /** Records how checks run from now on. */
  readonly recordDefinitions: (checks: readonly CheckDefined[], now: number) => Promise<unknown>
  readonly checkTypes?: readonly CheckType[] | undefined
}

/** So few that parsing them does not hold up requests. */
const parsedPerTurn = 20
const recordDelayMs = 200
const recordedAtOnce = 1000

/** Another process may write another body as the same version. */
type Expected = DocumentRef & { readonly version: number; readonly body: string; readonly check: CheckDefinition }

export type ActiveChecks = {
  /** The parsed check of a version that is about to be written, so that it is not parsed twice. */
  expect(expected: Expected): () => void
  close(): Promise<void>
}

/** Keeps the catalogue as the documents are: own writes are in it when they are acknowledged, those of other processes soon after. */
export async function activateChecks(options: ActiveOptions): Promise<ActiveChecks> {
  const { documents, opened, env, now, log, recordDefinitions, checkTypes } = options
  const { catalogue } = opened
  const expected = new Map<string, Expected>()
  const unrecorded = new Map<string, CheckDefinition>()
  const logged = new Map<string, string>()
  let waiting: LoggedVersion[] = []
  let isApplying = false
  let applied: Promise<void> = Promise.resolve()
  let recording: NodeJS.Timeout | null = null
  let accounts: ReadonlyMap<string, string> = new Map()

  const expectedOf = (version: LoggedVersion) => {
    const own = expected.get(versionKey(version))
    return own && own.body === version.body ? own.check : null
  }

  function changeOf(version: LoggedVersion, parsed: CheckDefinition | null): ManagedChange | null {
    const { account: accountId, id, body } = version
    if (body === null) return { account: accountId, id, check: null }
    const { definition, createdAt } = readDocument(body)
    const account = catalogue.account(accountId)
    if (!account) return null
    const check = parsed ?? parse(version, account, definition)
    if (check === null) return { account: accountId, id, check: null }
    unrecorded.set(documentKey(version), check)
    return {
      account: accountId,
      id,
      check: { definition: { ...check, managedVersion: version.version }, lifetime: { createdAt, updatedAt: version.at } },
    }
  }

  /** What has a fault is not run: a variable that the account no longer opens, or code that is no longer allowed, is taken from it. */
  function parse(version: LoggedVersion, account: Account, definition: CheckDefinition['written']): CheckDefinition | null {
    const parsed = judgeStored(version.id, definition, { account, env, checkTypes, service: catalogue.service() })
    if ('check' in parsed) {
      logged.delete(documentKey(version))
      return parsed.check
    }
    const text = parsed.faults.map(({ pointer, message }) => `${pointer}: ${message}`).join('; ')
    if (logged.get(documentKey(version)) !== text)
      log.error(`Version ${version.version} of the managed check ${version.id} of ${account.id} has faults, so that it is not run: ${text}`)
    logged.set(documentKey(version), text)
    return null
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

  /** Versions of other processes may be thousands. */
  async function applyWaiting(): Promise<void> {
    isApplying = true
    while (waiting.length > 0) {
      const some = waiting.slice(0, parsedPerTurn)
      waiting = waiting.slice(parsedPerTurn)
      apply(some.filter((version) => documents.head(version)?.version === version.version).map((version) => changeOf(version, null)))
      await nextTurn()
    }
    isApplying = false
  }

  function applySoon(versions: readonly LoggedVersion[]): Promise<void> {
    waiting = [...waiting, ...versions]
    if (!isApplying) applied = applyWaiting()
    return applied
  }

  function written(versions: readonly LoggedVersion[]): void {
    const ofChecks = versions.filter(({ kind }) => kind === checkKind)
    const isOwn = (version: LoggedVersion) => version.body === null || expectedOf(version) !== null
    apply(ofChecks.filter(isOwn).map((version) => changeOf(version, expectedOf(version))))
    const others = ofChecks.filter((version) => !isOwn(version))
    if (others.length > 0) void applySoon(others)
  }

  /** What variables an account opens, and whether code is allowed, decides what its definitions mean. */
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
    expect(own) {
      const key = versionKey(own)
      expected.set(key, own)
      return () => expected.delete(key)
    },
    async close() {
      stopListening()
      stopWatching()
      if (recording) clearTimeout(recording)
      waiting = []
      await applied
    },
  }
}

type StoredContext = Parameters<typeof parseManagedCheck>[1] & { readonly service: Parameters<typeof codeFaults>[1] }

/** A definition that is stored, by the rules of now. */
export function judgeStored(id: string, definition: CheckDefinition['written'], context: StoredContext): ParsedCheck {
  const parsed = parseManagedCheck(definition, context)
  if ('faults' in parsed) return parsed
  if (parsed.check.id !== id) return { faults: [{ pointer: '/id', message: `the id must be ${id}` }] }
  const faults = codeFaults(parsed.check, context.service)
  return faults.length > 0 ? { faults } : parsed
}

const versionKey = (ref: DocumentRef & { readonly version: number }) => `${ref.version} ${documentKey(ref)}`
