import { apiError } from '../errors.ts'
import type { AggregateGroup } from '../store/store.ts'
import { type TimeContext, withStateTime } from './group-time.ts'
import type { Plan } from './plan.ts'
import { aggregateReport, type Report } from './report.ts'
import type { TimeOptions } from './time-options.ts'

/** Rejects queries without states: single runs, groups other than locations, and an explanation of more than one row. */
export function rejectWithoutStates(plan: Plan, options: TimeOptions): void {
  const [name, expected] = problemOf(plan, options) ?? []
  if (name && expected) throw apiError('INVALID_PARAMETER', { name, expected })
}

function problemOf(plan: Plan, { explain }: TimeOptions): readonly [string, string] | null {
  if (plan.kind === 'raw') return ['availabilityBy', 'runs where the rows are single runs; ask for aggregated metrics']
  if (plan.groupBy && plan.groupBy.by !== 'location') return ['groupBy', 'a location, or left out, with availabilityBy=time']
  const isOneRow = plan.groupBy === null && plan.query.buckets === null
  return explain && !isOneRow ? ['explain', 'used without groupBy and aggregationInterval'] : null
}

/** The report of an aggregated query with availability by time, which is measured for the rows of the page only. */
export async function timedReport(
  plan: Plan & { readonly kind: 'aggregate' },
  groups: readonly AggregateGroup[],
  context: TimeContext,
): Promise<Report> {
  const { explain, degraded } = context.time
  if (!explain && !plan.columns.some(({ kind }) => kind === 'availability')) return aggregateReport(plan, groups)
  const checks = { checks: [plan.check], isIn: () => true, locationIndex: plan.groupBy ? 0 : null }
  const timed = await withStateTime({ ...checks, query: plan.query, groups, ...(explain && { starts: [null] }) }, context)
  return aggregateReport(plan, timed.groups, { degraded, intervals: timed.intervals })
}
