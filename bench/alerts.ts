import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { newKey } from '../src/catalogue/keys.ts'
import { sha256 } from '../src/ids/sha256.ts'
import { exampleCheck } from '../test/support/example-config.ts'
import { checkType, fillChecks, queryTimes } from './ingest-server.ts'
import { atFraction, createScorecard, median, ms } from './measure.ts'
import { processorSeconds, startServer, stopServer } from './server.ts'

const account = 'bench'
const checks = Number(process.env.BENCH_CHECKS ?? 10_000)
const minutes = Number(process.env.BENCH_MINUTES ?? 3)
/** The cases to run, separated by commas. */
const cases = (process.env.BENCH_ONLY ?? 'deciding,firstByte,digests,storm').split(',')
const locations = ['eu', 'us', 'ap']
/** Each check has its own location and few checks share a rule, so that no alert waits to be grouped. */
const lone = Array.from({ length: 200 }, (_, i) => `lone-${i}`)
const many = Array.from({ length: checks }, (_, i) => `check-${i}`)
const bars = { deciding: 0.03, firstByteMs: 250, messages: 50, question: 1.5 }
/** Longer than the grouping delay of failures, and than a digest takes. */
const settleMs = Number(process.env.BENCH_SETTLE_SECONDS ?? 90) * 1000

const folder = fileURLToPath(new URL('./data/alerts', import.meta.url))
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const { key } = newKey(randomBytes)
const headers = { authorization: `Bearer ${key}`, 'x-service-account': account }
const received: { readonly at: number; readonly checks: readonly string[] }[] = []
const hook = createServer(async (request, response) => {
  const at = performance.now()
  let body = ''
  for await (const piece of request.setEncoding('utf8')) body += piece
  const { data } = JSON.parse(body) as {
    readonly data: { readonly subjects: readonly { readonly check: { readonly id: string } | null }[] }
  }
  received.push({ at, checks: data.subjects.flatMap(({ check }) => check?.id ?? []) })
  response.end()
}).listen(0, '127.0.0.1')
await once(hook, 'listening')
const config = configFile(`http://127.0.0.1:${(hook.address() as AddressInfo).port}/`)
const { report, finish } = createScorecard()
const filled = join(folder, 'filled')
await fillChecks(filled, { account, checkIds: ['queried'] })

if (cases.includes('deciding')) await deciding()
const { server, url } = await start(true)
await postAll(url, many, () => false)
if (cases.includes('firstByte')) await firstByte()
const half = checks / 2
if (cases.includes('digests')) await storm(`${half - half / 100} of ${checks} checks that fail at once`, half - half / 100)
if (cases.includes('storm')) await storm(`${half} of ${checks} checks that fail at once`, half)
await stopServer(server)
hook.close()
rmSync(folder, { recursive: true })
finish()
process.exit()

async function deciding(): Promise<void> {
  const [without, within] = [await secondsToTake(false), await secondsToTake(true)]
  const share = (within - without) / (60 * minutes)
  report(
    `${checks} checks × ${locations.length} locations each minute: ${(100 * share).toFixed(2)} % of a core for deciding (processor time of ${minutes} minutes of results: ${within.toFixed(2)} s with alerts, ${without.toFixed(2)} s without), bar ${100 * bars.deciding} %`,
    share <= bars.deciding,
  )
}

async function firstByte(): Promise<void> {
  const times = await firstByteTimes()
  const p99 = atFraction(times, 0.99)
  report(
    `from an acknowledged result to the first byte at a webhook, ${lone.length} times: median ${ms(median(times))}, p99 ${ms(p99)}, bar ${ms(bars.firstByteMs)}`,
    p99 <= bars.firstByteMs,
  )
}

function configFile(webhook: string): string {
  const check = (id: string, tag: string, at: readonly string[]) => ({
    ...exampleCheck(checkType),
    id,
    name: id,
    frequency: '1m',
    runParallel: true,
    tags: [tag],
    locations: at,
  })
  const tags = Array.from({ length: lone.length / 10 }, (_, i) => `lone-${i}`)
  const content = {
    rateLimit: { requests: 1_000_000, per: '1s' },
    accounts: [
      {
        id: account,
        name: account,
        keys: [{ name: 'bench', hash: sha256(key), scopes: ['read', 'ingest'] }],
        checks: [
          check('queried', 'queried', ['eu']),
          ...many.map((id) => check(id, 'many', locations)),
          ...lone.map((id, i) => check(id, `lone-${i % tags.length}`, [id])),
        ],
        channels: [{ id: 'hook', type: 'webhook', url: webhook }],
        alerts: ['many', ...tags].map((tag) => ({ id: tag, tags: [tag], to: ['hook'] })),
      },
    ],
  }
  const file = join(folder, 'tidemark.json')
  writeFileSync(file, JSON.stringify(content))
  return file
}

