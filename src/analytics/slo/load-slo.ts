import { maintenanceIntervals } from '../../calendar/schedule.ts'
import { utc } from '../../calendar/zone.ts'
import type { Catalogue, Check } from '../../catalogue/catalogue.ts'
import { maintenanceOf, type Objective, type Slo, selector } from '../../catalogue/policies/policies.ts'
import { grouped } from '../../collections/lists.ts'
import type { QuestionOptions, Store } from '../../store/store.ts'
import type { Quorum } from '../../store/timeline/state.ts'
import type { Edge } from '../resolve-window.ts'
import { checkScheduleDays } from '../schedule-limits.ts'
import { edgeInstant } from '../window.ts'
import { pooledMeasurements, type SloMeasurements } from './measurements.ts'
import { type ObjectiveOverride, overrideObjective } from './objective.ts'
import { measuredWindow } from './pieces.ts'
import { planSloRuns, type SloGroup, sloRuns } from './runs.ts'
import { type SloStatus, sloStatus } from './status.ts'
import { planSloTime, sloTime } from './time.ts'
import { planSlo, type SloPlan } from './window.ts'

/** What-if parameters: each overrides a part of the config for one answer. */
export type SloOverrides = ObjectiveOverride & {
  readonly from: Edge | null
  readonly to: Edge | null
  /** Null for a quorum of one location. */
  readonly quorum: Quorum | null
  readonly maintenance: 'exclude' | 'include'
}

export const asConfigured: SloOverrides = {
  target: null,
  thresholdMs: null,
  by: null,
  from: null,
  to: null,
  quorum: null,
  maintenance: 'exclude',
}

type SloQuestion = {
  readonly account: string
  readonly slo: Slo
  readonly overrides: SloOverrides
  readonly options: QuestionOptions
}

type SloDeps = { readonly catalogue: Catalogue; readonly store: Store; readonly clock: { readonly now: () => number } }

export async function loadSlo(deps: SloDeps, { account, slo, overrides, options }: SloQuestion): Promise<SloStatus> {
  const objective = overrideObjective(slo.objective, overrides)
  const plan = planSlo(slo, deps.clock.now(), windowOverride(slo, overrides))
  const checks = deps.catalogue.checks(account).filter(selector(slo))
  const groups = overrides.maintenance === 'include' ? [{ checks, maintenance: [] }] : groupsOf(deps, account, checks, plan)
  const subject = { store: deps.store, plan, groups, options }
  const measured = await (objective.by === 'time' ? measureTime(subject, overrides.quorum ?? 1) : measureRuns(subject, objective))
  return sloStatus({ slo, objective, checks: checks.map(({ id }) => id), plan }, measured)
}

type Subject = {
  readonly store: Store
  readonly plan: SloPlan
  readonly groups: readonly SloGroup[]
  readonly options: QuestionOptions
}

async function measureRuns({ store, plan, groups, options }: Subject, objective: Objective): Promise<SloMeasurements> {
  const measured = groups.map(async (group) => sloRuns(plan, group, await store.aggregate(planSloRuns(plan, objective, group), options)))
  return pooledMeasurements(await Promise.all(measured))
}

async function measureTime({ store, plan, groups, options }: Subject, quorum: Quorum): Promise<SloMeasurements> {
  const query = planSloTime(plan, groups, quorum)
  return sloTime(plan, query, await store.states(query, options))
}

/** Dates are days of the window's zone. */
function windowOverride({ window }: Slo, { from, to }: SloOverrides) {
  const zone = window.kind === 'calendar' ? window.zone : utc
  const instantOf = (edge: Edge | null, side: 'from' | 'to') => (edge === null ? null : edgeInstant(edge, side, zone))
  return { from: instantOf(from, 'from'), to: instantOf(to, 'to') }
}

/** Groups checks by the maintenance policies that apply to them. */
function groupsOf({ catalogue }: SloDeps, account: string, checks: readonly Check[], plan: SloPlan): readonly SloGroup[] {
  const policies = catalogue.policies(account)
  checkScheduleDays(policies.maintenance, measuredWindow(plan))
  const keyOf = (check: Check) =>
    maintenanceOf(policies, check)
      .map((policy) => policies.maintenance.indexOf(policy))
      .join()
  return [...grouped(checks, keyOf).values()].map((members) => ({
    checks: members,
    maintenance: members[0] ? maintenanceIntervals(maintenanceOf(policies, members[0]), measuredWindow(plan)) : [],
  }))
}
