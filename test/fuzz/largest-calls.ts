import { gzipSync } from 'node:zlib'
import type { Parameter } from '../../src/http/reference/openapi.ts'
import type { Schema } from '../../src/http/route.ts'
import { dayMs } from '../../src/time.ts'
import { isExploring } from '../support/tries.ts'
import { type Call, checkAt, type Endpoint, sampleCall } from './operations.ts'
import { type Names, now } from './world.ts'

export type LargeCall = Call & { readonly what: string }

/** Values from a large world for parameters whose schema allows any text. */
export type LargeWords = {
  readonly names: Names
  readonly checkIds: readonly string[]
  readonly tags: readonly string[]
  readonly rows: readonly object[]
}

type QueryValues = Readonly<Record<string, string>>

/**
 * Every endpoint with the largest value of each parameter, one at a time, with and without the finest buckets; lists are complete.
 * Reports of all check types share their code, so all variants are sent only for the check with the most results.
 */
export function largestCalls(endpoint: Endpoint, words: LargeWords): readonly LargeCall[] {
  const { path, operation } = endpoint
  if (path === '/v1/check-results') return largestPosts(words)
  const query = operation.parameters.filter((parameter) => parameter.in === 'query')
  const sample = sampleCall(endpoint, words.names)
  const base = Object.fromEntries(query.flatMap((parameter) => usual(parameter, path)))
  const isOfOtherType = checkAt(path, words.names) !== words.names.checks[0]
  const variants = isOfOtherType ? [] : path === '/v1/analytics/query' ? [{ format: 'csv' }] : variantsOf(query, words)
  const finest: QueryValues = query.some(({ name }) => name === 'fill') ? { aggregationInterval: '1', fill: 'null' } : {}
  const calls = [{}, ...variants].flatMap((variant) => [
    { ...base, ...variant },
    { ...base, ...finest, ...variant },
  ])
  const bodies = typeof sample.payload === 'string' ? largestBodies(path, words, sample.payload) : [undefined]
  const isRepeated = (url: string, body: unknown) => url.includes('format=csv') && !isWrittenAlone(body)
  const [address = ''] = sample.url.split('?')
  const urls = [...new Set(calls.map((given) => `${address}?${new URLSearchParams({ ...requiredOf(sample.url), ...given })}`))]
  return urls.flatMap((url) =>
    bodies
      .filter((body) => !isRepeated(url, body))
      .map((body) => ({
        ...sample,
        what: `${endpoint.method} ${url.slice(0, 160)}${body === undefined ? '' : ` …${JSON.stringify(body).slice(-160)}`}`,
        url,
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      })),
  )
}

const requiredOf = (url: string): QueryValues => Object.fromEntries(new URLSearchParams(url.split('?')[1] ?? ''))

/** Has more messages than a page; a longer window would be replayed for so long that a busy machine rejects it. */
const replayedFrom = new Date(now - 4 * dayMs).toISOString()

/** A long window and full pages. */
function usual({ name, schema }: Parameter, path: string): readonly (readonly [string, string])[] {
  const choices = choicesOf(schema)
  if (name === 'from' && path === '/v1/alerts/replay') return [[name, replayedFrom]]
  if (name === 'metrics') return [[name, choices.join()]]
  if (name === 'limit') return [[name, String(schema.maximum)]]
  if (name === 'quickRange' || name === 'range') return [[name, 'last30Days']]
  return []
}

function choicesOf(schema: Schema): readonly string[] {
  const { enum: choices = [] } = ((schema.type === 'array' ? schema.items : schema) ?? {}) as { readonly enum?: readonly string[] }
  return choices.map(String)
}

const allTime: QueryValues = { from: '1970-01-01', to: '9999-12-31' }

function variantsOf(query: readonly Parameter[], words: LargeWords): readonly QueryValues[] {
  const has = (name: string) => query.some((parameter) => parameter.name === name)
  const single = query.flatMap((parameter) => largestValues(parameter, words).map((value): QueryValues => ({ [parameter.name]: value })))
  const metrics = choicesOf(query.find(({ name }) => name === 'metrics')?.schema ?? {})
  const bare = metrics.filter((name) => !name.includes('_'))
  const raw: readonly QueryValues[] =
    bare.length > 0
      ? [
          { metrics: bare.join() },
          ...choicesOf(query.find(({ name }) => name === 'groupBy')?.schema ?? {}).map((groupBy) => ({ metrics: bare.join(), groupBy })),
        ]
      : []
  const byTime: readonly QueryValues[] = has('availabilityBy')
    ? [
        { metrics: 'availability', availabilityBy: 'time' },
        { metrics: 'availability', availabilityBy: 'time', explain: 'true' },
      ]
    : []
  const windows: readonly QueryValues[] =
    has('from') && has('to') ? [allTime, { ...allTime, ...(has('timezone') && { timezone: 'Europe/Berlin' }) }] : []
  return [...single, ...raw, ...byTime, ...windows]
}

/** The most expensive values of a parameter that its schema allows. */
function largestValues({ name, schema }: Parameter, { checkIds, tags }: LargeWords): readonly string[] {
  if (name === 'checkId') return [checkIds.slice(0, 100).join()]
  if (name === 'tag') return [tags.join()]
  // For a window, the variant with the longest window has it.
  if (name === 'timezone') return isExploring ? ['Europe/Berlin'] : []
  // A call without the parameter uses the default.
  if (name === 'format') return ['csv']
  // A shorter window is cheaper than the usual one; the longest is a variant.
  if (name === 'aggregationInterval' || name === 'quickRange' || name === 'dataQuickRange') return []
  if (name === 'cursor' || name === 'nextId' || name === 'lastEventId' || name === 'wait') return []
  const choices = choicesOf(schema).filter((choice) => choice !== schema.default)
  if (choices.length > 0 && name !== 'metrics') return choices.slice(0, isExploring ? 12 : 2)
  if (schema.type === 'boolean') return ['true']
  if (schema.type === 'integer') return [String(schema.maximum ?? Number.MAX_SAFE_INTEGER)]
  return schema.maxLength === undefined ? [] : ['x'.repeat(Math.min(Number(schema.maxLength), 10_000))]
}

