import { type Compare, comparisons } from '../../analytics/query/compare.ts'
import { type QueryRequest, queryDimensions } from '../../analytics/query/plan-query.ts'
import { quickRanges } from '../../analytics/resolve-window.ts'
import type { Check } from '../../catalogue/catalogue.ts'
import type { CheckType } from '../../checks/define.ts'
import { Type } from '../../schema/typebox.ts'
import { cursorField, offsetCursor } from './cursor.ts'
import {
  array,
  type Body,
  choice,
  decoded,
  type Field,
  fieldOf,
  invalid,
  object,
  optional,
  required,
  string,
  withDefault,
} from './fields.ts'
import { edgeField, intervalField, quorumField, readZone } from './time-fields.ts'

const boolean = fieldOf(Type.Boolean())

/** `null`, or the text `null`, as in a query string. */
const fillField = decoded(fieldOf(Type.Unsafe<null | 'null'>({ enum: [null, 'null'] }), 'null'), () => true)

const windowField = object({ from: edgeField, to: edgeField })
const comparison = choice(comparisons)
const compareField: Field<Compare> = {
  schema: { oneOf: [comparison.schema, windowField.schema] },
  parse: (path, value) => (typeof value === 'object' ? windowField : comparison).parse(path, value),
}

const boundsField = decoded(
  array(fieldOf(Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })), { min: 1, max: 100 }),
  (list) => (list.every((bound, i) => i === 0 || bound > (list[i - 1] as number)) ? list : undefined),
  'numbers in ascending order',
)

type QueryBody = Body<ReturnType<typeof queryFields>>

export function queryFields(checkTypes: readonly CheckType[]) {
  return {
    checks: optional(
      object({
        ids: optional(array(string('the id of a check'))),
        tags: optional(array(string('a tag'))),
        checkTypes: optional(array(choice(checkTypes.map(({ type }) => type)))),
        muted: optional(boolean),
      }),
    ),
    metrics: required(array(string('the name of a metric'), { min: 1, max: 200 }), 'at least one metric name, such as availability'),
    quickRange: withDefault(choice(quickRanges), 'last24Hours'),
    from: optional(edgeField),
    to: optional(edgeField),
    timezone: optional(decoded(string('a time zone'), readZone)),
    aggregationInterval: optional(intervalField),
    fill: optional(fillField),
    groupBy: optional(array(choice(queryDimensions), { max: 2 })),
    filter: optional(
      object({
        status: optional(array(choice(['success', 'failure']), { min: 1 })),
        runLocation: optional(array(string('the name of a location'), { min: 1 })),
        statusCode: optional(array(fieldOf(Type.Integer({ minimum: 0, maximum: 999 })), { min: 1 })),
      }),
    ),
    orderBy: optional(object({ metric: string('one of the requested metrics'), direction: withDefault(choice(['asc', 'desc']), 'desc') })),
    limit: withDefault(fieldOf(Type.Integer({ minimum: 1, maximum: 1000 })), 100),
    cursor: cursorField(offsetCursor),
    compare: optional(compareField),
    confidence: optional(fieldOf(Type.Number({ minimum: 1, maximum: 99.99 }))),
    bounds: optional(boundsField),
    availabilityBy: withDefault(choice(['runs', 'time']), 'runs'),
    quorum: optional(quorumField),
    degraded: optional(choice(['up', 'down'])),
    maintenance: optional(choice(['exclude', 'include'])),
    minOutageSeconds: optional(fieldOf(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))),
    serviceHours: optional(string('the name of service hours')),
    explain: optional(boolean),
  }
}

export function requestOf(body: QueryBody, offset: number): QueryRequest {
  const { filter, orderBy, metrics, aggregationInterval, fill, groupBy, ...rest } = body
  if (orderBy && !metrics.includes(orderBy.metric) && !['total', 'success'].includes(orderBy.metric))
    throw invalid('orderBy.metric', `one of the requested metrics: ${metrics.join(', ')}`)
  return {
    ...rest,
    metrics,
    orderBy,
    offset,
    interval: aggregationInterval,
    fill: fill ?? false,
    groupBy: groupBy ?? [],
    filter: {
      success: filter?.status?.includes('success') ?? true,
      failure: filter?.status?.includes('failure') ?? true,
      locations: filter?.runLocation ?? null,
      statusCodes: filter?.statusCode ?? null,
    },
  }
}

/** All given conditions must hold; a list matches if any of its items does. */
export function chosenChecks(checks: readonly Check[], chosen: QueryBody['checks']): readonly Check[] {
  const setOf = (list: readonly string[] | null | undefined) => (list ? new Set(list) : null)
  const [ids, tags, checkTypes] = [setOf(chosen?.ids), setOf(chosen?.tags), setOf(chosen?.checkTypes)]
  const muted = chosen?.muted ?? null
  return checks.filter(
    (check) =>
      (!ids || ids.has(check.id)) &&
      (!tags || check.tags.some((tag) => tags.has(tag))) &&
      (!checkTypes || checkTypes.has(check.checkType.type)) &&
      (muted === null || check.muted === muted),
  )
}
