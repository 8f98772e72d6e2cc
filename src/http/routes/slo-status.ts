import { type SloStatus, sloStatus } from '../../analytics/slo.ts'
import { pooledMeasurements, type SloMeasurements } from '../../analytics/slo-measurements.ts'
import { overrideObjective } from '../../analytics/slo-objective.ts'
import { measuredWindow } from '../../analytics/slo-pieces.ts'
import { planSloRuns, type SloGroup, sloRuns } from '../../analytics/slo-runs.ts'
import { planSlo, type SloPlan } from '../../analytics/slo-window.ts'
import { type Edge, edgeInstant } from '../../analytics/window.ts'
import { maintenanceIntervals } from '../../calendar/schedule.ts'
import { utc } from '../../calendar/zone.ts'
import type { Check } from '../../catalogue/catalogue.ts'
import { maintenanceOf, type Objective, type Slo, selects } from '../../catalogue/policies/policies.ts'
import { grouped } from '../../grouped.ts'
import type { Deps } from '../route.ts'
import type { SloOverrides } from './slo-params.ts'

export type SloQuestion = { readonly account: string; readonly slo: Slo; readonly overrides: SloOverrides }

type SloDeps = Pick<Deps, 'catalogue' | 'store' | 'clock'>

/** The checks that an SLO is about. */
export function sloChecks({ catalogue }: Pick<Deps, 'catalogue'>, account: string, slo: Slo): readonly Check[] {
  return catalogue.checks(account).filter((check) => selects(slo, check))
}

export async function loadSlo(deps: SloDeps, { account, slo, overrides }: SloQuestion): Promise<SloStatus> {
  const objective = overrideObjective(slo.objective, overrides)
  const plan = planSlo(slo, deps.clock.now(), windowOverride(slo, overrides))
  const checks = sloChecks(deps, account, slo)
  const groups = overrides.maintenance === 'include' ? [{ checks, maintenance: [] }] : groupsOf(deps, account, checks, plan)
  const measured = await Promise.all(groups.map((group) => measure(deps, plan, objective, group)))
  return sloStatus({ slo, objective, checks: checks.map(({ id }) => id), plan }, pooledMeasurements(measured))
}

async function measure({ store }: SloDeps, plan: SloPlan, objective: Objective, group: SloGroup): Promise<SloMeasurements> {
  return sloRuns(plan, group, await store.aggregate(planSloRuns(plan, objective, group)))
}

/** Dates are days of the window's zone. */
function windowOverride({ window }: Slo, { from, to }: SloOverrides) {
  const zone = window.kind === 'calendar' ? window.zone : utc
  const instantOf = (edge: Edge | null, side: 'from' | 'to') => (edge === null ? null : edgeInstant(edge, side, zone))
  return { from: instantOf(from, 'from'), to: instantOf(to, 'to') }
}

/** Checks by the maintenances that apply to them. */
function groupsOf({ catalogue }: SloDeps, account: string, checks: readonly Check[], plan: SloPlan): readonly SloGroup[] {
  const policies = catalogue.policies(account)
  const keyOf = (check: Check) =>
    maintenanceOf(policies, check)
      .map((policy) => policies.maintenance.indexOf(policy))
      .join()
  return [...grouped(checks, keyOf).values()].map((members) => ({
    checks: members,
    maintenance: members[0] ? maintenanceIntervals(maintenanceOf(policies, members[0]), measuredWindow(plan)) : [],
  }))
}
