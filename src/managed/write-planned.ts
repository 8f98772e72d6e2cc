import { tokenHash } from '../catalogue/build.ts'
import { effectiveLength } from '../catalogue/managed/parse-managed.ts'
import { oneAtATime } from '../concurrency/one-at-a-time.ts'
import { createTimedTurns } from '../concurrency/turns.ts'
import { type ApiError, apiError } from '../errors.ts'
import type { Author } from '../store/documents/document-log.ts'
import { type Documents, OverLimit } from '../store/documents/documents.ts'
import { type DocumentUsage, type Excess, exceeded, growthOf } from '../store/documents/usage.ts'
import type { ActiveChecks } from './active-checks.ts'
import { projectKind } from './deploy/project-kind.ts'
import { checkKind } from './managed-document.ts'
import { accountVariables } from './resources/account-variables.ts'
import { alertChannelKind } from './resources/alert-channel.ts'
import { checkGroups } from './resources/check-groups.ts'
import { maintenanceWindowKind } from './resources/maintenance-window.ts'
import { privateLocationKind } from './resources/private-location.ts'
import type { ResourceKind } from './resources/resource-kind.ts'
import { invalidDefinition, type PlannedWrite } from './writing.ts'

type WriterOptions = {
  readonly documents: Documents
  readonly active: Pick<ActiveChecks, 'expect' | 'lengths'>
  /** The limit of checks per account. */
  readonly checkLimit: DocumentUsage
}

export type PlannedWriter = {
  /** Writes changes of any kinds atomically. False if one of the documents has another version by now. */
  write(author: Author, planned: readonly PlannedWrite[]): Promise<boolean>
  /** Throws if a write would exceed a limit; the write itself checks again. */
  requireRoom(planned: Pick<PlannedWrite, 'change'> & Partial<Pick<PlannedWrite, 'check'>>): void
  /** Like `requireRoom`, for an atomic set of writes. */
  requireRoomForAll(planned: readonly Pick<PlannedWrite, 'change'>[]): void
}

export function createPlannedWriter({ documents, active, checkLimit }: WriterOptions): PlannedWriter {
  /** Ping tokens of pending writes. */
  const reserved = new Set<string>()
  /** Characters that pending writes add to their account. */
  const growing = new Map<string, number>()
  /** Serializes writes whose validity depends on the rest of their account. */
  const inTurn = oneAtATime()
  const limitOf = (kind: string) => (kind === checkKind ? checkLimit : (resourceKinds.find((one) => one.kind === kind)?.limit ?? null))

  function overLimit({ kind, what }: Excess): ApiError {
    const limit = limitOf(kind)?.[what] ?? 0
    if (kind === checkKind) return apiError(what === 'count' ? 'TOO_MANY_CHECKS' : 'DEFINITIONS_TOO_LONG', { limit })
    const noun = resourceKinds.find((one) => one.kind === kind)?.noun ?? kind
    return apiError(what === 'count' ? 'TOO_MANY_RESOURCES' : 'RESOURCES_TOO_LONG', { limit, noun })
  }

  const growthBy = ({ change, check }: Pick<PlannedWrite, 'change' | 'check'>) =>
    check ? effectiveLength(check) - active.lengths.of(change) : 0

  /** Throws if the expanded checks of an account would exceed the limit. */
  function requireLength(account: string, growth: number): void {
    const length = active.lengths.ofAccount(account) + (growing.get(account) ?? 0) + growth
    if (growth > 0 && length > effectiveLimit(checkLimit)) throw invalidDefinition([{ pointer: '', message: tooLongText(checkLimit) }])
  }

  function reserveLength(planned: readonly PlannedWrite[]): () => void {
    const [account = ''] = planned.map(({ change }) => change.account)
    const growth = planned.reduce((sum, one) => sum + growthBy(one), 0)
    const before = growing.get(account) ?? 0
    requireLength(account, growth)
    growing.set(account, before + Math.max(0, growth))
    return () => {
      const left = (growing.get(account) ?? 0) - Math.max(0, growth)
      if (left > 0) growing.set(account, left)
      else growing.delete(account)
    }
  }

  async function writeNow(author: Author, planned: readonly PlannedWrite[]): Promise<boolean> {
    await judgeAll(planned)
    const tokens = planned.flatMap(({ check }) => (check && tokenHash(check) !== '' ? [tokenHash(check)] : []))
    if (tokens.some((token) => reserved.has(token)) || new Set(tokens).size < tokens.length)
      throw invalidDefinition([{ pointer: '', message: 'another check has this ping token' }])
    const release = reserveLength(planned)
    for (const token of tokens) reserved.add(token)
    const forget = planned.flatMap(({ change, check }) =>
      check && change.body !== null ? [active.expect({ ...change, version: change.expected + 1, body: change.body, check })] : [],
    )
    try {
      const changes = planned.map(({ change }) => change)
      const judge = () => {
        for (const { judgeAtCommit } of planned) judgeAtCommit?.()
      }
      return (await documents.write(changes, author, { limitOf, judge })) !== null
    } catch (problem) {
      throw problem instanceof OverLimit ? overLimit(problem) : problem
    } finally {
      for (const token of tokens) reserved.delete(token)
      for (const each of forget) each()
      release()
    }
  }

  return {
    write(author, planned) {
      const judged = planned.find(({ judge }) => judge !== null)
      return judged ? inTurn(judged.change.account, () => writeNow(author, planned)) : writeNow(author, planned)
    },
    requireRoom({ change, check = null }) {
      requireLength(change.account, growthBy({ change, check }))
      const limit = limitOf(change.kind)
      const what = limit && exceeded(documents.usage(change), growthOf(documents.head(change), change), limit)
      if (what) throw overLimit({ kind: change.kind, what })
    },
    requireRoomForAll(planned) {
      const excess = documents.excess(
        planned.map(({ change }) => change),
        limitOf,
      )
      if (excess) throw overLimit(excess)
    },
  }
}

/** Limit of the expanded checks of an account, in characters: a short definition can refer to long variables and inherit from its group. */
export const effectiveLimit = ({ characters }: DocumentUsage) => 2 * characters

export const tooLongText = (limit: DocumentUsage) =>
  `the checks of this account would have more than ${effectiveLimit(limit)} characters as they run, with what their groups and variables put into them: shorten those, or use them in fewer checks`

/** Yields to the event loop if it takes long. Other validated writes wait for this one. */
async function judgeAll(planned: readonly PlannedWrite[]): Promise<void> {
  const pause = createTimedTurns()
  for (const judge of new Set(planned.map(({ judge }) => judge))) {
    judge?.()
    const next = pause()
    if (next) await next
  }
}

const resourceKinds: readonly ResourceKind[] = [
  checkGroups,
  accountVariables,
  maintenanceWindowKind,
  privateLocationKind,
  alertChannelKind,
  projectKind,
]
