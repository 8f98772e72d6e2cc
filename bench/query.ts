import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import { aggregations } from '../src/store/store.ts'
import { openClient } from './client.ts'
import { startServer } from './server.ts'
import { account, bigCheck, checkId, checks, checkType, configFile, end, fillOurs, metrics, openDuckDB, perCheck, start } from './world.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 100)
/** A server that has run for a while is compiled; DuckDB always is. */
const warmUpMs = 8000
/** So many questions are put to the one, then to the other: each is measured at work, and both in the same minute. */
const inTurn = 20
const [first] = metrics as [string]
const thirtyDays = `from=${new Date(start).toISOString()}&to=${new Date(end - 1).toISOString()}`
const lastDay = `from=${new Date(end - 86_400_000).toISOString()}&to=${new Date(end - 1).toISOString()}`
const inWindow = (from: number) => `checkId = $1 AND startedAt BETWEEN ${from} AND ${end - 1}`
const analytics = `/v1/analytics/${checkType.path}`

/** The same question twice: as a path of ours, and as SQL; and how much of DuckDB's time ours may take. */
type Question = { readonly name: string; readonly path: (check: number) => string; readonly sql: string; readonly bar: number }

const quantile = (metric: string, fraction: number) => `quantile_cont("${metric}", ${fraction})`
const sqlOf: Record<string, (metric: string) => string> = {
  avg: (metric) => `avg("${metric}")`,
  max: (metric) => `max("${metric}")`,
  min: (metric) => `min("${metric}")`,
  sum: (metric) => `sum("${metric}")`,
  stddev: (metric) => `stddev_pop("${metric}")`,
  median: (metric) => quantile(metric, 0.5),
  p50: (metric) => quantile(metric, 0.5),
  p90: (metric) => quantile(metric, 0.9),
  p95: (metric) => quantile(metric, 0.95),
  p99: (metric) => quantile(metric, 0.99),
}
const columns = (names: readonly string[], wanted: readonly string[]) => names.flatMap((name) => wanted.map((each) => sqlOf[each]?.(name)))
const asked = (names: readonly string[], wanted: readonly string[]) =>
  names.flatMap((name) => wanted.map((each) => `${name}_${each}`)).join(',')
const six = ['p50', 'p90', 'p95', 'p99', 'avg', 'stddev']
const rawColumns = `startedAt, location, hasFailures, attempts, "${first}"`

const questions: readonly Question[] = [
  {
    name: 'p99 of 30 days',
    path: (check) => `${analytics}/${checkId(check)}?metrics=${first}_p99&${thirtyDays}`,
    sql: `SELECT ${columns([first], ['p99'])} FROM results WHERE ${inWindow(start)}`,
    bar: 0.5,
  },
  {
    name: '4 percentiles + avg + stddev',
    path: (check) => `${analytics}/${checkId(check)}?metrics=${asked([first], six)}&${thirtyDays}`,
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
    path: (check) => `${analytics}/${checkId(check)}?metrics=${asked(metrics, aggregations)}&${thirtyDays}`,
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

console.log(`${checks} checks × ${perCheck.toLocaleString('en')} results over 30 days, and one with ten times as many`)
const { file, key } = configFile()
const { directory, bytesPerResult } = await fillOurs()
const duckdb = await openDuckDB()
const { server, url } = await startServer(file, directory)
const headers = { authorization: `Bearer ${key}`, 'x-service-account': account }
const client = openClient(url, headers)
const failures: string[] = []

console.log('Tidemark over HTTP: the first question of each check, then asked again; DuckDB in process; medians.')
console.log(
  `\n${'question'.padEnd(30)}${'first'.padStart(14)}${'again'.padStart(14)}${'DuckDB'.padStart(14)}${'ratio'.padStart(8)}${'bar'.padStart(7)}`,
)
for (const question of questions) await compare(question, duckdb)
await scaling()
await liveness()
hold(`disk: ${bytesPerResult.toFixed(1)} bytes a result (at most 32)`, bytesPerResult <= 32)
const memoryMb = peakMemoryMb(server)
hold(`memory: ${memoryMb.toFixed(0)} MB at its peak (under 400)`, memoryMb < 400)

server.kill('SIGTERM')
await once(server, 'exit')
client.close()
if (failures.length > 0) console.log(`\nNot held:\n${failures.join('\n')}`)
process.exitCode = failures.length > 0 ? 1 : 0

async function compare({ name, path, sql, bar }: Question, connection: DuckDBConnection): Promise<void> {
  const prepared = await connection.prepare(sql)
  const askUs = (check: number) => timed(() => client.ask(path(check)))
  const askThem = (check: number) =>
    timed(async () => {
      prepared.bindInteger(1, check)
      return (await prepared.runAndReadAll()).getRows()
    })
  const first = await each(
    Array.from({ length: checks }, (_, check) => check),
    askUs,
  )
  const until = performance.now() + warmUpMs
  for (let round = 0; performance.now() < until; round++) await askUs(round % checks)
  await each([...Array(10).keys()], askThem)
  const ours: number[] = []
  const theirs: number[] = []
  for (let round = 0; round < rounds; round += inTurn) {
    const asked = Array.from({ length: inTurn }, (_, i) => ((round + i) * 7) % checks)
    ours.push(...(await each(asked, askUs)))
    theirs.push(...(await each(asked, askThem)))
  }
  const ratio = median(ours) / median(theirs)
  const times = [first, ours, theirs].map((all) => ms(median(all)).padStart(14)).join('')
  hold(`${name.padEnd(30)}${times}${ratio.toFixed(2).padStart(8)}${String(bar).padStart(7)}`, ratio <= bar)
}

async function each(asked: readonly number[], ask: (check: number) => Promise<number>): Promise<number[]> {
  const took: number[] = []
  for (const check of asked) took.push(await ask(check))
  return took
}

/** Ten times the rows of one check cost at most eleven times the time. */
async function scaling(): Promise<void> {
  const path = (check: number) => `${analytics}/${checkId(check)}?metrics=${asked([first], six)}&${thirtyDays}`
  const small: number[] = []
  const big: number[] = []
  for (let round = -3; round < Math.ceil(rounds / 2); round++) {
    const tookSmall = await timed(() => client.ask(path(Math.max(0, round) % checks)))
    const tookBig = await timed(() => client.ask(path(bigCheck)))
    if (round >= 0) {
      small.push(tookSmall)
      big.push(tookBig)
    }
  }
  const ratio = median(big) / median(small)
  hold(`ten times the rows: ${ratio.toFixed(1)} times the time (at most 11)`, ratio <= 11)
}

/** The server says that it lives within 20 ms while a client asks without pause. */
async function liveness(): Promise<void> {
  const prober = openClient(url, headers)
  let over = false
  const asking = (async () => {
    for (let check = 0; !over; check = (check + 1) % checks)
      await client.ask(`${analytics}/${checkId(check)}?metrics=${asked(metrics, aggregations)}&${thirtyDays}`)
  })()
  const took: number[] = []
  for (let i = 0; i < 500; i++) {
    took.push(await timed(() => prober.ask('/health/live')))
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  over = true
  await asking
  prober.close()
  const p99 = took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? 0
  hold(`/health/live beside 30-day questions: p99 ${ms(p99)} (under 20 ms)`, p99 < 20)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

function hold(words: string, holds: boolean): void {
  console.log(words)
  if (!holds) failures.push(words)
}

function peakMemoryMb({ pid }: ChildProcess): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`
}
