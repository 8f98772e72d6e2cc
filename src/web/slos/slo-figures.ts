import { parseDay } from '../../time.ts'
import type { Slo, State, Unit } from '../api/answers.ts'
import type { ChartLine, Drawing } from '../chart/line.ts'
import { bucketAfter } from '../state/bucket-choice.ts'
import { readerZone } from '../state/zone.ts'
import { startOfLocalDate } from '../state/zone-calendar.ts'
import { figure, plural } from '../view/figures.ts'

/** Met, met but burning too fast, missed, or no data, with the mark of a matching check state. */
export function markOf({ met, burnRate }: Slo): { readonly state: State; readonly word: string } {
  if (met === null) return { state: 'unknown', word: 'no data' }
  if (!met) return { state: 'failing', word: 'missed' }
  return (burnRate['1h'] ?? 0) > 1 && (burnRate['6h'] ?? 0) > 1 ? { state: 'degraded', word: 'burning' } : { state: 'passing', word: 'met' }
}

/** The share of the budget that is left, 0 to 1; null without a budget. */
export function shareLeft({ budget: { left, total } }: Slo): number | null {
  return total <= 0 ? null : Math.min(1, Math.max(0, left / total))
}

/** `12 runs`, or `4.2 min` for time. Rounds down, so a fractional run does not count. */
export function budgetText(amount: number, { unit }: Slo['budget']): string {
  return unit === 'seconds' ? figure(amount * 1000, 'milliseconds') : plural(Math.floor(amount), 'run')
}

/** `12 runs left`, or the amount by which the budget is exceeded. */
export function budgetLeftText({ budget }: Pick<Slo, 'budget'>): string {
  if (budget.left >= 0) return `${budgetText(budget.left, budget)} left`
  return `over budget by ${budgetText(budget.unit === 'seconds' ? -budget.left : Math.ceil(-budget.left), budget)}`
}

/** The burn rate as a multiple of the sustainable rate: `0.4×`, `210×`. */
export function burnText(rate: number | null | undefined): string {
  if (rate === null || rate === undefined) return '–'
  return `${rate.toLocaleString(undefined, { maximumFractionDigits: rate < 10 ? 1 : 0 })}×`
}

export function objectiveText({ objective, window }: Slo): string {
  const { kind, by, metric, thresholdMs = 0 } = objective
  const what = kind === 'latency' ? `${metric} up to ${figure(thresholdMs, 'milliseconds')}` : `availability by ${by}`
  return `${what} · ${window.kind === 'rolling' ? `last ${window.duration}` : `this ${window.unit}, ${window.timezone}`}`
}

export function checksText({ checks }: Slo): string {
  return plural(checks.length, 'check')
}

/** The remaining budget at the end of each day. */
export function burnDown(slo: Slo): Drawing {
  const times = slo.days.map(({ day }) => localMidnight(day))
  const scaleBy = slo.budget.unit === 'seconds' ? 1000 : 1
  const values = slo.days.map(({ budgetLeft }) => budgetLeft * scaleBy)
  const lines: ChartLine[] = [
    { label: 'used up', values: values.map(() => 0), colour: 'failing', shape: 'line', background: true, dash: [4, 4] },
    { label: 'budget left', values, colour: 'series-1', shape: 'line', width: 2 },
  ]
  const [lowest, highest] = [Math.min(0, ...values), Math.max(slo.budget.total * scaleBy, ...values)]
  const margin = (highest - lowest || 1) * 0.06
  return {
    unit: unitOf(slo),
    times,
    ends: times.map((time) => bucketAfter(time, 'day')),
    from: times[0] ?? Date.parse(slo.from),
    to: bucketAfter(times.at(-1) ?? Date.parse(slo.from), 'day'),
    lines,
    scale: [lowest === 0 ? 0 : lowest - margin, highest + margin],
  }
}

const unitOf = ({ budget }: Slo): Unit => (budget.unit === 'seconds' ? 'milliseconds' : 'count')

/** Midnight of a date in the reader's zone, so that the axis shows the date itself, whatever the zone of the SLO. */
function localMidnight(day: string): number {
  return startOfLocalDate(parseDay(day) ?? 0, readerZone())
}
