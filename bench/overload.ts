import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { newKey } from '../src/catalogue/keys.ts'
import { sha256 } from '../src/ids/sha256.ts'
import { createEmbeddedStore } from '../src/store/embedded/embedded-store.ts'
import { exampleCheck, pingedTypes, pingToken } from '../test/support/example-config.ts'
import type { Arrivals, ArrivalsOrder, ArrivalsTally } from './arrivals.ts'
import { openClient } from './client.ts'
import { checkType, fillChecks } from './ingest-server.ts'
import { atFraction, createScorecard, median, ms, rate, timed } from './measure.ts'
import { startServer, stopServer } from './server.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 10)
const account = 'bench'
/** Queries rotate over this many keys; each key has its own queue. */
const askers = 4
/** Closed-loop clients that measure the capacity. */
const clients = 16
const bars = { goodput: 0.8, refusalMs: 50, lightMs: 50, recoverySeconds: 10, endSeconds: 10 }

const folder = mkdtempSync(join(tmpdir(), 'tidemark-bench-'))
const data = join(folder, 'data')
const keys = Array.from({ length: askers }, () => newKey(randomBytes).key)
const callers = keys.map((key) => ({ authorization: `Bearer ${key}`, 'x-service-account': account }))
const questioned = Array.from({ length: 6 }, (_, i) => `queried-${i}`)
const config = writeConfig()
await fillChecks(data, { account, checkIds: questioned })

const [metric] = Object.keys(checkType.metrics)
const question = {
  checks: { ids: questioned },
  metrics: ['p50', 'p95', 'p99', 'stddev'].map((figure) => `${metric}_${figure}`),
  groupBy: ['check'],
  quickRange: 'last30Days',
}
const jsonHeaders = callers.map((caller) => ({ ...caller, 'content-type': 'application/json' }))
const questions = (perSecond: number): Arrivals => ({
  name: 'questions',
  perSecond,
  method: 'POST',
  path: '/v1/analytics/query',
  headers: jsonHeaders,
  body: JSON.stringify(question),
})
/** Posts of each phase start in a separate range of a million milliseconds. */
const million = 1_000_000
let phase = Math.floor((Date.now() - 86_400_000) / million)

const { report, finish } = createScorecard()
const generator = fork(new URL('./arrivals.ts', import.meta.url))
const { server, url } = await startServer(config, data, { env: { TIDEMARK_LOG: 'error' } })
try {
  await measure()
} finally {
  server.kill()
  generator.kill()
  rmSync(folder, { recursive: true, force: true })
}
finish()

async function measure(): Promise<void> {
  const aloneMs = await questionMs()
  console.log(`Load of the machine ${loadavg()[0]?.toFixed(1)}. A question over 780,000 results alone: ${ms(aloneMs)}.`)
  await arrive([])
  judgeLight('without questions', await arrive([]))
  const capacity = await findCapacity()
  console.log(`Capacity: ${rate(capacity)} of these questions, with the same posts, badges, pings and probes.`)
  for (const factor of [2, 10]) await overload(factor, capacity)
  await recover(aloneMs)
  await end(10 * capacity)
}

/** Measures the capacity: queries answered per second by closed-loop clients. */
async function findCapacity(): Promise<number> {
  let answered = 0
  const until = performance.now() + seconds * 1000
  const ask = async (i: number) => {
    const client = openClient(url, callers[i % askers] ?? {})
    while (performance.now() < until) {
      const isAnswered = await client.post('/v1/analytics/query', question).then(
        () => true,
        () => false,
      )
      if (isAnswered) answered++
      else await sleep(100)
    }
    client.close()
  }
  await Promise.all([arrive([]), ...Array.from({ length: clients }, (_, i) => ask(i))])
  return answered / seconds
}

async function overload(factor: number, capacity: number): Promise<void> {
  const load = `at ${factor} times the capacity`
  const tallies = await arrive([questions(factor * capacity)])
  const { inTime, refusedMs, unhelpful, statuses, broken } = tallyOf(tallies, 'questions')
  const goodput = inTime / seconds / capacity
  report(
    `goodput ${load}: ${goodput.toFixed(2)} of the capacity, wanted ${bars.goodput} (${JSON.stringify(statuses)}, ${broken} broken)`,
    goodput >= bars.goodput && broken === 0,
  )
  const p99 = refusedMs.length === 0 ? 0 : atFraction(refusedMs, 0.99)
  report(
    `refusals ${load}: p99 ${ms(p99)}, wanted ${bars.refusalMs} ms; ${unhelpful} of ${refusedMs.length} without Retry-After, wanted none`,
    p99 <= bars.refusalMs && unhelpful === 0,
  )
  judgeLight(load, tallies)
}

