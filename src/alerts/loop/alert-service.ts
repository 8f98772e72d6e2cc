import type { DeliveryOutcome } from '../channels/channel.ts'
import type { RuleExplanation } from '../decide/explain.ts'
import type { Incident, Silence } from '../decide/model.ts'
import type { AlertPlan } from '../decide/plan.ts'
import type {
  ChangeQuery,
  ChannelHealth,
  DeliveryAttempt,
  DeliveryQuery,
  DeliveryRecord,
  IncidentQuery,
  IncidentRecord,
  MemberChange,
} from '../outbox/alert-records.ts'
import type { IncidentChange } from './account-alerts.ts'

/** The interface of alerts for the API, the page and the command line. */
export type AlertService = {
  incidents(query: IncidentQuery): Promise<readonly IncidentRecord[]>
  incident(account: string, id: string): Promise<IncidentRecord | null>
  changes(query: ChangeQuery): Promise<readonly MemberChange[]>
  deliveries(query: DeliveryQuery): Promise<readonly DeliveryRecord[]>
  /** Null if the account has no such incident that is open or ended recently. */
  acknowledge(account: string, id: string, by: string): Promise<Incident | null>
  /** The incident that a signed link names; null for any other token. */
  ofToken(token: string): { readonly account: string; readonly incident: string } | null
  silences(account: string): readonly Silence[]
  silence(silence: Omit<Silence, 'id'>): Promise<Silence>
  endSilence(account: string, id: string): Promise<boolean>
  health(account: string): readonly ChannelHealth[]
  /** Sends a test message now, once. Null for an unknown channel. */
  test(account: string, channel: string): Promise<DeliveryOutcome | null>
  /** The rules in force; null if the account has none. */
  plan(account: string): AlertPlan | null
  /** Why each rule would or would not alert about a check now. */
  explain(account: string, checkId: string): Promise<readonly RuleExplanation[]>
  stats(): AlertStats
  /** Calls back with every decision and every attempt of an account; returns an unsubscribe function. */
  onEvent(account: string, listener: (event: AlertServiceEvent) => void): () => void
}

export type AlertServiceEvent =
  | { readonly kind: 'incident'; readonly incident: Incident; readonly change: IncidentChange }
  | { readonly kind: 'attempt'; readonly attempt: DeliveryAttempt }

export type AlertStats = {
  readonly open: ReadonlyMap<string, number>
  /** By account, channel and outcome. */
  readonly attempts: ReadonlyMap<string, number>
  readonly waiting: number
  readonly oldestWaitingAt: number | null
  readonly broken: readonly ChannelHealth[]
  /** Whether this process sends the alerts of all processes that share a database; null if there are no others. */
  readonly isLeader: boolean | null
}

export type Log = {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
