import type { AlertCondition, AlertMessage, MessageResult, Severity } from '../channels/message.ts'

/** A problem that channels are notified of: a check, or several that were grouped. Kept on disk; times are epoch milliseconds. */
export type Incident = {
  readonly id: string
  readonly account: string
  /** The id of the rule that opened it. */
  readonly rule: string
  /** The group, such as a tag or a location; without grouping, the subject itself. Unique among open incidents of a rule. */
  readonly key: string
  readonly condition: AlertCondition
  /** Whether it is a digest: its rule has too many incidents to send them one by one. */
  readonly isDigest?: boolean
  readonly severity: Severity
  readonly openedAt: number
  readonly closedAt: number | null
  readonly acknowledged: { readonly at: number; readonly by: string } | null
  /** When descriptions of members were last updated; absent if that was when they opened. */
  readonly describedAt?: number
  readonly members: readonly Member[]
}

/** A subject of an incident: a check, a threshold of its certificate, a location, an agent or an SLO. */
export type Member = {
  /** Unique within the incident. */
  readonly subject: string
  readonly checkId: string | null
  readonly name: string
  /** When the state began, such as the outage's `from`. */
  readonly since: number
  /** When the condition had held for long enough. */
  readonly openedAt: number
  readonly closedAt: number | null
  /** When the state ended; null while it lasts. */
  readonly until: number | null
  readonly endedBy: 'recovered' | 'paused' | 'removed' | null
  readonly reason: string | null
  /** Where it fails, or failed last. */
  readonly locations: { readonly down: readonly string[]; readonly known: number } | null
  readonly result: MessageResult | null
  readonly certificateDays: number | null
  /** When it recently opened or closed, ascending; covers the time that flapping counts. */
  readonly changes: readonly number[]
  readonly flappingSince: number | null
}

/** What a channel knows of an incident, as confirmed by its answers. */
export type Notified = {
  readonly incident: string
  readonly channel: string
  /** Subjects that the channel believes to be open. */
  readonly open: readonly string[]
  /** Subjects that the channel believes to be flapping. */
  readonly flapping: readonly string[]
  readonly firstAt: number | null
  readonly lastAt: number | null
  readonly reminders: number
  /** Whether this channel is never notified, since its step fell outside of its hours. */
  readonly dropped: boolean
}

/** An undelivered message; at most one for each incident and channel. */
export type Delivery = {
  readonly message: AlertMessage
  readonly channel: string
  readonly incident: string
  /** What the channel knows once this is delivered. */
  readonly notifiedAfter: Notified
  /** Subjects that it reports as begun and ended; absent for none. */
  readonly missed?: readonly string[]
  readonly decidedAt: number
}

/** While it lasts, no messages are sent about the checks that it selects; without a selection, none at all. */
export type Silence = {
  readonly id: string
  readonly account: string
  readonly checks: readonly string[]
  readonly tags: readonly string[]
  readonly from: number
  readonly to: number
  readonly by: string
  readonly comment: string
}
