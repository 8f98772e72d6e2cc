import type { SloStatus } from '../../analytics/slo/status.ts'
import { formatAttained } from '../../badges/figure.ts'
import { sparkline } from '../report/format.ts'
import { alignedTable } from './table.ts'
import { shownNumber } from './units.ts'

const head = ['id', 'name', 'attained', 'target', 'status', 'budget left', '1h', '6h', '24h', '3d', 'budget by day']
const figures = new Set([2, 3, 5, 6, 7, 8, 9])
/** Width of the sparkline. */
const shownDays = 31

/** A line per SLO. Burn rates have a column per period. */
export function sloTable(slos: readonly SloStatus[], width?: number): string {
  return slos.length === 0
    ? 'The account has no SLOs. Add them under slos: in the config file.\n'
    : alignedTable(head, slos.map(cellsOf), { right: figures, width })
}

function cellsOf(slo: SloStatus): readonly string[] {
  const { id, name, attained, objective, budget, burnRate } = slo
  return [
    id,
    name,
    formatAttained(attained),
    `${objective.target} %`,
    verdictOf(slo),
    `${rounded(budget.left)} of ${rounded(budget.total)} ${budget.unit === 'seconds' ? 's' : budget.unit}`,
    ...[burnRate['1h'], burnRate['6h'], burnRate['24h'], burnRate['3d']].map((rate) => (rate === null ? '–' : rate.toFixed(2))),
    burnDown(slo),
  ]
}

function verdictOf({ met }: SloStatus): string {
  if (met === null) return 'no data'
  return met ? 'met' : 'missed'
}

/** A full tick is the whole budget. */
function burnDown({ days, budget }: SloStatus): string {
  if (budget.total <= 0) return ''
  return sparkline(
    days.slice(-shownDays).map(({ budgetLeft }) => budgetLeft),
    { low: 0, high: budget.total },
  )
}

const rounded = (value: number) => (value < 0 ? `-${shownNumber(-value)}` : shownNumber(value))
