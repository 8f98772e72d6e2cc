/** Why an incident exists. `location` is a storm: its checks or its canaries fail together. */
export const alertConditions = ['failing', 'degraded', 'certificate', 'sloBurn', 'silent', 'location'] as const
export type AlertCondition = (typeof alertConditions)[number]

/** Worst first. */
export const severities = ['critical', 'error', 'warning', 'info'] as const
export type Severity = (typeof severities)[number]

/**
 * - `open`: the channel is notified of the incident for the first time
 * - `update`: other subjects than in the last notification
 * - `reminder`: nothing has changed
 * - `close`: it is over
 * - `missed`: it began and ended before it could be sent
 * - `flapping`, `settled`: changes are not sent one by one until it settles
 * - `test`: `tidemark alert test`
 * - `channelBroken`: about another channel, sent to the one named `fallback`
 */
export const alertEvents = ['open', 'update', 'reminder', 'close', 'missed', 'flapping', 'settled', 'test', 'channelBroken'] as const
export type AlertEvent = (typeof alertEvents)[number]

/** A notification with all data for its text, without secrets. Times are epoch milliseconds. */
export type AlertMessage = {
  /** The same for every attempt of delivery. */
  readonly id: string
  readonly event: AlertEvent
  readonly condition: AlertCondition
  readonly severity: Severity
  readonly account: { readonly id: string; readonly name: string }
  /** The id of the alert rule. */
  readonly rule: string
  /** The same in every message about one incident: its id is the key of threads and deduplication. */
  readonly incident: { readonly id: string; readonly openedAt: number; readonly closedAt: number | null }
  /** One line, such as `Shop is failing` or `12 of 45 in shop fail`. */
  readonly title: string
  /** At most 20: new ones first, then by `since`. */
  readonly subjects: readonly MessageSubject[]
  /** Includes subjects that are not listed. */
  readonly subjectCount: number
  /** The number of the reminder, from 1; null for any other event. */
  readonly reminder: number | null
  readonly decidedAt: number
  readonly links: { readonly incident: string | null; readonly acknowledge: string | null }
}

/** A check, a location, an agent or an SLO that a message is about. */
export type MessageSubject = {
  readonly name: string
  readonly check: { readonly id: string; readonly type: string; readonly tags: readonly string[] } | null
  /** Whether the channel was not notified of it before. */
  readonly isNew: boolean
  readonly since: number
  /** Null while ongoing. */
  readonly until: number | null
  /** The first failing assertion with its expected and actual value, or the error; once it is over, the most frequent reason. */
  readonly reason: string | null
  readonly locations: { readonly down: readonly string[]; readonly known: number } | null
  readonly result: MessageResult | null
  readonly certificateDays: number | null
  /** Names of some checks that depend on it and are not reported while it lasts, failing ones first; empty once it is over. */
  readonly dependents: readonly string[]
  /** Includes dependents that are not listed; absent in messages of an earlier version. */
  readonly dependentCount?: number
  readonly links: { readonly check: string | null; readonly run: string | null }
}

export type MessageResult = {
  readonly id: string
  readonly startedAt: number
  readonly runLocation: string
  readonly responseTimeMs: number | null
  readonly statusCode: number | null
}
