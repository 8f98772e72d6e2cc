import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DatabaseSync } from '@photostructure/sqlite'
import { queryTimes, quietChecks, startIngestServer } from './ingest-server.ts'
import { type Load, noLoad, scrapes, streams } from './load.ts'
import { atFraction, createScorecard, median, ms, rate } from './measure.ts'
import { postRate } from './post-rate.ts'
import { startPostgres } from './postgres.ts'
import type { Order } from './posts.ts'
import { stopServer } from './server.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 8)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const clients = 64
const batch = 1000
/** Minimum ratio to PostgreSQL's rate. */
const wanted = { single: 0.9, many: 1 }
/** Limit for the p99 of a query during single-row posts. A ratio to the idle query would mostly measure how fast the idle query is. */
const maxQueryMs = 8
const folder = fileURLToPath(new URL('./data/ingest', import.meta.url))
const day = 86_400_000

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
chmodSync(folder, 0o755)
const { url, headers, server } = await startIngestServer(folder)
const postgres = await startPostgres(join(folder, 'postgres'))
if (!postgres) console.log('PostgreSQL is not installed here (apt-get install postgresql): its column is left out.')
else
  console.log(
    `${postgres.version}, synchronous commit, asked over 127.0.0.1 by its own pgbench and psql; SQLite plain rows, synchronous=FULL; ${seconds} s each, best of ${rounds} in turn.`,
  )

const target = { url, headers }
const followers = 200
const loads: readonly Load[] = [
  noLoad,
  scrapes(target, 10),
  streams(
    target,
    '50 checks',
    Array.from({ length: followers }, (_, i) => ['posted', ...quietChecks][i % (quietChecks.length + 1)] ?? ''),
  ),
  streams(target, 'the check that is posted to', new Array(followers).fill('posted')),
]
const theirs = { single: { postgres: 0, sqlite: 0 }, many: { postgres: 0, sqlite: 0 } }
const ours = new Map(loads.map(({ name }) => [name, { single: 0, many: 0 }]))
let clock = Date.now() - 20 * day
for (let round = 0; round < rounds; round++) {
  theirs.single.postgres = Math.max(theirs.single.postgres, postgres?.singleRows(clients, seconds) ?? 0)
  theirs.single.sqlite = Math.max(theirs.single.sqlite, plainSqlite(1))
  theirs.many.postgres = Math.max(theirs.many.postgres, (await postgres?.copies(csvFiles(round), batch, 4)) ?? 0)
  theirs.many.sqlite = Math.max(theirs.many.sqlite, plainSqlite(batch))
  const first = round % loads.length
  for (const load of [...loads.slice(first), ...loads.slice(0, first)]) await measureBeside(load)
}
await postgres?.stop()

const best = ours.get(noLoad.name) ?? { single: 0, many: 0 }
const alone = await query()
const [underMany] = await Promise.all([query(), posts({ connections: 4, rows: batch, pace: best.many / batch / 2 })])
const [underSingle] = await Promise.all([query(), posts({ connections: clients, rows: 1, pace: best.single / 2 })])
await stopServer(server)

const { report, reportRatio, finish } = createScorecard()
console.log(`SQLite rows in process: single ${rate(theirs.single.sqlite)}, batches of ${batch} ${rate(theirs.many.sqlite)}`)
for (const [load, { single, many }] of ours) {
  compare(`single rows, ${clients} clients${load}`, { ours: single, theirs: theirs.single.postgres, wanted: wanted.single })
  compare(`batches of ${batch}, 4 clients${load}`, { ours: many, theirs: theirs.many.postgres, wanted: wanted.many })
}
compareLatency('at half of that rate of batches', median(alone), median(underMany))
const slowest = atFraction(underSingle, 0.99)
report(
  `p99 of 30 days at half of that rate of single rows: median ${ms(median(underSingle))}, p99 ${ms(slowest)}, wanted at most ${ms(maxQueryMs)}`,
  slowest <= maxQueryMs,
)
finish()
process.exit()

/** Posts single rows and batches while the server handles another load. */
async function measureBeside({ name, start }: Load): Promise<void> {
  const rates = ours.get(name) ?? { single: 0, many: 0 }
  const stop = await start()
  rates.single = Math.max(rates.single, await posts({ connections: clients, rows: 1 }))
  rates.many = Math.max(rates.many, await posts({ connections: 4, rows: batch }))
  await stop()
}

type Comparison = { readonly ours: number; readonly theirs: number; readonly wanted: number }

function compare(what: string, { ours, theirs, wanted }: Comparison): void {
  const measured = `${what}: Tidemark over HTTP ${rate(ours)}`
  if (theirs === 0) {
    report(`${measured}; PostgreSQL not measured`, true)
    return
  }
  const ratio = ours / theirs
  reportRatio(`${measured}; PostgreSQL ${rate(theirs)}, ratio ${ratio.toFixed(2)}, wanted ${wanted}`, {
    name: `${what}, rate of PostgreSQL`,
    ratio,
    bar: wanted,
    better: 'higher',
  })
}

function compareLatency(load: string, before: number, after: number): void {
  const times = after / before
  report(
    `p99 of 30 days: ${before.toFixed(2)} ms alone, ${after.toFixed(2)} ms ${load}, ${times.toFixed(2)} times, wanted less than 1.5`,
    times < 1.5,
  )
}

function posts(order: Pick<Order, 'connections' | 'rows'> & { pace?: number }): Promise<number> {
  const from = clock
  clock += day / 4
  return postRate(target, { ...order, seconds, checkId: 'posted', from })
}

function query(): Promise<readonly number[]> {
  const until = performance.now() + seconds * 1000
  return queryTimes(target, () => performance.now() < until)
}

/** Rows per second that one writer in this process inserts into a plain table, with `rows` per transaction. */
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