async function start(alerts: boolean) {
  const data = join(folder, 'data')
  rmSync(data, { recursive: true, force: true })
  cpSync(filled, data, { recursive: true })
  return startServer(config, data, { alerts })
}

/** Processor time of a server that ingests some minutes of passing results. */
async function secondsToTake(alerts: boolean): Promise<number> {
  const { server, url } = await start(alerts)
  await postAll(url, many, () => false)
  const before = processorSeconds(server)
  for (let minute = 0; minute < minutes; minute++) await postAll(url, many, () => false)
  await sleep(1000)
  const seconds = processorSeconds(server) - before
  await stopServer(server)
  return seconds
}

async function firstByteTimes(): Promise<readonly number[]> {
  const times: number[] = []
  for (const id of lone) {
    await post(url, [row(id, id, true)])
    const acknowledgedAt = performance.now()
    let found = received.find((message) => message.checks.includes(id))
    while (!found) {
      await sleep(1)
      found = received.find((message) => message.checks.includes(id))
    }
    times.push(Math.max(0, found.at - acknowledgedAt))
    // The channel accepts 300 messages a minute.
    await sleep(220)
  }
  return times
}

/** Lets checks fail and recover, and measures the number of messages and how long a query takes during the storm. */
async function storm(name: string, count: number): Promise<void> {
  const failing = new Set(many.slice(0, count))
  await postAll(url, many, () => false)
  await questionTimes(10_000)
  const alone = await questionTimes(5000)
  const before = received.length
  const during = questionTimes(settleMs)
  await postAll(url, many, (id) => failing.has(id))
  await sleep(settleMs / 2)
  await postAll(url, many, (id) => failing.has(id))
  const times = await during
  const failures = received.length - before
  await postAll(url, many, () => false)
  await untilOver()
  const messages = received.length - before
  const ratio = median(times) / median(alone)
  report(
    `${name}: ${failures} messages, ${messages} with recoveries, bar ${bars.messages}; a question over 30 days during them ${ms(median(times))}, alone ${ms(median(alone))}: ${ratio.toFixed(2)} times, bar ${bars.question}`,
    failures > 0 && messages > failures && messages <= bars.messages && ratio <= bars.question,
  )
}

type Alert = {
  readonly rule: string
  readonly closedAt: string | null
  readonly channels: readonly { readonly open: number }[]
  readonly messages: readonly { readonly state: string }[]
}

/** Waits until channels have been notified of all recoveries. */
async function untilOver(): Promise<void> {
  const end = performance.now() + 2 * settleMs
  const isOver = ({ closedAt, channels, messages }: Alert) =>
    closedAt !== null && channels.every(({ open }) => open === 0) && messages.every(({ state }) => state !== 'waiting')
  for (let over = false; !over && performance.now() < end; await sleep(1000)) {
    const { alerts } = (await (await fetch(`${url}/v1/alerts?limit=100`, { headers })).json()) as { readonly alerts: readonly Alert[] }
    over = alerts.filter(({ rule }) => rule === 'many').every(isOver)
  }
}

function questionTimes(forMs: number): Promise<readonly number[]> {
  const end = performance.now() + forMs
  return queryTimes({ url, headers }, () => performance.now() < end)
}

async function postAll(to: string, ids: readonly string[], fails: (id: string) => boolean): Promise<void> {
  const rows = ids.flatMap((id) => locations.map((location) => row(id, location, fails(id))))
  for (let start = 0; start < rows.length; start += 3000) await post(to, rows.slice(start, start + 3000))
}

function row(checkId: string, runLocation: string, hasFailures: boolean) {
  return { checkId, startedAt: Date.now(), runLocation, hasFailures, error: hasFailures ? 'status 503, expected 200' : null }
}

async function post(to: string, rows: readonly object[]): Promise<void> {
  const body = rows.map((each) => `${JSON.stringify(each)}\n`).join('')
  const request = { method: 'POST', headers: { ...headers, 'content-type': 'application/x-ndjson' }, body }
  const response = await fetch(`${to}/v1/check-results`, request)
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  await response.arrayBuffer()
}
