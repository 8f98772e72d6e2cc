import { aggregations } from '../src/store/store.ts'
import { checkId, checkType, end, metrics, quantileSql, start } from './world.ts'

const [first] = metrics as [string]
const thirtyDays = `from=${new Date(start).toISOString()}&to=${new Date(end - 1).toISOString()}`
const lastDay = `from=${new Date(end - 86_400_000).toISOString()}&to=${new Date(end - 1).toISOString()}`
const inWindow = (from: number) => `checkId = $1 AND startedAt BETWEEN ${from} AND ${end - 1}`
const analytics = `/v1/analytics/${checkType.path}`

/** One query about one check, over HTTP and in SQL. The bar is the maximum of our time, as a ratio to DuckDB's or in milliseconds. */
export type CheckQuestion = {
  readonly name: string
  readonly path: (check: number) => string
  readonly sql: string
  readonly bar: number
  readonly barMs?: number
}

const sqlOf: Record<string, (metric: string) => string> = {
  avg: (metric) => `avg("${metric}")`,
  max: (metric) => `max("${metric}")`,
  min: (metric) => `min("${metric}")`,
  sum: (metric) => `sum("${metric}")`,
  stddev: (metric) => `stddev_pop("${metric}")`,
  median: (metric) => quantileSql(metric, 0.5),
  p50: (metric) => quantileSql(metric, 0.5),
  p90: (metric) => quantileSql(metric, 0.9),
  p95: (metric) => quantileSql(metric, 0.95),
  p99: (metric) => quantileSql(metric, 0.99),
}
const columns = (names: readonly string[], wanted: readonly string[]) => names.flatMap((name) => wanted.map((each) => sqlOf[each]?.(name)))
const metricList = (names: readonly string[], wanted: readonly string[]) =>
  names.flatMap((name) => wanted.map((each) => `${name}_${each}`)).join(',')
const sixAggregations = ['p50', 'p90', 'p95', 'p99', 'avg', 'stddev']
const rawColumns = `startedAt, location, hasFailures, attempts, "${first}"`

/** Percentiles and moments over all results of a check. */
export const sixFigures = (check: number) => `${analytics}/${checkId(check)}?metrics=${metricList([first], sixAggregations)}&${thirtyDays}`

/** Every aggregation of every metric of a check. */
export const allFigures = (check: number) => `${analytics}/${checkId(check)}?metrics=${metricList(metrics, aggregations)}&${thirtyDays}`

/** The p95 of each of these checks, in one call. */
export const p95ByCheck = (ids: readonly string[]) => ({
  checks: { ids },
  metrics: [`${first}_p95`],
  groupBy: ['check'],
  limit: 1000,
  from: new Date(start).toISOString(),
  to: new Date(end - 1).toISOString(),
})

export const checkQuestions: readonly CheckQuestion[] = [
  {
    name: 'p99 of 30 days',
    path: (check) => `${analytics}/${checkId(check)}?metrics=${first}_p99&${thirtyDays}`,
    sql: `SELECT ${columns([first], ['p99'])} FROM results WHERE ${inWindow(start)}`,
    bar: 0.25,
  },
  {
    name: '4 percentiles + avg + stddev',
    path: sixFigures,
    sql: `SELECT ${columns([first], sixAggregations)} FROM results WHERE ${inWindow(start)}`,
    bar: 0.5,
  },
  {
    name: 'p99 by location and day',
    path: (check) =>
      `${analytics}/${checkId(check)}?metrics=${first}_p99&groupBy=runLocation&aggregationInterval=1440&limit=100&${thirtyDays}`,
    sql: `SELECT location, startedAt // 86400000 AS day, ${columns([first], ['p99'])} FROM results WHERE ${inWindow(start)} GROUP BY ALL ORDER BY ALL`,
    bar: 0.4,
  },
  {
    name: '4 metrics × 10 aggregations',
    path: allFigures,
    sql: `SELECT ${columns(metrics, aggregations)} FROM results WHERE ${inWindow(start)}`,
    bar: 0.5,
  },
  {
    name: 'p99 of 24 hours',
    path: (check) => `${analytics}/${checkId(check)}?metrics=${first}_p99&${lastDay}`,
    sql: `SELECT ${columns([first], ['p99'])} FROM results WHERE ${inWindow(end - 86_400_000)}`,
    bar: 1,
  },
  {
    name: 'raw, page 1',
    path: (check) => `${analytics}/${checkId(check)}?metrics=${first}&limit=100&${thirtyDays}`,
    sql: `SELECT ${rawColumns} FROM results WHERE ${inWindow(start)} ORDER BY startedAt DESC LIMIT 100`,
    bar: 0.15,
  },
  {
    name: 'raw, page 500',
    path: (check) => `${analytics}/${checkId(check)}?metrics=${first}&limit=100&page=500&${thirtyDays}`,
    sql: `SELECT ${rawColumns} FROM results WHERE ${inWindow(start)} ORDER BY startedAt DESC LIMIT 100 OFFSET 49900`,
    bar: 0.1,
  },
  {
    name: 'latest status',
    path: (check) => `/v1/check-statuses/${checkId(check)}`,
    sql: `SELECT location, max(startedAt), arg_max(hasFailures, startedAt) FROM results WHERE ${inWindow(start)} GROUP BY location`,
    bar: 0.1,
    barMs: 0.3,
  },
]
