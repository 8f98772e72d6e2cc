import type { Check } from '../../catalogue/catalogue.ts'
import type { Policies } from '../../catalogue/policies/policies.ts'
import { createTurns } from '../../concurrency/turns.ts'
import { apiError } from '../../errors.ts'
import type { AggregateAnswer, AggregateGroup, AggregateQuery, QuestionOptions, Store } from '../../store/store.ts'
import type { ReportGroup } from '../report.ts'
import { indexByStart, planStates, pooledTime, rowSpans, startsIn, type TimeOptions, timeByLocation } from '../state-time.ts'
import type { QueryDimension, QueryPlan } from './plan.ts'

/** The dimensions that have states: those of checks, and locations. */
const timedDimensions: readonly QueryDimension[] = ['check', 'tag', 'checkType', 'runLocation']

export function rejectUntimelyQuery({ request, histogram, checks, query }: QueryPlan, { explain }: TimeOptions): void {
  const untimely = request.groupBy.find((dimension) => !timedDimensions.includes(dimension))
  if (untimely)
    throw apiError('INVALID_PARAMETER', { name: 'groupBy', expected: `of ${timedDimensions.join(', ')} with availabilityBy=time` })
  if (histogram) throw apiError('INVALID_BODY', { reason: 'A histogram has no availability: leave out availabilityBy.' })
  const isOneRow = checks.length === 1 && query.groupBy.length === 0 && query.buckets === null
  if (explain && !isOneRow)
    throw apiError('INVALID_PARAMETER', { name: 'explain', expected: 'used for one check, without groupBy and aggregationInterval' })
}

type Context = {
  readonly store: Store
  readonly policies: Policies
  readonly now: number
  readonly time: TimeOptions
  readonly options: QuestionOptions
}

/** The groups of an answer with their time in each state: that of all their checks together. */
export async function withTime(plan: QueryPlan, query: AggregateQuery, answer: AggregateAnswer, context: Context) {
  const { checks, request } = plan
  const { store, time, options, ...rest } = context
  const byLocation = request.groupBy.includes('runLocation')
  const starts = startsIn(answer.groups)
  const rows = rowSpans(query, starts)
  const states = await store.states(planStates({ ...rest, checks, window: query.window, rows, byLocation }, time), options)
  const [times, rowOf] = [states.map(timeByLocation), indexByStart(starts)]
  const turns = createTurns()
  const groups: ReportGroup[] = []
  for (const group of answer.groups) {
    const own = times.filter((_, i) => isIn(plan, checks[i] as Check, group))
    const location = byLocation ? String(group.keys[request.groupBy.indexOf('runLocation')]) : null
    groups.push({ ...group, rows: group.rows.map((row) => ({ ...row, time: pooledTime(own, rowOf.get(row.start), location) })) })
    await turns(1 + group.rows.length + Math.ceil(times.length / 100))
  }
  return { ...answer, groups, intervals: time.explain ? (states[0]?.intervals ?? []) : null }
}

/** Whether a check counts in a group. */
function isIn({ request }: QueryPlan, check: Check, { keys }: AggregateGroup): boolean {
  return request.groupBy.every((dimension, i) => {
    if (dimension === 'check') return check.id === keys[i]
    if (dimension === 'tag') return check.tags.some((tag) => tag === keys[i])
    return dimension !== 'checkType' || check.checkType.type === keys[i]
  })
}
