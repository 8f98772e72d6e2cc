import type { DeliveryOutcome } from '../channels/channel.ts'
import type { AlertCondition, AlertEvent } from '../channels/message.ts'
import type { Delivery, Incident, Member, Notified, Silence } from '../decide/model.ts'

/** The state that a process loads when it starts. */
export type StoredAccounts = {
  readonly incidents: readonly Incident[]
  readonly notified: readonly Notified[]
  readonly inFlight: readonly WaitingDelivery[]
  /** Current and future silences. */
  readonly silences: readonly Silence[]
  readonly health: readonly ChannelHealth[]
  readonly agents: readonly SeenAgent[]
  /** Since when each watched location cannot reach any of its canaries; null if it can. */
  readonly unreachable: readonly (Pick<UnreachableSpell, 'account' | 'location'> & { readonly since: number | null })[]
}

/** A period in which a location could not reach any of its canaries. `to` is null while it lasts. */
export type UnreachableSpell = { readonly account: string; readonly location: string; readonly from: number; readonly to: number | null }

/** When an agent first and last reported. */
export type SeenAgent = {
  readonly account: string
  readonly location: string
  readonly instance: string
  /** Its display name; null for none. */
  readonly name: string | null
  readonly firstAt: number
  readonly lastAt: number
  /** The session in which it reported that it stops; null if it has reported since. */
  readonly stoppedSession: string | null
}

/** Whether a channel accepts messages: `failing` is retried, `broken` will not work until somebody fixes it. */
export type ChannelHealth = {
  readonly account: string
  readonly channel: string
  readonly state: 'ok' | 'failing' | 'broken'
  readonly since: number
  /** The answer to the last attempt, without secrets. */
  readonly answer: string
  readonly lastAt: number
}

/** Key of a channel, unique across accounts. */
export const channelKey = ({ account, channel }: Pick<ChannelHealth, 'account' | 'channel'>) => JSON.stringify([account, channel])

export type WaitingDelivery = {
  readonly account: string
  readonly delivery: Delivery
  readonly attempts: number
  /** Whether an attempt may have reached the channel without an answer that confirms it; true for messages that were read from disk. */
  readonly mayHaveArrived: boolean
  readonly nextAt: number
}

export type AlertChange = {
  readonly account: string
  readonly incidents: readonly Incident[]
  readonly notified: readonly Notified[]
  readonly deliveries: readonly Delivery[]
  readonly superseded: readonly Delivery[]
  /** Ids of incidents that are over and reported. */
  readonly finished: readonly string[]
  readonly now: number
}

export type DeliveryAttempt = {
  readonly account: string
  readonly delivery: Delivery
  readonly at: number
  readonly outcome: DeliveryOutcome['outcome'] | 'givenUp'
  readonly answer: string
  /** When it is retried; null for never. */
  readonly nextAt: number | null
}

/** Incidents that were open at any time in `[from, to)`. */
export type IncidentQuery = {
  readonly account: string
  readonly from: number
  readonly to: number
  readonly isOpen: boolean | null
  readonly checkId: string | null
  readonly limit: number
  readonly offset: number
}

export type IncidentRecord = {
  /** With some of its members. */
  readonly incident: Incident
  readonly memberCount: number
  readonly notified: readonly Notified[]
  /** The newest first. */
  readonly deliveries: readonly DeliverySummary[]
}

/** The outcome of a message, without its text. */
export type DeliverySummary = Omit<DeliveryRecord, 'delivery'> & {
  readonly id: string
  readonly channel: string
  readonly event: AlertEvent
  readonly title: string
  readonly decidedAt: number
}

/** Changes in `[from, to)`. */
export type ChangeQuery = Omit<IncidentQuery, 'isOpen'>
export type MemberChange = {
  readonly incident: string
  readonly condition: AlertCondition
  readonly member: Member
  readonly kind: 'opened' | 'closed'
  readonly at: number
}

export const deliveryStates = ['waiting', 'delivered', 'superseded', 'givenUp'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** Messages that were decided in `[from, to)`. */
export type DeliveryQuery = {
  readonly account: string
  readonly from: number
  readonly to: number
  readonly channel: string | null
  readonly hasFailures: boolean | null
  readonly limit: number
  readonly offset: number
}

export type DeliveryRecord = {
  readonly delivery: Delivery
  readonly state: DeliveryState
  readonly attempts: number
  readonly lastAt: number | null
  readonly answer: string | null
  readonly nextAt: number | null
}

/** `notifiedAfter` is stored under its older name. */
type StoredDelivery = Omit<Delivery, 'notifiedAfter'> & { readonly toldAfter: Delivery['notifiedAfter'] }

export function deliveryBody({ notifiedAfter, ...delivery }: Delivery): string {
  return JSON.stringify({ ...delivery, toldAfter: notifiedAfter } satisfies StoredDelivery)
}

export function parsedDelivery(row: { readonly body: string }): Delivery {
  const { toldAfter, ...delivery } = JSON.parse(row.body) as StoredDelivery
  return { ...delivery, notifiedAfter: toldAfter }
}
