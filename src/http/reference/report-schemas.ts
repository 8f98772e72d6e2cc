import { aggregations } from '../../store/store.ts'
import { timelineStates } from '../../store/timeline/state.ts'
import type { Schema } from '../route.ts'
import {
  anyString,
  decimal,
  decimalOrNull,
  objectOf,
  paginationSchema,
  stringOrNull,
  strings,
  time,
  whole,
  withOptional,
  yesNo,
} from './schema-parts.ts'

export const metricSchema = objectOf({
  name: anyString,
  unit: anyString,
  label: anyString,
  aggregated: yesNo,
  type: { const: 'Float' },
})

const seriesSchema: Schema = {
  type: 'object',
  description: 'One series: its group value, if grouped, and its rows.',
  properties: {
    data: {
      type: 'array',
      items: { type: 'object', additionalProperties: { type: ['number', 'string', 'boolean', 'null'] } },
    },
  },
  required: ['data'],
  additionalProperties: { type: ['string', 'number', 'null'] },
}

const metadataSchema: Schema = {
  type: 'object',
  properties: { unit: anyString, label: anyString, aggregation: { enum: aggregations } },
  required: ['unit', 'label'],
}

export const outageSchema = objectOf({
  checkId: anyString,
  name: anyString,
  checkType: anyString,
  from: time,
  to: { type: ['string', 'null'], format: 'date-time', description: 'Null while ongoing.' },
  seconds: { type: 'number', description: 'Until now, while ongoing.' },
  locations: { ...strings, description: 'All locations that were down in it.' },
  reason: { ...stringOrNull, description: 'The most frequent error of its failing results.' },
  firstResultId: { ...stringOrNull, description: 'The first failing result in it.' },
  lastResultId: { ...stringOrNull, description: 'The last failing result in it.' },
  maintenance: { ...yesNo, description: 'Whether it overlaps maintenance.' },
})

export const outagesSchema = withOptional(
  {
    totals: {
      ...objectOf({ outages: whole, seconds: { type: 'number', description: 'Of all of them together.' } }),
      description: 'Only with totals: all outages, not only those of the page.',
    },
  },
  { from: time, to: time, outages: { type: 'array', items: outageSchema }, pagination: paginationSchema },
)

export const failureSchema = objectOf({
  reason: {
    ...stringOrNull,
    description: 'The error, with numbers as #, ids as <id> and addresses as <address>; null if results have none.',
  },
  count: { ...whole, description: 'Failing results.' },
  firstSeen: time,
  lastSeen: time,
  locations: strings,
  checkIds: strings,
  example: {
    ...objectOf({ checkId: anyString, resultId: anyString, startedAt: time, error: stringOrNull }),
    description: 'The newest of them.',
  },
})

export const failuresSchema = objectOf({
  from: time,
  to: time,
  total: { ...whole, description: 'Failing results of all reasons.' },
  failures: { type: 'array', items: failureSchema },
  pagination: paginationSchema,
})

export const queryAnswerSchema: Schema = {
  ...objectOf({
    from: time,
    to: time,
    timezone: anyString,
    checks: { type: 'integer', description: 'Number of selected checks.' },
    series: {
      type: 'array',
      items: { ...seriesSchema, properties: { data: { type: 'array', items: { type: 'object', additionalProperties: {} } } } },
    },
    metadata: {
      type: 'object',
      additionalProperties: { ...metadataSchema, properties: { unit: anyString, label: anyString, aggregation: anyString } },
    },
    pagination: paginationSchema,
    cost: objectOf({ results: whole, milliseconds: { type: 'number' } }),
  }),
  description: 'With compare, also `compared`: the window of `previous` in each row.',
}

export const stateIntervalSchema = objectOf({ from: time, to: time, state: { enum: timelineStates } })

export const reportSchema = withOptional(
  { intervals: { type: 'array', description: 'Only with explain: the states of the window.', items: stateIntervalSchema } },
  {
    checkId: anyString,
    name: anyString,
    checkType: anyString,
    activated: yesNo,
    muted: yesNo,
    frequency: { type: 'integer', description: 'Minutes; 0 where a check runs more often than each minute.' },
    from: time,
    to: time,
    tags: strings,
    series: { type: 'array', items: seriesSchema },
    metadata: { type: 'object', additionalProperties: metadataSchema },
    pagination: objectOf({ page: whole, limit: whole }),
  },
)

const courseSchema: Schema = { type: 'array', items: objectOf({ period: time, total: whole, success: whole, availability: decimalOrNull }) }

export const summarySchema: Schema = {
  type: 'object',
  properties: { checkId: anyString, checkType: anyString, availability: decimalOrNull, data: courseSchema },
  required: ['checkId', 'checkType', 'availability'],
  additionalProperties: decimalOrNull,
}

const objectiveSchema: Schema = {
  type: 'object',
  properties: {
    kind: { enum: ['availability', 'latency'] },
    by: { enum: ['runs', 'time'] },
    target: { type: 'number', description: 'A percentage.' },
    metric: anyString,
    thresholdMs: decimal,
  },
  required: ['kind', 'by', 'target'],
}

const sloWindowSchema: Schema = {
  oneOf: [
    objectOf({ kind: { const: 'rolling' }, duration: anyString }),
    objectOf({ kind: { const: 'calendar' }, unit: { enum: ['day', 'week', 'month'] }, timezone: anyString }),
  ],
}

export const sloDaySchema = objectOf({ day: { type: 'string', format: 'date' }, attained: decimalOrNull, budgetLeft: decimal })

export const sloSchema = objectOf({
  id: anyString,
  name: anyString,
  checks: strings,
  objective: objectiveSchema,
  window: sloWindowSchema,
  from: time,
  to: time,
  attained: { ...decimalOrNull, description: 'A percentage; null without data.' },
  met: { type: ['boolean', 'null'] },
  budget: objectOf({ unit: { enum: ['runs', 'seconds'] }, total: decimal, used: decimal, left: decimal }),
  burnRate: objectOf({ '1h': decimalOrNull, '6h': decimalOrNull, '24h': decimalOrNull, '3d': decimalOrNull }),
  exhaustedAt: { type: ['string', 'null'], format: 'date-time', description: 'At the rate of the last 24 hours; null if never.' },
  days: { type: 'array', items: sloDaySchema },
})
