import { type ChildProcess, fork, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DatabaseSync } from '@photostructure/sqlite'
import { newKey } from '../src/catalogue/keys.ts'
import { sha256 } from '../src/ids/sha256.ts'
import { createEmbeddedStore } from '../src/store/embedded/embedded-store.ts'
import { anyRunType, exampleCheck } from '../test/support/example-config.ts'
import { calm } from '../test/support/results.ts'
import { openClient } from './client.ts'
import { startPostgres } from './postgres.ts'
import type { Order, Tally } from './posts.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 8)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const clients = 64
const batch = 1000
const scrapesPerSecond = 10
const folder = fileURLToPath(new URL('./data/ingest', import.meta.url))
const account = 'bench'
const checkType = anyRunType()
const day = 86_400_000

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
chmodSync(folder, 0o755)
const { url, headers, server } = await startOurs()
const postgres = await startPostgres(join(folder, 'postgres'))
if (!postgres) console.log('PostgreSQL is not installed here (apt-get install postgresql): its column is left out.')
else
  console.log(
    `${postgres.version}, synchronous commit, asked over 127.0.0.1 by its own pgbench and psql; SQLite plain rows, synchronous=FULL; ${seconds} s each, best of ${rounds} in turn.`,
  )

const single = { ours: 0, postgres: 0, sqlite: 0 }
const many = { ours: 0, postgres: 0, sqlite: 0 }
let clock = Date.now() - 20 * day
for (let round = 0; round < rounds; round++) {
  single.postgres = Math.max(single.postgres, postgres?.singleRows(clients, seconds) ?? 0)
  single.sqlite = Math.max(single.sqlite, plainSqlite(1))
  single.ours = Math.max(single.ours, (await posts({ connections: clients, rows: 1 })).rowsPerSecond)
  many.postgres = Math.max(many.postgres, (await postgres?.copies(csvFiles(round), batch, 4)) ?? 0)
  many.sqlite = Math.max(many.sqlite, plainSqlite(batch))
  many.ours = Math.max(many.ours, (await posts({ connections: 4, rows: batch })).rowsPerSecond)
}
await postgres?.stop()

const alone = await queryMs()
const [besideMany] = await Promise.all([queryMs(), posts({ connections: 4, rows: batch, pace: many.ours / batch / 2 })])
const [besideSingle] = await Promise.all([queryMs(), posts({ connections: clients, rows: 1, pace: single.ours / 2 })])
const [besideScrapes] = await Promise.all([posts({ connections: clients, rows: 1 }), scrapes(scrapesPerSecond)])
server.kill('SIGTERM')
await once(server, 'exit')

const passed = [
  compare('single rows, 64 clients', single, 0.9),
  compare(`batches of ${batch}, 4 clients`, many, 1),
  compareLatency('at half of that rate of batches', alone, besideMany),
  compareLatency('at half of that rate of single rows', alone, besideSingle),
  compareScraped(single.ours, besideScrapes.rowsPerSecond),
]
process.exitCode = passed.every(Boolean) ? 0 : 1
process.exit()

function compare(what: string, { ours, postgres: theirs, sqlite }: typeof single, wanted: number): boolean {
  const ratio = ours / theirs
  const compared = theirs > 0 ? `PostgreSQL ${rate(theirs)}, ratio ${ratio.toFixed(2)}, wanted ${wanted}` : 'PostgreSQL not measured'
  console.log(`${what}: Tidemark over HTTP ${rate(ours)}; SQLite rows in process ${rate(sqlite)}; ${compared}`)
  return theirs === 0 || ratio >= wanted
}

function compareLatency(beside: string, before: number, after: number): boolean {
  const times = after / before
  console.log(
    `p99 of 30 days: ${before.toFixed(2)} ms alone, ${after.toFixed(2)} ms ${beside}, ${times.toFixed(2)} times, wanted less than 1.5`,
  )
  return times < 1.5
}

function compareScraped(before: number, after: number): boolean {
  const ratio = after / before
  console.log(
    `single rows beside ${scrapesPerSecond} scrapes a second: ${rate(after)}, ${ratio.toFixed(2)} of ${rate(before)} without, wanted 0.9`,
  )
  return ratio >= 0.9
}