/** Posts, badges, pings and probes must all be answered quickly. */
function judgeLight(load: string, tallies: readonly ArrivalsTally[]): void {
  for (const { name, sent, okMs } of tallies.filter(({ name }) => name !== 'questions')) {
    const p99 = atFraction(okMs, 0.99) ?? Number.POSITIVE_INFINITY
    report(
      `${name} ${load}: ${okMs.length} of ${sent} answered, p99 ${ms(p99)}, wanted all within ${bars.lightMs} ms`,
      okMs.length === sent && p99 <= bars.lightMs,
    )
  }
}

/** Waits until a query takes at most twice its idle time, five times in a row. */
async function recover(aloneMs: number): Promise<void> {
  const client = openClient(url, callers[0] ?? {})
  const began = performance.now()
  let inRow = 0
  while (inRow < 5 && performance.now() - began < 2000 * bars.recoverySeconds) {
    const took = await timed(() => client.post('/v1/analytics/query', question)).catch(() => Number.POSITIVE_INFINITY)
    inRow = took <= 2 * aloneMs ? inRow + 1 : 0
  }
  client.close()
  const took = (performance.now() - began) / 1000
  report(`recovery: ${took.toFixed(1)} s after the last answer, wanted at most ${bars.recoverySeconds}`, took <= bars.recoverySeconds)
}

/** Sends SIGTERM under load: acknowledged results must be stored, and the process must end soon. */
async function end(perSecond: number): Promise<void> {
  const arriving = arrive([questions(perSecond)])
  await sleep((seconds * 1000) / 2)
  const took = await timed(() => stopServer(server))
  report(`SIGTERM under it: ended after ${(took / 1000).toFixed(1)} s, wanted at most ${bars.endSeconds}`, took <= 1000 * bars.endSeconds)
  const { acknowledged } = tallyOf(await arriving, 'posts')
  const stored = await storedTimes()
  const lost = acknowledged.filter((n) => !stored.has(phase * million + n))
  report(`${acknowledged.length} posts were acknowledged, ${lost.length} of them lost, wanted none`, lost.length === 0)
}

async function storedTimes(): Promise<ReadonlySet<number>> {
  const store = await createEmbeddedStore({ directory: data, workers: 0 })
  const times = new Set<number>()
  for await (const page of store.scan({ account, checkId: 'posted' }, { from: 0, to: Date.now() }))
    for (const { startedAt } of page) times.add(startedAt)
  await store.close()
  return times
}

/** Sends `more`, posts, badges, pings and probes from a separate process. */
async function arrive(more: readonly Arrivals[]): Promise<readonly ArrivalsTally[]> {
  phase++
  const body = `[{"checkId":"posted","startedAt":${phase}{n},"runLocation":"eu-west-1","hasFailures":false,"attempts":1}]`
  const light: readonly Arrivals[] = [
    { name: 'posts', perSecond: 50, method: 'POST', path: '/v1/check-results', headers: jsonHeaders, body },
    { name: 'badges', perSecond: 50, method: 'GET', path: '/v1/badges/checks/posted', headers: [{}] },
    { name: 'pings', perSecond: 10, method: 'GET', path: `/ping/${pingToken}`, headers: [{}] },
    { name: 'health', perSecond: 20, method: 'GET', path: '/health/live', headers: [{}] },
  ]
  generator.send({ port: Number(new URL(url).port), seconds, arrivals: [...light, ...more] } satisfies ArrivalsOrder)
  const [tallies] = (await once(generator, 'message')) as [readonly ArrivalsTally[]]
  return tallies
}

function tallyOf(tallies: readonly ArrivalsTally[], name: string): ArrivalsTally {
  const found = tallies.find((tally) => tally.name === name)
  if (!found) throw new Error(`There were no ${name}.`)
  return found
}

function writeConfig(): string {
  const file = join(folder, 'tidemark.json')
  const named = [...questioned, 'posted'].map((id) => ({ ...exampleCheck(checkType), id, name: id }))
  const pinged = pingedTypes.map((type) => exampleCheck(type))
  const scopes = ['read', 'ingest']
  const hashes = keys.map((key, i) => ({ name: `asker ${i}`, hash: sha256(key), scopes }))
  const rateLimit = { requests: 1_000_000, per: '1s' }
  const accounts = [{ id: account, name: account, publicBadges: true, keys: hashes, checks: [...named, ...pinged] }]
  writeFileSync(file, JSON.stringify({ rateLimit, accounts }))
  return file
}

async function questionMs(): Promise<number> {
  const client = openClient(url, callers[0] ?? {})
  const times: number[] = []
  for (let i = 0; i < 30; i++) times.push(await timed(() => client.post('/v1/analytics/query', question)))
  client.close()
  return median(times.slice(10))
}
