import { aggregations } from '../src/store/store.ts'
import { livenessBeside } from './liveness.ts'
import { createScorecard, median, ms, timed } from './measure.ts'
import { pagesOfOneInstant } from './one-instant.ts'
import { peakMemoryMb } from './server.ts'
import { openWorld } from './setup.ts'
import { bigCheck, checkId, checks, checkType, end, metrics, quantileSql, start } from './world.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 100)
/** Lets the JIT compile the server; DuckDB is compiled already. */
const warmUpMs = 8000
/** Queries in a row to each side: both are measured warm, and within the same minute. */
const queriesPerTurn = 20
const [first] = metrics as [string]
const thirtyDays = `from=${new Date(start).toISOString()}&to=${new Date(end - 1).toISOString()}`
const lastDay = `from=${new Date(end - 86_400_000).toISOString()}&to=${new Date(end - 1).toISOString()}`
const inWindow = (from: number) => `checkId = $1 AND startedAt BETWEEN ${from} AND ${end - 1}`
const analytics = `/v1/analytics/${checkType.path}`

/** One query in both forms, and the maximum of our time as a share of DuckDB's. */
type Comparison = { readonly name: string; readonly path: (check: number) => string; readonly sql: string; readonly bar: number }

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
const six = ['p50', 'p90', 'p95', 'p99', 'avg', 'stddev']
const rawColumns = `startedAt, location, hasFailures, attempts, "${first}"`

const comparisons: readonly Comparison[] = [
  {
    name: 'p99 of 30 days',
    path: (check) => `${analytics}/${checkId(check)}?metrics=${first}_p99&${thirtyDays}`,
    sql: `SELECT ${columns([first], ['p99'])} FROM results WHERE ${inWindow(start)}`,
    bar: 0.5,
  },
  {
    name: '4 percentiles + avg + stddev',
    path: (check) => `${analytics}/${checkId(check)}?metrics=${metricList([first], six)}&${thirtyDays}`,
    sql: `SELECT ${columns([first], six)} FROM results WHERE ${inWindow(start)}`,
    bar: 0.5,
  },
  {
    name: 'p99 by location and day',
    path: (check) =>
      `${analytics}/${checkId(check)}?metrics=${first}_p99&groupBy=runLocation&aggregationInterval=1440&limit=100&${thirtyDays}`,
    sql: `SELECT location, startedAt // 86400000 AS day, ${columns([first], ['p99'])} FROM results WHERE ${inWindow(start)} GROUP BY ALL ORDER BY ALL`,
    bar: 0.5,
  },
  {
    name: '4 metrics × 10 aggregations',
    path: (check) => `${analytics}/${checkId(check)}?metrics=${metricList(metrics, aggregations)}&${thirtyDays}`,
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
  },
]

const { duckdb, server, url, client, bytesPerResult, close } = await openWorld()
const { report, finish } = createScorecard()

console.log('Tidemark over HTTP: the first question of each check, then asked again; DuckDB in process; medians.')
console.log(
  `\n${'question'.padEnd(30)}${'first'.padStart(14)}${'again'.padStart(14)}${'DuckDB'.padStart(14)}${'ratio'.padStart(8)}${'bar'.padStart(7)}`,
)
for (const comparison of comparisons) await compare(comparison)
await scaling()
await liveness()
await oneInstant()
report(`disk: ${bytesPerResult.toFixed(1)} bytes a result (at most 32)`, bytesPerResult <= 32)
const memoryMb = peakMemoryMb(server)
report(`memory: ${memoryMb.toFixed(0)} MB at its peak (under 400)`, memoryMb < 400)

await close()
finish()

async function compare({ name, path, sql, bar }: Comparison): Promise<void> {
  const prepared = await duckdb.prepare(sql)
  const queryUs = (check: number) => timed(() => client.get(path(check)))
  const queryThem = (check: number) =>
    timed(async () => {
      prepared.bindInteger(1, check)
      return (await prepared.runAndReadAll()).getRows()
    })
  const first = await each(
    Array.from({ length: checks }, (_, check) => check),
    queryUs,
  )
  const until = performance.now() + warmUpMs
  for (let round = 0; performance.now() < until; round++) await queryUs(round % checks)
  await each([...Array(10).keys()], queryThem)
  const ours: number[] = []
  const theirs: number[] = []
  for (let round = 0; round < rounds; round += queriesPerTurn) {
    const sample = Array.from({ length: queriesPerTurn }, (_, i) => ((round + i) * 7) % checks)
    ours.push(...(await each(sample, queryUs)))
    theirs.push(...(await each(sample, queryThem)))
  }
  const ratio = median(ours) / median(theirs)
  const times = [first, ours, theirs].map((all) => ms(median(all)).padStart(14)).join('')
  report(`${name.padEnd(30)}${times}${ratio.toFixed(2).padStart(8)}${String(bar).padStart(7)}`, ratio <= bar)
}

async function each(sample: readonly number[], query: (check: number) => Promise<number>): Promise<number[]> {
  const took: number[] = []
  for (const check of sample) took.push(await query(check))
  return took
}

/** Ten times the rows of one check cost at most eleven times the time. */
async function scaling(): Promise<void> {
  const path = (check: number) => `${analytics}/${checkId(check)}?metrics=${metricList([first], six)}&${thirtyDays}`
  const small: number[] = []
  const big: number[] = []
  for (let round = -3; round < Math.ceil(rounds / 2); round++) {
    const tookSmall = await timed(() => client.get(path(Math.max(0, round) % checks)))
    const tookBig = await timed(() => client.get(path(bigCheck)))
    if (round >= 0) {
      small.push(tookSmall)
      big.push(tookBig)
    }
  }
  const ratio = median(big) / median(small)
  report(`ten times the rows: ${ratio.toFixed(1)} times the time (at most 11)`, ratio <= 11)
}

async function liveness(): Promise<void> {
  let asked = 0
  const p99 = await livenessBeside(url, () =>
    client.get(`${analytics}/${checkId(asked++ % checks)}?metrics=${metricList(metrics, aggregations)}&${thirtyDays}`),
  )
  report(`/health/live beside 30-day questions: p99 ${ms(p99)} (under 20 ms)`, p99 < 20)
}

/** Where a result stands in its instant does not matter to the cost of its page. */
async function oneInstant(): Promise<void> {
  const took = await pagesOfOneInstant()
  const times = Object.entries(took).map(([name, time]) => `${name} ${ms(time)}`)
  const ratio = (took['large-instant'] as number) / (took['large-day'] as number)
  report(`a page of results: ${times.join(', ')}; one instant ${ratio.toFixed(2)} of a day (at most 1.5)`, ratio <= 1.5)
}
