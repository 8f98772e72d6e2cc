import type { Account, Catalogue, Check } from '../catalogue/catalogue.ts'
import { movesSecrets } from '../catalogue/managed/check-group.ts'
import { effectiveLength, type ParsedCheck } from '../catalogue/managed/parse-managed.ts'
import { type ManagedResource, type ResourceChange, type Resources, withChanges } from '../catalogue/managed/resources.ts'
import type { WrittenDefinition } from '../catalogue/written-definition.ts'
import type { DefinitionFault } from '../checks/wire-reader.ts'
import { oneAtATime } from '../concurrency/one-at-a-time.ts'
import { createTimedTurns } from '../concurrency/turns.ts'
import { apiError } from '../errors.ts'
import type { Documents } from '../store/documents/documents.ts'
import type { DocumentUsage } from '../store/documents/usage.ts'
import type { EffectiveLengths } from './active-checks.ts'
import { findUsers } from './find-users.ts'
import { movedText } from './judge-stored.ts'
import { readDocument } from './managed-document.ts'
import type { CheckPlans } from './plan-checks.ts'
import { effectiveLimit, tooLongText } from './write-planned.ts'
import { invalidDefinition } from './writing.ts'

type JudgeOptions = {
  readonly documents: Documents
  readonly catalogue: Catalogue
  readonly resources: Resources
  readonly judged: CheckPlans['judged']
  readonly lengths: EffectiveLengths
  /** The limit of checks per account. */
  readonly checkLimit: DocumentUsage
}

/** A check that a change would break, and how. */
type BrokenUser = { readonly id: string; readonly faults: readonly DefinitionFault[] }

export type UserJudge = ReturnType<typeof createUserJudge>

const maxBroken = 20
/** Queue limit per account: clients that apply many resources send some at once. */
const maxWaiting = 20

/**
 * Finds checks that a change of groups or variables would break, or whose secrets it would send elsewhere. Checks that are faulty already
 * do not count. One call per account at a time: thousands of checks may refer to a group.
 */
export function createUserJudge({ documents, catalogue, resources, judged, lengths, checkLimit }: JudgeOptions) {
  const inTurn = oneAtATime()
  const asked = new Map<string, number>()

  async function brokenBy(
    account: Account,
    changes: readonly ResourceChange[],
    except: ReadonlySet<string>,
  ): Promise<readonly BrokenUser[]> {
    const after = withChanges(resources, changes)
    const users = await findUsers(changes, { documents, resources })
    const broken: BrokenUser[] = []
    const pause = createTimedTurns()
    const before = lengths.ofAccount(account.id)
    let length = before
    for (const user of users) {
      const { id, version, body } = user
      if (broken.length >= maxBroken) break
      const active = catalogue.check(account.id, id)
      const isActive = active?.managedVersion === version && !except.has(id)
      const next = isActive ? judged(account, id, readDocument(body), { resources: after }) : null
      const found = next && active ? faultsOf(active, next) : []
      if (next && 'check' in next) length += effectiveLength(next.check) - lengths.of(user)
      if (found.length > 0) broken.push({ id, faults: found })
      else if (length > before && length > effectiveLimit(checkLimit)) {
        broken.push({ id, faults: [{ pointer: '', message: tooLongText(checkLimit) }] })
        break
      }
      const turn = pause()
      if (turn) await turn
    }
    return broken
  }

  /** `except`: checks that change in the same write. */
  return async (
    account: Account,
    changes: readonly ResourceChange[],
    except: ReadonlySet<string> = new Set(),
  ): Promise<readonly BrokenUser[]> => {
    const before = asked.get(account.id) ?? 0
    if (before > maxWaiting) throw apiError('BULK_CHANGE_UNDER_WAY')
    asked.set(account.id, before + 1)
    try {
      return await inTurn(account.id, () => brokenBy(account, changes, except))
    } finally {
      const left = (asked.get(account.id) ?? 1) - 1
      if (left === 0) asked.delete(account.id)
      else asked.set(account.id, left)
    }
  }
}

function faultsOf(before: Check, after: ParsedCheck): readonly DefinitionFault[] {
  if ('faults' in after) return after.faults
  return movesSecrets(before, after.check) ? [{ pointer: '', message: movedText }] : []
}

/** Throws if replacing a resource would break checks; `except`: those that change in the same write. */
export async function requireUnbroken(judgeUsers: UserJudge, account: Account, { current, definition, except }: Replaced): Promise<void> {
  const { kind, id } = current
  const broken = await judgeUsers(account, [{ kind, account: account.id, id, resource: { ...current, definition } }], except)
  if (broken.length > 0) throw invalidDefinition(usersAsFaults(broken))
}

type Replaced = {
  readonly current: ManagedResource
  readonly definition: WrittenDefinition
  readonly except?: ReadonlySet<string> | undefined
}

/** Broken checks as faults of the change. */
function usersAsFaults(broken: readonly BrokenUser[]): readonly DefinitionFault[] {
  return broken.flatMap(({ id, faults }) =>
    faults.slice(0, 3).map(({ pointer, message }) => ({ pointer: '', message: `check ${id}${pointer}: ${message}` })),
  )
}
