import type { Policies } from '../catalogue/policies/policies.ts'
import { createTurns } from '../concurrency/turns.ts'
import { apiError } from '../errors.ts'
import type { AggregateGroup, QuestionOptions, Store } from '../store/store.ts'
import type { Plan } from './plan.ts'
import { aggregateReport, type Report, type ReportGroup } from './report.ts'
import { indexByStart, planStates, pooledTime, rowSpans, startsIn, type TimeOptions, timeByLocation } from './state-time.ts'

/** Rejects what has no states: single runs, groups other than locations, and an explanation of more than one row. */
export function rejectUntimely(plan: Plan, options: TimeOptions): void {
  const [name, expected] = untimely(plan, options) ?? []
  if (name && expected) throw apiError('INVALID_PARAMETER', { name, expected })
}

function untimely(plan: Plan, { explain }: TimeOptions): readonly [string, string] | null {
  if (plan.kind === 'raw') return ['availabilityBy', 'runs where the rows are single runs; ask for aggregated metrics']
  if (plan.groupBy && plan.groupBy.by !== 'location') return ['groupBy', 'a location, or left out, with availabilityBy=time']
  const isOneRow = plan.groupBy === null && plan.query.buckets === null
  return explain && !isOneRow ? ['explain', 'used without groupBy and aggregationInterval'] : null
}

type TimeContext = {
  readonly store: Store
  readonly policies: Policies
  readonly now: number
  readonly time: TimeOptions
  readonly options: QuestionOptions
}

/** The report of an aggregated query with availability by time: the time of the rows that are on the page. */
export async function timedReport(
  plan: Plan & { readonly kind: 'aggregate' },
  groups: readonly AggregateGroup[],
  { store, policies, now, time, options }: TimeContext,
): Promise<Report> {
  const { check, query, window } = plan
  const byLocation = plan.groupBy !== null
  if (!time.explain && !plan.columns.some(({ kind }) => kind === 'availability')) return aggregateReport(plan, groups)
  const starts = time.explain ? [null] : startsIn(groups)
  const rows = rowSpans(query, starts)
  const states = await store.states(planStates({ checks: [check], policies, window, now, rows, byLocation }, time), options)
  const [times, rowOf] = [states.map(timeByLocation), indexByStart(starts)]
  const turns = createTurns()
  const timed: ReportGroup[] = []
  for (const group of groups) {
    const location = byLocation ? String(group.keys[0]) : null
    timed.push({ ...group, rows: group.rows.map((row) => ({ ...row, time: pooledTime(times, rowOf.get(row.start), location) })) })
    await turns(group.rows.length)
  }
  return aggregateReport(plan, timed, { degraded: time.degraded, intervals: time.explain ? (states[0]?.intervals ?? []) : null })
}
