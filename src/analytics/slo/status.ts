import { localText } from '../../calendar/local-text.ts'
import type { Objective, Slo, SloWindow } from '../../catalogue/policies/policies.ts'
import { dayMs, isoText, lastInstant } from '../../time.ts'
import { dailyTallies, type GoodOfCounted, type SloMeasurements, sumTallies } from './measurements.ts'
import { type PerBurnPeriod, perBurnPeriod, type SloPlan } from './window.ts'

/** The status of an SLO as the API answers it. */
export type SloStatus = {
  readonly id: string
  readonly name: string
  readonly checks: readonly string[]
  readonly objective: Objective
  readonly window: WindowAnswer
  readonly from: string
  readonly to: string
  /** Null if nothing counts. */
  readonly attained: number | null
  readonly met: boolean | null
  readonly budget: Budget
  readonly burnRate: PerBurnPeriod<number | null>
  readonly exhaustedAt: string | null
  readonly days: readonly SloDay[]
}

type Budget = { readonly unit: 'runs' | 'seconds'; readonly total: number; readonly used: number; readonly left: number }

/** `budgetLeft` is the remaining budget of the whole window at the end of the day. */
type SloDay = { readonly day: string; readonly attained: number | null; readonly budgetLeft: number }

type WindowAnswer =
  | { readonly kind: 'rolling'; readonly duration: string }
  | { readonly kind: 'calendar'; readonly unit: string; readonly timezone: string }

/** `checks` are the ids of the measured checks; `objective` is the measured one, with overrides. */
type SloSubject = { readonly slo: Slo; readonly objective: Objective; readonly checks: readonly string[]; readonly plan: SloPlan }

/** By time, tallies are in milliseconds and the budget in seconds. */
export function sloStatus({ slo, objective, checks, plan }: SloSubject, measurements: SloMeasurements): SloStatus {
  const { target } = objective
  const days = dailyTallies(plan, measurements)
  const whole = sumTallies(days)
  const attained = attainedOf(whole)
  return {
    id: slo.id,
    name: slo.name,
    checks,
    objective: objectiveAnswer(objective),
    window: windowAnswer(slo.window),
    from: isoText(plan.window.from),
    to: isoText(plan.window.to),
    attained,
    met: attained === null ? null : attained >= target - tolerance,
    budget: budgetOf(whole, objective),
    burnRate: perBurnPeriod((period) => burnRate(measurements.burn[period], target)),
    exhaustedAt: exhaustedAt(whole, measurements.burn['24h'], { target, end: plan.end }),
    days: burnDown(plan, days, objective),
  }
}

/** Percentage points: far above the rounding errors of doubles, far below one run or millisecond in a year of results. */
const tolerance = 1e-11

const badOf = ({ counted, good }: GoodOfCounted) => counted - good
const allowedShare = (target: number) => 1 - target / 100
/** How much of a tally makes up one unit of the budget. */
const unitOf = ({ by }: Objective) => (by === 'time' ? 1000 : 1)

function attainedOf({ counted, good }: GoodOfCounted): number | null {
  return counted === 0 ? null : (good / counted) * 100
}

function budgetOf(whole: GoodOfCounted, objective: Objective): Budget {
  const total = (whole.counted / unitOf(objective)) * allowedShare(objective.target)
  const used = badOf(whole) / unitOf(objective)
  return { unit: objective.by === 'time' ? 'seconds' : 'runs', total, used, left: total - used }
}

function burnRate(tally: GoodOfCounted, target: number): number | null {
  return tally.counted === 0 ? null : badOf(tally) / tally.counted / allowedShare(target)
}

type Aim = { readonly target: number; readonly end: number }

/** Extrapolates the last 24 hours. A budget that is used up already is exhausted at the end of the measured time. */
function exhaustedAt(whole: GoodOfCounted, lastDay: GoodOfCounted, { target, end }: Aim): string | null {
  if (whole.counted === 0) return null
  const left = whole.counted * allowedShare(target) - badOf(whole)
  if (left <= whole.counted * (tolerance / 100)) return isoText(end)
  const instant = end + Math.round((left / badOf(lastDay)) * dayMs)
  return instant <= lastInstant ? isoText(instant) : null
}

function burnDown({ dayStarts, zone }: SloPlan, days: readonly GoodOfCounted[], objective: Objective): readonly SloDay[] {
  const { total } = budgetOf(sumTallies(days), objective)
  let bad = 0
  return days.map((tally, i) => {
    bad += badOf(tally)
    const day = localText(dayStarts[i] as number, zone).slice(0, 10)
    return { day, attained: attainedOf(tally), budgetLeft: total - bad / unitOf(objective) }
  })
}

function objectiveAnswer(objective: Objective): Objective {
  const { kind, by, target } = objective
  if (kind === 'latency') return { kind, by, target, metric: objective.metric, thresholdMs: objective.thresholdMs }
  return { kind, by, target }
}

function windowAnswer(window: SloWindow): WindowAnswer {
  if (window.kind === 'rolling') return { kind: 'rolling', duration: window.duration }
  return { kind: 'calendar', unit: window.unit, timezone: window.zone.name }
}
