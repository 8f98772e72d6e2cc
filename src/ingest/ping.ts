import { type Check, refOf } from '../catalogue/catalogue.ts'
import { classify, deadlineAfter, isOfThePast, type PingSchedule, pingOutcome } from '../checks/probe/pings.ts'
import { newestOf } from '../store/current-state.ts'
import type { FiledResult, Result, Store } from '../store/store.ts'

export type PingKind = 'alive' | 'failed'

/** Stores a ping, and the missed deadline before it unless that is stored already; resolves once both are on disk. */
export async function receivePing(store: Store, check: Check, kind: PingKind, now: number): Promise<void> {
  const rhythm = check.checkType.pingSettings?.(check.settings)
  if (!rhythm) return
  const ref = refOf(check)
  const toFiled = (outcome: Omit<Result, 'id'>): FiledResult => ({ check: ref, result: { id: null, ...outcome } })
  // Another process may have stored the ping before this one a moment ago.
  const [latest] = await store.latest([ref], { fresh: true })
  const newest = newestOf((latest?.byLocation ?? []).filter(({ startedAt }) => startedAt <= now))
  const previous = newest !== null && isOfThePast(newest, rhythm) ? null : newest
  const missed = unrecordedMiss(check, previous, rhythm, now)
  const outcome = pingOutcome(kind === 'failed' ? 'reported' : classify(previous, now, rhythm), now)
  await store.append([...(missed === null ? [] : [toFiled(pingOutcome('missed', missed))]), toFiled(outcome)])
}

/** The deadline that this ping missed: once the ping is stored, the deadline watcher no longer sees the miss. */
function unrecordedMiss({ activated, updatedAt }: Check, previous: Result | null, rhythm: PingSchedule, now: number): number | null {
  if (!activated || previous === null || (previous.hasFailures && previous.hasErrors)) return null
  const deadline = deadlineAfter(previous, rhythm, now)
  return deadline !== null && deadline < now && deadline >= updatedAt ? deadline : null
}
