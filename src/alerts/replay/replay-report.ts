import type { Check } from '../../catalogue/catalogue.ts'
import type { Policies } from '../../catalogue/policies/policies.ts'
import { checkTypes } from '../../checks/registry.ts'
import { QueryTooLarge, type Store, type Window } from '../../store/store.ts'
import { isoText } from '../../time.ts'
import { channelTypes } from '../channels/registry.ts'
import { type AlertPlan, planAlerts, repeatsOf } from '../decide/plan.ts'
import type { AlertHistory } from '../outbox/alert-history.ts'
import { historyNotes } from './history-notes.ts'
import type { ReplayedMessage } from './replay.ts'
import { replayStored } from './replay-stored.ts'

/**
 * Can be sent between threads: has names instead of check types, which have functions, and omits the settings of channels and most checks.
 */
export type ReplayQuestion = {
  readonly account: { readonly id: string; readonly name: string }
  readonly policies: Policies
  readonly checks: readonly ReplayCheck[]
  readonly window: Window
  /** Only messages of this rule; null for all. */
  readonly rule: string | null
  /** Returns at most this many messages, the last ones. */
  readonly limit: number
}
type ReplayCheck = Omit<Check, 'checkType'> & { readonly type: string }

export type ReplayReport = {
  /** Includes messages that are not listed. */
  readonly count: number
  /** In the order of the config file. */
  readonly rules: readonly { readonly rule: string; readonly messages: number }[]
  /** Oldest first. */
  readonly messages: readonly ReplayedEntry[]
  /** Limits of the replay, as sentences. */
  readonly notes: readonly string[]
}

type ReplayedEntry = ReturnType<typeof replayedEntry>

type ReplayInput = Pick<ReplayQuestion, 'account' | 'window' | 'rule' | 'limit'> & {
  readonly policies: Policies
  readonly checks: readonly Check[]
}

export function replayQuestion({ checks, policies, ...asked }: ReplayInput): ReplayQuestion {
  const channels = policies.channels.map((channel) => ({ ...channel, settings: {}, secrets: [] }))
  return {
    ...asked,
    policies: { ...policies, channels, deadManSwitch: null },
    checks: checks.map(({ checkType, settings, ...rest }) => ({
      ...rest,
      settings: checkType.pingSettings ? settings : {},
      secrets: [],
      type: checkType.type,
    })),
  }
}

export function replayPlan({ account, policies, checks }: Pick<ReplayInput, 'account' | 'policies' | 'checks'>): AlertPlan {
  return planAlerts({ account, policies, checks, repeatEveryMs: repeatsOf(channelTypes) })
}

/** Sources of results and of the alert history. */
export type ReplaySources = {
  readonly store: Pick<Store, 'scan'>
  readonly history: (account: string, window: Window) => AlertHistory
}

/** Replays a question; `checkpoint` is called regularly, and may throw to end it. */
export async function replayReport(
  { rule, limit, window, checks, ...rest }: ReplayQuestion,
  { store, history: historyOf }: ReplaySources,
  checkpoint: () => void,
): Promise<ReplayReport> {
  const plan = replayPlan({ ...rest, checks: checks.map(received) })
  const history = historyOf(plan.account.id, window)
  const counts = new Map([...plan.rules.keys()].map((id) => [id, 0]))
  let last: ReplayedMessage[] = []
  const watched: Pick<Store, 'scan'> = { scan: (...args) => checked(store.scan(...args), checkpoint) }
  for await (const replayed of replayStored({ plan, store: watched, history, window, checkpoint })) {
    checkpoint()
    const id = replayed.message.rule
    counts.set(id, (counts.get(id) ?? 0) + 1)
    if (rule !== null && id !== rule) continue
    last.push(replayed)
    if (last.length >= 2 * limit) last = last.slice(-limit)
  }
  const rules = [...counts].map(([id, messages]) => ({ rule: id, messages }))
  const count = rules.filter((each) => rule === null || each.rule === rule).reduce((sum, { messages }) => sum + messages, 0)
  return { count, rules, messages: last.slice(-limit).map(replayedEntry), notes: historyNotes(plan, history, window) }
}

/** A replayed message as the API and the command line show it. */
export function replayedEntry({ at, channel, message }: ReplayedMessage) {
  const { event, condition, severity, rule, title, subjects, subjectCount } = message
  const checks = subjects.flatMap(({ check }) => check?.id ?? [])
  return { at: isoText(at), channel, event, condition, severity, rule, title, reason: subjects[0]?.reason ?? null, checks, subjectCount }
}

async function* checked<T>(batches: AsyncIterable<T>, checkpoint: () => void): AsyncGenerator<T> {
  for await (const batch of batches) {
    checkpoint()
    yield batch
  }
}

/** Both threads have the same check types. */
function received({ type, ...rest }: ReplayCheck): Check {
  const checkType = checkTypes.find((one) => one.type === type)
  if (!checkType) throw new RangeError(`unknown check type ${type}`)
  return { ...rest, checkType }
}

export const replayLimitMs = 30_000

/** Returns a function that throws once a replay has taken too long. */
export function replayDeadline(now = () => performance.now()): () => void {
  const startedAt = now()
  return () => {
    if (now() - startedAt > replayLimitMs) throw new QueryTooLarge(`the replay takes longer than ${replayLimitMs / 1000} s`)
  }
}
