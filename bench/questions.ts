import { loadavg } from 'node:os'
import { p95ByCheck } from './check-questions.ts'
import { livenessBeside } from './liveness.ts'
import { createScorecard, median, ms, timed, warmUp } from './measure.ts'
import { peakMemoryMb } from './server.ts'
import { openWorld } from './setup.ts'
import { checkId, checks, checkType, end, metrics, quantileSql, start } from './world.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 40)
/** Lets the JIT compile the server; DuckDB is precompiled. */
const warmUpMs = 6000
/** Consecutive queries per side: both are measured warm and within the same minute. */
const queriesPerTurn = 5
const [metric] = metrics as [string]
const from = new Date(start).toISOString()
const to = new Date(end - 1).toISOString()
const allIds = Array.from({ length: checks }, (_, check) => checkId(check))
const inWindow = `startedAt BETWEEN ${start} AND ${end - 1}`

/** One query in both forms, and the maximum ratio of our time to DuckDB's. */
type Comparison = {
  readonly name: string
  readonly body: (round: number) => object
  readonly sql: (round: number) => string
  readonly bar: number
}

const comparisons: readonly Comparison[] = [
  {
    name: `p95 of ${checks} checks, by check`,
    body: () => p95ByCheck(allIds),
    sql: () =>
      `SELECT checkId, ${quantileSql(metric, 0.95)} FROM results WHERE checkId < ${checks} AND ${inWindow} GROUP BY ALL ORDER BY ALL`,
    bar: 0.4,
  },
  {
    name: `one pooled p95 of ${checks} checks`,
    body: () => ({ checks: { ids: allIds }, metrics: [`${metric}_p95`], from, to }),
    sql: () => `SELECT ${quantileSql(metric, 0.95)} FROM results WHERE checkId < ${checks} AND ${inWindow}`,
    bar: 1,
  },
  {
    name: 'p50 by hour of the week',
    body: (round) => ({
      checks: { ids: [checkId(checkOf(round))] },
      metrics: [`${metric}_p50`],
      groupBy: ['dayOfWeek', 'hourOfDay'],
      limit: 168,
      from,
      to,
    }),
    sql: (round) =>
      `SELECT (startedAt // 86400000 + 3) % 7 + 1 AS day, startedAt // 3600000 % 24 AS hour, ${quantileSql(metric, 0.5)} FROM results WHERE checkId = ${checkOf(round)} AND ${inWindow} GROUP BY ALL ORDER BY ALL`,
    bar: 0.5,
  },
]

const { duckdb, server, url, client, close } = await openWorld()
const { report, reportRatio, finish } = createScorecard()
const ask = (body: object) => client.post('/v1/analytics/query', body)

console.log(`Tidemark over HTTP, DuckDB in process, in turns; medians of ${rounds}. Load of the machine: ${loadavg()[0]?.toFixed(1)}`)
console.log(`\n${'question'.padEnd(34)}${'Tidemark'.padStart(12)}${'DuckDB'.padStart(12)}${'ratio'.padStart(8)}${'bar'.padStart(6)}`)
for (const comparison of comparisons) await compare(comparison)
await calendarDays()
await states()
await liveness()
const memoryMb = peakMemoryMb(server)
report(`memory: ${memoryMb.toFixed(0)} MB at its peak (under 600)`, memoryMb < 600)
console.log(`Load of the machine at the end: ${loadavg()[0]?.toFixed(1)}`)
await close()
finish()

async function compare({ name, body, sql, bar }: Comparison): Promise<void> {
  const [ours, theirs] = await inTurns(
    (round) => ask(body(round)),
    async (round) => (await duckdb.runAndReadAll(sql(round))).getRows(),
  )
  const ratio = ours / theirs
  const times = [ours, theirs].map((time) => ms(time).padStart(12)).join('')
  reportRatio(`${name.padEnd(34)}${times}${ratio.toFixed(2).padStart(8)}${String(bar).padStart(6)}`, {
    name: `${name}, time of DuckDB`,
    ratio,
    bar,
    better: 'lower',
  })
}

/** Compares days in Berlin with UTC. Both use the same few checks, whose columns are cached, so neither side gains from running second. */
async function calendarDays(): Promise<void> {
  const path = (round: number, timezone: string) =>
    `/v1/analytics/${checkType.path}/${checkId(round % queriesPerTurn)}?metrics=${metric}_p95&aggregationInterval=day&limit=100&timezone=${timezone}&from=${from}&to=${to}`
  const [berlin, utc] = await inTurns(
    (round) => client.get(path(round, 'Europe/Berlin')),
    (round) => client.get(path(round, 'UTC')),
  )
  const times = berlin / utc
  report(`p95 by day: ${ms(berlin)} in Europe/Berlin, ${ms(utc)} in UTC, ${times.toFixed(2)} times (at most 1.3)`, times <= 1.3)
}

async function states(): Promise<void> {
  const availability = {
    checks: { ids: allIds },
    metrics: ['availability'],
    availabilityBy: 'time',
    groupBy: ['check'],
    limit: 1000,
    from,
    to,
  }
  const [outagesMs, availabilityMs] = await inTurns(
    () => client.get(`/v1/analytics/outages?checkId=${allIds.join(',')}&limit=1000&from=${from}&to=${to}`),
    () => ask(availability),
  )
  report(`outages of ${checks} checks: ${ms(outagesMs)} (under 1 s)`, outagesMs < 1000)
  report(`availability by time of ${checks} checks: ${ms(availabilityMs)} (under 1 s)`, availabilityMs < 1000)
}

async function liveness(): Promise<void> {
  let asked = 0
  const p99 = await livenessBeside(url, () => ask((comparisons[asked++ % comparisons.length] as Comparison).body(asked)))
  report(`/health/live during these questions: p99 ${ms(p99)} (under 20 ms)`, p99 < 20)
}

type Query = (round: number) => Promise<unknown>

/** The medians of two alternating queries, both warm. */
async function inTurns(a: Query, b: Query): Promise<readonly [number, number]> {
  await warmUp(a, warmUpMs)
  await warmUp(b, warmUpMs)
  const took: readonly [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += queriesPerTurn) {
    for (let i = 0; i < queriesPerTurn; i++) took[0].push(await timed(() => a(round + i)))
    for (let i = 0; i < queriesPerTurn; i++) took[1].push(await timed(() => b(round + i)))
  }
  return [median(took[0]), median(took[1])]
}

function checkOf(round: number): number {
  return (round * 7) % checks
}
