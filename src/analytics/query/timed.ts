import type { Check } from '../../catalogue/catalogue.ts'
import { apiError } from '../../errors.ts'
import type { AggregateAnswer, AggregateGroup, AggregateQuery } from '../../store/store.ts'
import { type TimeContext, withStateTime } from '../group-time.ts'
import type { TimeOptions } from '../time-options.ts'
import type { QueryDimension, QueryPlan } from './plan-query.ts'

/** The dimensions that have states: those of checks, and locations. */
const timedDimensions: readonly QueryDimension[] = ['check', 'tag', 'checkType', 'runLocation']

export function rejectQueryWithoutStates({ request, histogram, checks, query }: QueryPlan, { explain }: TimeOptions): void {
  const unsupported = request.groupBy.find((dimension) => !timedDimensions.includes(dimension))
  if (unsupported)
    throw apiError('INVALID_PARAMETER', { name: 'groupBy', expected: `of ${timedDimensions.join(', ')} with availabilityBy=time` })
  if (histogram) throw apiError('INVALID_BODY', { reason: 'A histogram has no availability: leave out availabilityBy.' })
  const isOneRow = checks.length === 1 && query.groupBy.length === 0 && query.buckets === null
  if (explain && !isOneRow)
    throw apiError('INVALID_PARAMETER', { name: 'explain', expected: 'used for one check, without groupBy and aggregationInterval' })
}

/** The groups of an answer with their time in each state. */
export async function withTime(plan: QueryPlan, query: AggregateQuery, answer: AggregateAnswer, context: TimeContext) {
  const location = plan.request.groupBy.indexOf('runLocation')
  const isInGroup = (check: Check, group: AggregateGroup) => isIn(plan, check, group)
  const locationIndex = location === -1 ? null : location
  const timed = await withStateTime({ checks: plan.checks, query, groups: answer.groups, locationIndex, isIn: isInGroup }, context)
  return { ...answer, ...timed }
}

function isIn({ request }: QueryPlan, check: Check, { keys }: AggregateGroup): boolean {
  return request.groupBy.every((dimension, i) => {
    if (dimension === 'check') return check.id === keys[i]
    if (dimension === 'tag') return check.tags.some((tag) => tag === keys[i])
    return dimension !== 'checkType' || check.checkType.type === keys[i]
  })
}