function rate(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString('en')}/s`
}

async function posts(order: Pick<Order, 'connections' | 'rows'> & { pace?: number }): Promise<Tally> {
  const client = fork(new URL('./posts.ts', import.meta.url))
  const from = clock
  clock += day / 2
  client.send({ ...order, port: Number(new URL(url).port), headers, seconds, checkId: 'posted', from } satisfies Order)
  const [tally] = (await once(client, 'message')) as [Tally]
  client.kill()
  if (tally.refused > 0) throw new Error(`${tally.refused} posts were refused`)
  return tally
}

/** Asks for /metrics that often, until the posts beside it have ended. */
async function scrapes(perSecond: number): Promise<void> {
  const until = performance.now() + seconds * 1000
  for (let due = performance.now(); due < until; due += 1000 / perSecond) {
    await new Promise((resolve) => setTimeout(resolve, due - performance.now()))
    const answer = await fetch(`${url}/metrics`, { headers })
    await answer.text()
    if (!answer.ok) throw new Error(`A scrape was answered with ${answer.status}.`)
  }
}

/** The median time of a query over 30 days of 130,000 results. */
async function queryMs(): Promise<number> {
  const [metric] = Object.keys(checkType.metrics)
  const path = `/v1/analytics/${checkType.path}/queried?metrics=${metric}_p99&quickRange=last30Days`
  const client = openClient(url, headers)
  const until = performance.now() + seconds * 1000
  const times: number[] = []
  while (performance.now() < until) {
    const begun = performance.now()
    await client.get(path)
    times.push(performance.now() - begun)
  }
  client.close()
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
}

/** A server with one check to query, filled for 30 days, and one to post to. */
async function startOurs(): Promise<{ url: string; headers: Record<string, string>; server: ChildProcess }> {
  const { key } = newKey(randomBytes)
  const keys = [{ name: 'bench', hash: sha256(key), scopes: ['read', 'ingest', 'metrics'] }]
  const checks = ['queried', 'posted'].map((id) => ({ ...exampleCheck(checkType), id, name: id }))
  const config = join(folder, 'tidemark.json')
  writeFileSync(
    config,
    JSON.stringify({ rateLimit: { requests: 1_000_000, per: '1s' }, accounts: [{ id: account, name: account, keys, checks }] }),
  )
  await fill(join(folder, 'ours'))
  const args = [fileURLToPath(new URL('../dist/bin.cjs', import.meta.url)), 'serve', '--config', config, '--data', join(folder, 'ours')]
  const server = spawn(process.execPath, [...args, '--port', '0', '--no-runner'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(server.stdout, 'data')) as [Buffer]
  const url = /http:\S+/.exec(String(line))?.[0] ?? ''
  return { url, headers: { authorization: `Bearer ${key}`, 'x-service-account': account }, server }
}

async function fill(directory: string): Promise<void> {
  const store = await createEmbeddedStore({ directory, workers: 0 })
  const check = { account, checkId: 'queried' }
  const [first = '', second = ''] = Object.keys(checkType.metrics)
  for (let start = 0; start < 130_000; start += 10_000) {
    const results = Array.from({ length: 10_000 }, (_, i) => ({
      check,
      result: {
        ...calm,
        id: null,
        pages: [],
        startedAt: Math.floor(Date.now() - 30 * day + ((start + i) / 130_000) * 30 * day),
        runLocation: ['eu', 'us', 'ap'][i % 3] ?? '',
        values: { [first]: Math.round(Math.random() * 1e6) / 1000, [second]: Math.round(Math.random() * 1e5) / 1000 },
      },
    }))
    await store.append(results)
  }
  await store.seal()
  await store.close()
}

/** Rows per second into a plain table, `rows` per transaction, by one writer in this process. */
function plainSqlite(rows: number): number {
  const database = new DatabaseSync(join(folder, `plain-${rows}.db`))
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS results (checkId TEXT, startedAt INTEGER, location TEXT, id TEXT, hasFailures INTEGER, attempts INTEGER,
      status INTEGER, responseTime REAL, dns REAL, firstByte REAL, download REAL, PRIMARY KEY (checkId, startedAt, location, id)) WITHOUT ROWID`)
  const insert = database.prepare('INSERT OR IGNORE INTO results VALUES (?, ?, ?, ?, 0, 1, 200, 129.7, 18.3, 55.1, 12.4)')
  const until = performance.now() + seconds * 1000
  const begun = performance.now()
  let written = 0
  while (performance.now() < until) {
    database.exec('BEGIN')
    for (let i = 0; i < rows; i++) insert.run('check-1', clock + written++, 'eu-west-1', randomBytes(16).toString('hex'))
    database.exec('COMMIT')
  }
  const perSecond = written / ((performance.now() - begun) / 1000)
  database.close()
  return perSecond
}

function csvFiles(round: number): readonly string[] {
  return Array.from({ length: seconds * 50 }, (_, file) => {
    const name = join(folder, `rows-${file}.csv`)
    const line = (i: number) =>
      `check-1,${round * 1e9 + file * batch + i},us-east-1,${randomBytes(16).toString('hex')},f,1,200,129.7,18.3,55.1,12.4\n`
    writeFileSync(name, Array.from({ length: batch }, (_, i) => line(i)).join(''))
    return name
  })
}
