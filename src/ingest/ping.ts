import type { Check } from '../catalogue/catalogue.ts'
import { classify, deadlineAfter, pingOutcome } from '../checks/probe/pings.ts'
import { derivedId } from '../store/identity.ts'
import type { FiledResult, Result, Store } from '../store/store.ts'

export type PingKind = 'alive' | 'failed'

/** Keeps one received ping, and the miss before it where nobody has written that yet; resolves once both are safe on disk. */
export async function receivePing(store: Store, check: Check, kind: PingKind, now: number): Promise<void> {
  const rhythm = check.checkType.pinged?.(check.settings)
  if (!rhythm) return
  const ref = { account: check.account, checkId: check.id }
  const file = (outcome: Omit<Result, 'id'>): FiledResult => ({
    check: ref,
    result: { id: derivedId(ref, outcome.runLocation, outcome.startedAt), ...outcome },
  })
  const previous = newest(store.latest(ref)?.byLocation ?? [])
  const deadline = check.activated && !(previous?.hasFailures && previous.hasErrors) ? deadlineAfter(previous, rhythm, now) : null
  const missed = deadline !== null && deadline < now ? [file(pingOutcome('missed', deadline))] : []
  await store.append([...missed, file(pingOutcome(kind === 'failed' ? 'reported' : classify(previous, now, rhythm), now))])
}

function newest(results: readonly Result[]): Result | null {
  return results.reduce<Result | null>((latest, result) => (latest && latest.startedAt >= result.startedAt ? latest : result), null)
}
