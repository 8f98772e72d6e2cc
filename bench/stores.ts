import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { connectTo } from '../src/store/clickhouse/server.ts'
import { dropDatabases } from '../test/clickhouse/drop-databases.ts'
import { type Server as Engine, isGiven, serverMissing, startServer as startEngine } from '../test/clickhouse/engines/server.ts'
import { serverAt } from '../test/clickhouse/server-at.ts'
import { checkQuestions, p95ByCheck } from './check-questions.ts'
import { fillClickHouse, storedBytes } from './clickhouse.ts'
import { openClient } from './client.ts'
import { median, ms, rate, timed, warmUp } from './measure.ts'
import { postRate } from './post-rate.ts'
import { peakMemoryMb, processorSeconds, startServer, stopServer } from './server.ts'
import { account, checkId, checks, configFile, end, fillOurs, fillScheduled, folder, perCheck, start } from './world.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 40)
/** Consecutive queries per side: both are measured warm and within the same minute. */
const questionsPerTurn = 10
const warmUpMs = 3000
const fleetRounds = 10
const posts = { single: { connections: 64, rows: 1 }, batches: { connections: 4, rows: 1000 } } as const
const postSeconds = Number(process.env.BENCH_SECONDS ?? 8)
/** Maximum ratio of ClickHouse's time to the data folder's for a repeated query, by query name. */
const bars: Readonly<Record<string, number>> = { 'p99 of 30 days': 8 }
const fleetBar = 5
const databasePrefix = 'tidemark_bench_stores'
const appended = `${databasePrefix}_appended`
const scheduled = `${databasePrefix}_scheduled`

/** Queries that exceeded their bars. */
const beyond: string[] = []

const missing = await serverMissing()
if (missing === null) await compareStores()
else
  console.log(
    `Nothing was measured: ${missing}. Install Debian's clickhouse-server, or set TIDEMARK_TEST_CLICKHOUSE_URL to the URL of a server.`,
  )

async function compareStores(): Promise<void> {
  console.log(`${checks} checks × ${perCheck.toLocaleString('en')} results over 30 days, and one with ten times as many`)
  const { file, key } = configFile({ name: 'stores' })
  const headers = { authorization: `Bearer ${key}`, 'x-service-account': account }
  const { directory, bytesPerResult } = await fillOurs()
  await stopServer((await startServer(file, directory)).server) // Records when the checks were created, which is copied as well.
  const engineFolder = join(folder, `clickhouse-${checks}-${end}`)
  mkdirSync(engineFolder, { recursive: true })
  const engine = await startEngine(engineFolder)
  const database = `${databasePrefix}_${checks}_${end}`
  try {
    await fillClickHouse(directory, engine.url, database)
    const sides: readonly [Side, Side] = [
      await openSide(file, headers, { directory }),
      await openSide(file, headers, { directory, url: `${engine.url}/${database}` }),
    ]
    console.log(`${availableParallelism()} processors, ${loadavg()[0]?.toFixed(1)} busy in the last minute`)
    await compareAnswers(sides)
    await reportFloor(engine, database)
    reportDisk('without ids', bytesPerResult, await storedBytes(engine.url, database))
    await compareScheduled(engine)
    reportMemory(sides, engine)
    for (const { server, client } of sides) {
      client.close()
      await stopServer(server)
    }
    await compareAppends(file, headers, engine)
    reportBars()
  } finally {
    if (isGiven) await dropDatabases(engine.url, databasePrefix)
    await engine.stop()
  }
}

type Headers = Readonly<Record<string, string>>
type Place = { readonly directory: string; readonly url?: string }
type Side = Awaited<ReturnType<typeof openSide>>

/** Starts a server over a data folder, or over a database if a URL is given. */
async function openSide(file: string, headers: Headers, { directory, url: database }: Place) {
  const { server, url } = await startServer(file, directory, { env: { TIDEMARK_CLICKHOUSE_URL: database ?? '' } })
  return { server, url, client: openClient(url, headers) }
}

type Ask = (side: Side, round: number) => Promise<Buffer>

async function compareAnswers(sides: readonly [Side, Side]): Promise<void> {
  const heads = ['folder, first', 'again', 'ClickHouse, first', 'again', 'ratio']
  console.log(`Both over HTTP, the same bytes in each answer: the first question of each check, then asked again in turns; medians.`)
  console.log(`\n${'question'.padEnd(34)}${heads.map((head) => head.padStart(19)).join('')}`)
  for (const { name, path } of checkQuestions)
    await compare(name, sides, { ask: ({ client }, round) => client.get(path(round % checks)), firsts: checks, rounds, bar: bars[name] })
  const ids = Array.from({ length: checks }, (_, check) => checkId(check))
  const ask: Ask = ({ client }) => client.post('/v1/analytics/query', p95ByCheck(ids))
  await compare(`p95 of ${checks} checks, by check`, sides, { ask, firsts: 1, rounds: fleetRounds, bar: fleetBar })
}

/** Queries over their bar are reported only at the end, so that all measurements complete. */
function reportBars(): void {
  if (beyond.length === 0) return
  console.error(`Beyond their bars: ${beyond.join(', ')}.`)
  process.exitCode = 1
}

type Comparison = { readonly ask: Ask; readonly firsts: number; readonly rounds: number; readonly bar?: number | undefined }

