import { refOf } from '../../catalogue/catalogue.ts'
import { rhythmOf } from '../../catalogue/rhythm.ts'
import type { CheckStates, StatesQuery } from '../../store/state-questions.ts'
import type { Quorum } from '../../store/timeline/state.ts'
import { type GoodOfCounted, type SloMeasurements, sumTallies } from './measurements.ts'
import { cutsOf, measuredWindow, measurementsOf } from './pieces.ts'
import type { SloGroup } from './runs.ts'
import type { SloPlan } from './window.ts'

/** The query for the time of a plan: one row for each span between its cuts. */
export function planSloTime(plan: SloPlan, groups: readonly SloGroup[], quorum: Quorum): StatesQuery {
  const cuts = cutsOf(plan, [])
  return {
    sources: groups.flatMap(({ checks, maintenance }) =>
      checks.map((check) => ({ check: refOf(check), rhythm: rhythmOf(check), maintenance })),
    ),
    window: measuredWindow(plan),
    now: plan.end,
    quorum,
    byLocation: false,
    serviceHours: null,
    minOutageMs: 0,
    rows: Array.from(cuts.subarray(1), (to, i) => ({ from: cuts[i] as number, to })),
    intervals: false,
  }
}

/** Converts the answer to `planSloTime`, in milliseconds: known time outside maintenance counts, and degraded time is good. */
export function sloTime(plan: SloPlan, { rows }: StatesQuery, states: readonly CheckStates[]): SloMeasurements {
  const groups = states.flatMap((check) => check.groups)
  const tallyOf = (row: number) => sumTallies(groups.map((group) => tallyAt(group, row)))
  return measurementsOf(
    plan,
    rows.map(({ from }, row) => ({ start: from, ...tallyOf(row) })),
  )
}

function tallyAt({ rows }: CheckStates['groups'][number], row: number): GoodOfCounted {
  const { up = 0, degraded = 0, down = 0 } = rows[row] ?? {}
  return { counted: up + degraded + down, good: up + degraded }
}
