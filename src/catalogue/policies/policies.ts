import type { Maintenance, ServiceHours } from '../../calendar/schedule.ts'
import type { CalendarUnit } from '../../calendar/utc-calendar.ts'
import type { Zone } from '../../calendar/zone.ts'

/** Chooses checks of an account: those that match every list that is not empty. */
export type Selection = { readonly checks: readonly string[]; readonly tags: readonly string[] }

export type MaintenancePolicy = Maintenance & Selection & { readonly name: string }

export type ServiceHoursPolicy = ServiceHours & { readonly name: string }

/** `target` is a percentage between 0 and 100, both excluded. */
export type AvailabilityObjective = { readonly kind: 'availability'; readonly by: 'runs' | 'time'; readonly target: number }

/** `metric` is a base metric in milliseconds, or `duration` for the duration metric of each check's type. */
export type LatencyObjective = {
  readonly kind: 'latency'
  readonly by: 'runs'
  readonly target: number
  readonly metric: string
  readonly thresholdMs: number
}

export type Objective = AvailabilityObjective | LatencyObjective

/** `duration` is the length as the config file writes it. */
export type RollingWindow = { readonly kind: 'rolling'; readonly duration: string; readonly durationMs: number }
export type CalendarWindow = { readonly kind: 'calendar'; readonly unit: CalendarUnit; readonly zone: Zone }
export type SloWindow = RollingWindow | CalendarWindow

export type Slo = Selection & {
  readonly id: string
  readonly name: string
  readonly objective: Objective
  readonly window: SloWindow
}

/** What an account declares about its checks as a whole, in the order of the config file. */
export type Policies = {
  readonly maintenance: readonly MaintenancePolicy[]
  readonly serviceHours: readonly ServiceHoursPolicy[]
  readonly slos: readonly Slo[]
}

export const noPolicies: Policies = { maintenance: [], serviceHours: [], slos: [] }

type Selectable = { readonly id: string; readonly tags: readonly string[] }

export function selects({ checks, tags }: Selection, check: Selectable): boolean {
  const byId = checks.length === 0 || checks.includes(check.id)
  return byId && (tags.length === 0 || tags.some((tag) => check.tags.includes(tag)))
}

/** The same for many checks, also where the lists are long. */
export function selector(selection: Selection): (check: Selectable) => boolean {
  const [checks, tags] = [new Set(selection.checks), new Set(selection.tags)]
  return ({ id, tags: own }) => (checks.size === 0 || checks.has(id)) && (tags.size === 0 || own.some((tag) => tags.has(tag)))
}

/** The maintenances that apply to a check. */
export function maintenanceOf({ maintenance }: Pick<Policies, 'maintenance'>, check: Selectable): readonly MaintenancePolicy[] {
  return maintenance.filter((policy) => selects(policy, check))
}