async function compare(name: string, sides: readonly [Side, Side], { ask, firsts, rounds, bar }: Comparison): Promise<void> {
  const [folderFirst, databaseFirst]: [number[], number[]] = [[], []]
  for (let round = 0; round < firsts; round++) {
    const answers: Buffer[] = []
    for (const [i, side] of sides.entries()) {
      const took = await timed(async () => {
        answers.push(await ask(side, round))
      })
      ;[folderFirst, databaseFirst][i]?.push(took)
    }
    requireSame(name, answers as [Buffer, Buffer])
  }
  for (const side of sides) await warmUp((round) => ask(side, round), warmUpMs)
  const again: readonly [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += questionsPerTurn)
    for (const [i, side] of sides.entries())
      for (let turn = 0; turn < questionsPerTurn; turn++) again[i]?.push(await timed(() => ask(side, (round + turn) * 7)))
  const times = [folderFirst, again[0], databaseFirst, again[1]].map((took) => ms(median(took)).padStart(19))
  const ratio = median(again[1]) / median(again[0])
  const verdict = bar === undefined ? '' : `  asked again: ${ratio <= bar ? 'within' : 'beyond'} its bar of ${bar}`
  if (bar !== undefined && ratio > bar) beyond.push(`${name} (${ratio.toFixed(1)}, asked again; its bar is ${bar})`)
  console.log(`${name.padEnd(34)}${times.join('')}${ratio.toFixed(1).padStart(19)}${verdict}`)
}

/** Responses must be equal, except for durations in them. */
function requireSame(name: string, answers: readonly [Buffer, Buffer]): void {
  const [ours, theirs] = answers.map((answer) => String(answer.subarray(answer.indexOf('\r\n\r\n'))).replace(/"milliseconds":[\d.]+/, ''))
  if (ours !== theirs) throw new Error(`The answers differ: ${name}\n${ours}\n${theirs}`)
}

/**
 * The fixed part of the times above: a statement that reads nothing, through the front if there is one, and statements that only find and
 * count rows by account, check and window. No query on this server can be faster.
 */
async function reportFloor({ url, pid }: Engine, database: string): Promise<void> {
  const connection = await connectTo(serverAt(url, database), { log: console.error })
  const count =
    'SELECT count() FROM results WHERE account = {account:String} AND checkId IN {ids:Array(String)} AND startedAt >= {start:Int64}'
  const counting = (ids: readonly string[]) => ({ sql: count, params: { account, ids, start } })
  const all = Array.from({ length: checks }, (_, check) => checkId(check))
  const statements = {
    nothing: { sql: 'SELECT 1' },
    'rows of a check': counting([checkId(0)]),
    [`rows of ${checks} checks`]: counting(all),
  }
  for (const [name, statement] of Object.entries(statements)) {
    const took: number[] = []
    const before = pid ? processorSeconds({ pid }) : 0
    for (let round = 0; round < fleetRounds; round++) took.push(await timed(() => connection.rows(statement)))
    const own = pid ? `, ${ms((1000 * (processorSeconds({ pid }) - before)) / fleetRounds)} of the server's processor time` : ''
    console.log(`a statement that counts ${name}: ${ms(median(took))}, at best ${ms(Math.min(...took))}${own}`)
  }
  await connection.close()
}

/** Compares the disk space of results with ids of scheduled runs. */
async function compareScheduled({ url }: Engine): Promise<void> {
  const directory = join(folder, 'stores-scheduled')
  const inFolder = await fillScheduled(directory)
  await fillClickHouse(directory, url, scheduled)
  reportDisk('with the ids of scheduled runs', inFolder, await storedBytes(url, scheduled))
  rmSync(directory, { recursive: true })
  await dropDatabases(url, scheduled)
}

function reportDisk(what: string, inFolder: number, inDatabase: number): void {
  console.log(`disk of results ${what}: ${inFolder.toFixed(1)} bytes each in the data folder, ${inDatabase.toFixed(1)} in ClickHouse`)
}

function reportMemory(sides: readonly [Side, Side], { pid }: Engine): void {
  const [overFolder, overDatabase] = sides.map(({ server }) => `${peakMemoryMb(server).toFixed(0)} MB`)
  const engine = pid ? `, and ClickHouse itself ${peakMemoryMb({ pid }).toFixed(0)} MB` : ''
  console.log(`memory at its peak: ${overFolder} over the data folder, ${overDatabase} over ClickHouse${engine}`)
}

/** Compares ingestion over HTTP into an empty data folder and an empty database. */
async function compareAppends(file: string, headers: Headers, engine: Engine): Promise<void> {
  const directory = mkdtempSync(join(folder, 'appended-'))
  const rates: number[][] = []
  for (const place of [{ directory }, { directory, url: `${engine.url}/${appended}` }]) {
    const { server, url, client } = await openSide(file, headers, place)
    const measured: number[] = []
    for (const [i, order] of [posts.single, posts.batches].entries())
      measured.push(
        await postRate({ url, headers }, { ...order, seconds: postSeconds, checkId: checkId(0), from: end - (i + 1) * 43_200_000 }),
      )
    rates.push(measured)
    client.close()
    await stopServer(server)
  }
  rmSync(directory, { recursive: true })
  await dropDatabases(engine.url, appended)
  for (const [i, what] of ['single results, 64 clients', 'batches of 1,000, 4 clients'].entries()) {
    const [ours = 0, theirs = 0] = rates.map((measured) => measured[i])
    console.log(`${what}: data folder ${rate(ours)}, ClickHouse ${rate(theirs)}, ratio ${(ours / theirs).toFixed(1)}`)
  }
}