const aggregated = ['avg', 'max', 'median', 'min', 'p50', 'p90', 'p95', 'p99', 'stddev', 'sum'].map((name) => `duration_${name}`)

/** Calls without their own body use that of the sample. */
function largestBodies(path: string, { checkIds, tags, names }: LargeWords, sample: string): readonly unknown[] {
  if (path === '/v1/analytics/checks') return [{ checkIds: checkIds.slice(0, 100) }]
  if (path === '/v1/silences')
    return [{ checks: checkIds.slice(0, 100), tags: tags.slice(0, 20), duration: '90d', comment: 'x'.repeat(500) }]
  if (path !== '/v1/analytics/query') return [undefined, lengthened(JSON.parse(sample))]
  const metrics = [...aggregated, 'availability', 'retries']
  const whole = { metrics, quickRange: 'last30Days', limit: 1000 }
  const groups = isExploring ? everyGrouping : mostGroups
  return [
    whole,
    ...groups.map((groupBy) => ({ ...whole, groupBy })),
    { ...whole, groupBy: ['check', 'hourOfDay'], orderBy: { metric: 'duration_p95' }, compare: 'previousPeriod', confidence: 95 },
    { ...whole, metrics: ['duration_p95'], aggregationInterval: 1, fill: null, checks: { ids: checkIds.slice(0, 5) } },
    { ...whole, aggregationInterval: 60, fill: null, timezone: 'Europe/Berlin', compare: 'sameWeekdays', groupBy: ['check'] },
    { ...whole, bounds: Array.from({ length: 100 }, (_, i) => i * 20), metrics: ['duration_p95'], groupBy: ['check', 'runLocation'] },
    { ...whole, metrics: ['availability'], availabilityBy: 'time', checks: { ids: names.checks.map(({ id }) => id) } },
    { ...whole, ...allTime, checks: { tags } },
    {
      ...whole,
      checks: { ids: Array.from({ length: 1000 }, (_, i) => `none-${i}`) },
      filter: { runLocation: Array.from({ length: 1000 }, (_, i) => `nowhere-${i}`) },
    },
  ]
}

function lengthened(body: object): object {
  const longer = Object.entries(body).map(([name, value]) => [
    name,
    Array.isArray(value) ? Array.from({ length: 1000 }, (_, i) => value[i % value.length]) : value,
  ])
  return { ...Object.fromEntries(longer), description: 'x'.repeat(100_000) }
}

const dimensions = ['check', 'tag', 'checkType', 'runLocation', 'hourOfDay', 'dayOfWeek']
const everyGrouping = dimensions.flatMap((first, i) => [[first], ...dimensions.slice(i + 1).map((second) => [first, second])])
const mostGroups = [
  ['check', 'hourOfDay'],
  ['tag', 'hourOfDay'],
]

/** CSV rows are written by the same code for every grouping, and are as many; the finest buckets give the most rows. */
function isWrittenAlone(body: unknown): boolean {
  if (isExploring) return Object.keys(body ?? {}).join() !== 'metrics,quickRange,limit,groupBy'
  const { metrics, aggregationInterval } = (body ?? {}) as { readonly metrics?: unknown; readonly aggregationInterval?: unknown }
  return metrics === undefined || aggregationInterval === 1
}

/** Ten thousand rows, in each supported format. */
function largestPosts({ rows }: LargeWords): readonly LargeCall[] {
  const array = JSON.stringify(rows)
  const lines = rows.map((row) => JSON.stringify(row)).join('\n')
  const rejected = JSON.stringify(rows.map((row) => ({ ...row, nonsense: 'x' })))
  const headers = { 'content-type': 'application/json' }
  const lineHeaders = { 'content-type': 'application/x-ndjson' }
  const post = { method: 'POST', url: '/v1/check-results' }
  return [
    { ...post, what: 'an array of 10,000 rows', headers, payload: array },
    { ...post, what: '10,000 rows again', headers, payload: array },
    { ...post, what: '10,000 lines', headers: lineHeaders, payload: lines },
    { ...post, what: 'a compressed array of 10,000 rows', headers: { ...headers, 'content-encoding': 'gzip' }, payload: gzipSync(array) },
    { ...post, what: '10,000 rows that are rejected', headers, payload: rejected },
    { ...post, what: '8 MiB that are no JSON', headers, payload: `[${'{"checkId":"x",'.repeat(540_000)}` },
    { ...post, what: '8 MiB of nothing', headers, payload: ' '.repeat(8_000_000) },
    {
      ...post,
      what: '8 MiB of blank lines',
      headers: { ...lineHeaders, 'content-encoding': 'gzip' },
      payload: gzipSync(' \n'.repeat(4_000_000)),
    },
    { ...post, what: 'a row of 8 MiB', headers, payload: `[{"pages":[${'{},'.repeat(2_600_000)}{}]}]` },
    { ...post, what: '10,000 rows of 800 values', headers, payload: JSON.stringify(Array(9999).fill(Array(390).fill(1))) },
    { ...post, what: 'no array of 8 MiB', headers, payload: `{"pages":[${'1,'.repeat(3_900_000)}1]}` },
  ]
}
