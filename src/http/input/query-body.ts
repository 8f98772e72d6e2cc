import { type Compare, comparisons } from '../../analytics/query/compare.ts'
import { type QueryRequest, queryDimensions } from '../../analytics/query/plan.ts'
import { parseEdge, quickRanges } from '../../analytics/resolve-window.ts'
import type { TimeRequest } from '../../analytics/state-time.ts'
import type { Check } from '../../catalogue/catalogue.ts'
import type { CheckType } from '../../checks/define.ts'
import { apiError } from '../../errors.ts'
import type { Quorum } from '../../store/timeline/state.ts'
import { cursorField, offsetCursor } from './cursor.ts'
import {
  array,
  type Body,
  boolean,
  choice,
  type Field,
  invalid,
  number,
  object,
  objectSchema,
  optional,
  readObject,
  string,
} from './json-body.ts'
import { intervalExpected, readInterval, readZone } from './params.ts'
import { quorumExpected, readQuorum } from './time-params.ts'

type QueryBody = Body<ReturnType<typeof queryFields>>

/** The properties of a question about many checks. */
export function queryFields(checkTypes: readonly CheckType[]) {
  return {
    checks: object({
      ids: array(string('the id of a check')),
      tags: array(string('a tag')),
      checkTypes: array(choice(checkTypes.map(({ type }) => type))),
      muted: optional(boolean(), null),
    }),
    metrics: required(
      array(string('the name of a metric'), { min: 1, max: 200 }),
      'metrics',
      'at least one metric name, such as availability',
    ),
    quickRange: optional(choice(quickRanges), 'last24Hours'),
    from: optional(edgeField(), null),
    to: optional(edgeField(), null),
    timezone: optional(zone(), null),
    aggregationInterval: optional(interval(), null),
    fill: fill(),
    groupBy: array(choice(queryDimensions), { max: 2 }),
    filter: object({
      status: array(choice(['success', 'failure']), { min: 1 }),
      runLocation: array(string('the name of a location'), { min: 1 }),
      statusCode: array(number({ min: 0, max: 999, whole: true }), { min: 1 }),
    }),
    orderBy: object({ metric: string('one of the metrics asked for'), direction: optional(choice(['asc', 'desc']), 'desc' as const) }),
    limit: optional(number({ min: 1, max: 1000, whole: true }), 100),
    cursor: cursorField(offsetCursor),
    compare: optional(compare(), null),
    confidence: optional(number({ min: 1, max: 99.99 }), null),
    bounds: bounds(),
    availabilityBy: optional(choice(['runs', 'time']), 'runs'),
    quorum: optional(quorum(), null),
    degraded: optional(choice(['up', 'down']), null),
    maintenance: optional(choice(['exclude', 'include']), null),
    minOutageSeconds: optional(number({ min: 0, max: Number.MAX_SAFE_INTEGER, whole: true }), null),
    serviceHours: optional(string('the name of service hours'), null),
    explain: optional(boolean(), null),
  }
}

export function timeRequest(body: QueryBody): TimeRequest {
  const { availabilityBy, quorum, degraded, maintenance, minOutageSeconds, serviceHours, explain } = body
  return { availabilityBy, quorum, degraded, maintenance, minOutageSeconds, serviceHours, explain }
}

function quorum(): Field<Quorum> {
  return {
    schema: { type: ['integer', 'string'] },
    parse: (path, value) => {
      const parsed = readQuorum(value)
      if (parsed === undefined) throw invalid(path, quorumExpected)
      return parsed
    },
  }
}

export function requestOf(body: QueryBody, offset: number): QueryRequest {
  const { filter, orderBy, metrics, aggregationInterval, groupBy, ...rest } = body
  if (orderBy && !metrics.includes(orderBy.metric) && !['total', 'success'].includes(orderBy.metric))
    throw invalid('orderBy.metric', `one of the metrics asked for: ${metrics.join(', ')}`)
  return {
    ...rest,
    metrics,
    orderBy,
    offset,
    interval: aggregationInterval,
    groupBy: groupBy ?? [],
    filter: {
      success: filter?.status?.includes('success') ?? true,
      failure: filter?.status?.includes('failure') ?? true,
      locations: filter?.runLocation ?? null,
      statusCodes: filter?.statusCode ?? null,
    },
  }
}

/** All that are given must hold, any item of a list. */
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

function required<T>(field: Field<T | null>, name: string, expected: string): Field<T> {
  return {
    schema: field.schema,
    parse: (path, value) => {
      const parsed = field.parse(path, value)
      if (parsed === null) throw apiError('MISSING_PARAMETER', { name, expected })
      return parsed
    },
  }
}

const maxEdgeLength = 64

/** An end of a window in a body. */
export function edgeField() {
  const expected = 'unix seconds, unix milliseconds, an ISO 8601 timestamp with Z or an offset, or a date YYYY-MM-DD'
  return {
    schema: { type: ['string', 'number'], maxLength: maxEdgeLength },
    parse: (path: string, value: unknown) => {
      const isEdge = typeof value === 'number' || (typeof value === 'string' && value.length <= maxEdgeLength)
      const parsed = isEdge ? parseEdge(String(value)) : undefined
      if (parsed === undefined) throw invalid(path, expected)
      return parsed
    },
  }
}

function zone() {
  const name = string('a time zone')
  return { schema: name.schema, parse: (path: string, value: unknown) => readZone(name.parse(path, value)) }
}

function interval() {
  return {
    schema: { type: ['integer', 'string'] },
    parse: (path: string, value: unknown) => {
      const parsed = readInterval(value)
      if (parsed === undefined) throw invalid(path, intervalExpected)
      return parsed
    },
  }
}

/** `null`, or the text `null`, as in a query string. */
function fill(): Field<boolean> {
  return {
    schema: { enum: [null, 'null'] },
    parse: (path, value) => {
      if (value !== undefined && value !== null && value !== 'null') throw invalid(path, 'null')
      return value !== undefined
    },
  }
}

function compare(): Field<Compare> {
  const window = { from: edgeField(), to: edgeField() }
  return {
    schema: { oneOf: [{ type: 'string', enum: comparisons }, objectSchema(window)] },
    parse: (path, value) => (typeof value === 'object' ? readObject(window, value, path) : choice(comparisons).parse(path, value)),
  }
}

function bounds(): Field<readonly number[] | null> {
  const list = array(number({ min: 0, max: Number.MAX_SAFE_INTEGER }), { min: 1, max: 100 })
  return {
    schema: list.schema,
    parse: (path, value) => {
      const parsed = list.parse(path, value)
      if (parsed?.some((bound, i) => i > 0 && bound <= (parsed[i - 1] as number))) throw invalid(path, 'numbers in ascending order')
      return parsed
    },
  }
}
