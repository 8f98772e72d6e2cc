import type { ChannelSettings } from '../../alerts/channels/channel.ts'
import type { Severity } from '../../alerts/channels/message.ts'
import type { Maintenance, ServiceHours } from '../../calendar/schedule.ts'
import type { CalendarUnit } from '../../calendar/utc-calendar.ts'
import type { Zone } from '../../calendar/zone.ts'
import { isSubscribed, type WithAlertFields } from './alert-fields.ts'

/** Selects the checks of an account that match each list that is not empty. */
export type Selection = { readonly checks: readonly string[]; readonly tags: readonly string[] }

export type MaintenancePolicy = Maintenance &
  Selection & {
    readonly name: string
    /** Set if it is managed over the API. */
    readonly isManaged?: boolean
  }

export type ServiceHoursPolicy = ServiceHours & { readonly name: string }

/** `target` is a percentage between 0 and 100, both excluded. */
type AvailabilityObjective = { readonly kind: 'availability'; readonly by: 'runs' | 'time'; readonly target: number }

/** `metric` is a base metric in milliseconds, or `duration` for the duration metric of each check's type. */
type LatencyObjective = {
  readonly kind: 'latency'
  readonly by: 'runs'
  readonly target: number
  readonly metric: string
  readonly thresholdMs: number
}

export type Objective = AvailabilityObjective | LatencyObjective

/** `duration` is the length as the config file writes it. */
type RollingWindow = { readonly kind: 'rolling'; readonly duration: string; readonly durationMs: number }
type CalendarWindow = { readonly kind: 'calendar'; readonly unit: CalendarUnit; readonly zone: Zone }
export type SloWindow = RollingWindow | CalendarWindow

export type Slo = Selection & {
  readonly id: string
  readonly name: string
  readonly objective: Objective
  readonly window: SloWindow
}

/** A channel. Its settings match the schema of its type. */
export type Channel = {
  readonly id: string
  /** As in the registry of channel types. */
  readonly type: string
  readonly settings: ChannelSettings
  /** Texts in the settings that no output may show. */
  readonly secrets: readonly string[]
  /** Absent for one of the config file. */
  readonly managed?: ManagedChannel
}

/** A managed channel as API clients see it. `config` has no secrets. */
type ManagedChannel = {
  readonly number: number
  readonly name: string
  readonly type: string
  readonly config: Readonly<Record<string, unknown>>
}

/** The id of the channel that is notified if another one fails. */
export const fallbackChannel = 'fallback'

/** How long a condition must hold before it counts: a number of runs in a row, or a time. */
export type Threshold = { readonly runs: number } | { readonly timeMs: number }

/** Alerts on a burn rate of at least `factor` in both windows. */
export type BurnPair = { readonly factor: number; readonly longMs: number; readonly shortMs: number }

export type AlertTrigger =
  | { readonly kind: 'failing' | 'degraded' | 'silent' }
  /** Descending. */
  | { readonly kind: 'certificate'; readonly days: readonly number[] }
  /** `slos` are ids; empty for all SLOs of the account that include a selected check. */
  | { readonly kind: 'sloBurn'; readonly slos: readonly string[]; readonly pairs: readonly BurnPair[] }

export type AlertStep = {
  /** After the incident was opened. */
  readonly afterMs: number
  /** Ids of channels. */
  readonly to: readonly string[]
  /** Null for any time. */
  readonly during: ServiceHoursPolicy | null
  /** Outside of `during`, `hold` delays the step until `during` begins, if the alert is still true then; `drop` skips it. */
  readonly outside: 'hold' | 'drop'
}

export type AlertRule = Selection & {
  readonly id: string
  readonly when: AlertTrigger
  readonly after: Threshold
  readonly recoverAfter: Threshold
  /** How many of the known locations must fail; a majority is more than half of them. */
  readonly quorum: number | 'majority'
  /** At least one. */
  readonly steps: readonly AlertStep[]
  /** Null for none. */
  readonly remind: { readonly everyMs: number; readonly times: number } | null
  readonly group: { readonly by: 'tag' | 'location' | 'none'; readonly waitMs: number }
  readonly severity: Severity
  /** The number of a managed channel: the rule applies to its subscribed checks, with the alert settings of each check. */
  readonly subscription?: number
  /** Whether recoveries are not sent. */
  readonly omitsRecovery?: boolean
}

/** Targets are `host:port`. While a location can reach none of them, its checks do not alert one by one. */
export type Canary = { readonly location: string; readonly targets: readonly string[] }

/** Called as long as alerts are evaluated and delivered. */
export type DeadManSwitch = {
  readonly url: string
  readonly everyMs: number
  /** Texts in the URL that no output may show. */
  readonly secrets: readonly string[]
}

export type SchedulePolicies = {
  readonly maintenance: readonly MaintenancePolicy[]
  readonly serviceHours: readonly ServiceHoursPolicy[]
  readonly slos: readonly Slo[]
}

export type AlertPolicies = {
  readonly channels: readonly Channel[]
  readonly alerts: readonly AlertRule[]
  readonly canaries: readonly Canary[]
  readonly deadManSwitch: DeadManSwitch | null
}

/** All policies of an account, in the order of the config file. */
export type Policies = SchedulePolicies & AlertPolicies

export const noPolicies: Policies = {
  maintenance: [],
  serviceHours: [],
  slos: [],
  channels: [],
  alerts: [],
  canaries: [],
  deadManSwitch: null,
}

type Selectable = { readonly id: string; readonly tags: readonly string[] }

export function selects({ checks, tags }: Selection, check: Selectable): boolean {
  const byId = checks.length === 0 || checks.includes(check.id)
  return byId && (tags.length === 0 || tags.some((tag) => check.tags.includes(tag)))
}

/** Like `selects`, but efficient for many checks and long lists. */
export function selector(selection: Selection): (check: Selectable) => boolean {
  const [checks, tags] = [new Set(selection.checks), new Set(selection.tags)]
  return ({ id, tags: own }) => (checks.size === 0 || checks.has(id)) && (tags.size === 0 || own.some((tag) => tags.has(tag)))
}

/** Selects the checks that a rule alerts on: those that name it, and those that name no rule but match its selection. */
export function ruleSelector(rule: Selection & Pick<AlertRule, 'id' | 'subscription'>): (check: TellableCheck) => boolean {
  const { subscription } = rule
  if (subscription !== undefined) return (check) => isSubscribed(check, subscription)
  const selected = selector(rule)
  return (check) => (check.alerts === null ? selected(check) : check.alerts.includes(rule.id))
}

type TellableCheck = Selectable & WithAlertFields & { readonly alerts: readonly string[] | null }

export function maintenanceOf({ maintenance }: Pick<Policies, 'maintenance'>, check: Selectable): readonly MaintenancePolicy[] {
  return maintenance.filter((policy) => selects(policy, check))
}
