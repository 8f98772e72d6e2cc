import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { databaseFile } from '../src/store/embedded/disk/database.ts'
import { inspect } from '../src/store/embedded/disk/inspect.ts'
import { createEmbeddedStore } from '../src/store/embedded/embedded-store.ts'
import { allFigures, checkQuestions, p95ByCheck } from './check-questions.ts'
import { openClient } from './client.ts'
import { median, ms, timed } from './measure.ts'
import { multiply } from './multiply.ts'
import { currentMemoryMb, peakMemoryMb, startServer, stopServer } from './server.ts'
import { account, checkId, configFile, days, end, fillCheck, folder, checks as maxSeeds, perCheck } from './world.ts'

/** Checks that are filled by appending; all others are copies of them. */
const seeds = Math.min(10, maxSeeds)
const seedFolder = join(folder, `scale-seeds-${seeds}-${end}`)
/** Checks that are asked about: first each once, then again. */
const asked = 20
const checksPerCall = 100
const starts = 3
const million = 1_000_000
/** Every result of a folder up to this size is read and verified; of a larger one, the figures of a copy are compared with the original's. */
const maxVerified = 11 * million

type World = { readonly results: number; readonly periods: number }
const worlds: readonly World[] = [
  ...(process.env.BENCH_MILLIONS ?? '10,100,500').split(',').map((count) => ({ results: Number(count) * million, periods: 1 })),
  { results: Number(process.env.BENCH_YEAR_MILLIONS ?? 100) * million, periods: 12 },
]

console.log(`${availableParallelism()} processors, ${loadavg()[0]?.toFixed(1)} busy in the last minute`)
mkdirSync(folder, { recursive: true })
await keepSeeds()
console.log(`disk of a result with the id of a scheduled run: ${(await bytesWithIds()).toFixed(1)} bytes`)
for (const world of worlds.filter(({ results }) => results > 0)) await measure(world)

/** Fills the seeds, unless an earlier run of the same day did. */
async function keepSeeds(): Promise<void> {
  const complete = join(seedFolder, 'complete')
  if (existsSync(complete)) return
  await fillSeeds(seedFolder, false)
  writeFileSync(complete, '')
}

async function fillSeeds(directory: string, withIds: boolean): Promise<void> {
  rmSync(directory, { recursive: true, force: true })
  const store = await createEmbeddedStore({ directory, workers: 0 })
  for (let check = 0; check < (withIds ? 1 : seeds); check++) {
    await fillCheck(store, check, { withIds })
    await store.seal()
  }
  await store.close()
}

async function bytesWithIds(): Promise<number> {
  const directory = join(folder, 'scale-ids')
  await fillSeeds(directory, true)
  const bytes = statSync(databaseFile(directory)).size
  rmSync(directory, { recursive: true })
  return bytes / perCheck
}

async function measure({ results, periods }: World): Promise<void> {
  const count = Math.round(results / perCheck / periods)
  const directory = join(folder, 'scale')
  rmSync(directory, { recursive: true, force: true })
  cpSync(seedFolder, directory, { recursive: true })
  const checks = Array.from({ length: count }, (_, check) => ({ account, checkId: checkId(check) }))
  const built = await timed(async () => multiply(directory, { checks, seeds, periods, periodDays: days }))
  const stored = count * perCheck * periods
  const bytes = statSync(databaseFile(directory)).size
  console.log(
    `\n${stored.toLocaleString('en')} results: ${count.toLocaleString('en')} checks over ${periods * days} days, copied in ${(built / 1000).toFixed(0)} s`,
  )
  console.log(`  ${loadavg()[0]?.toFixed(1)} processors busy in the last minute`)
  console.log(`  disk: ${(bytes / 1e9).toFixed(2)} GB, ${(bytes / stored).toFixed(1)} bytes a result`)
  if (stored <= maxVerified) verifyFolder(directory, stored)
  await measureServer(directory, count)
  rmSync(directory, { recursive: true })
}

/** Reads everything, as `tidemark doctor` does. */
function verifyFolder(directory: string, expected: number): void {
  const { holdings, problems } = inspect(directory)
  const found = holdings.reduce((sum, { sealed }) => sum + sealed, 0)
  if (problems.length > 0 || found !== expected) throw new Error(`The folder is not as a server writes it: ${found} results, ${problems}`)
  console.log('  every result was read and verified')
}

async function measureServer(directory: string, count: number): Promise<void> {
  const { file, key } = configFile(count)
  const headers = { authorization: `Bearer ${key}`, 'x-service-account': account }
  await stopServer((await startServer(file, directory)).server) // Records the checks, which is done once.
  for (let start = 0; start < starts; start++) {
    const isCold = start === 0
    if (isCold) dropFromPageCache(databaseFile(directory))
    const begun = performance.now()
    const { server, url } = await startServer(file, directory)
    const listeningMs = performance.now() - begun
    while (!(await fetch(`${url}/health/ready`)).ok) await new Promise((resolve) => setTimeout(resolve, 10))
    const readyMs = performance.now() - begun
    console.log(
      `  start ${isCold ? 'from a cold disk' : 'again'}: URL after ${ms(listeningMs)}, ready after ${ms(readyMs)}, ${currentMemoryMb(server).toFixed(0)} MB`,
    )
    if (isCold) {
      await askAll({ url, headers }, count)
      console.log(`  memory at its peak: ${peakMemoryMb(server).toFixed(0)} MB`)
    }
    await stopServer(server)
  }
}

/** The kernel forgets the file, so that it is read from the disk. */
function dropFromPageCache(file: string): void {
  spawnSync('sync', [file])
  spawnSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none'])
}

type Client = ReturnType<typeof openClient>
type Target = { readonly url: string; readonly headers: Readonly<Record<string, string>> }

async function askAll({ url, headers }: Target, count: number): Promise<void> {
  const client = openClient(url, headers)
  const check = (round: number) => Math.floor(((round % asked) * count) / asked)
  for (const name of ['p99 of 30 days', '4 metrics × 10 aggregations', 'raw, page 1', 'raw, page 500']) {
    const path = checkQuestions.find((question) => question.name === name)?.path as (check: number) => string
    await ask(name, asked, (round) => client.get(path(check(round))))
  }
  const calls = Math.max(1, Math.min(asked, Math.floor(count / checksPerCall)))
  const idsOf = (round: number) =>
    Array.from({ length: Math.min(checksPerCall, count) }, (_, i) => checkId((round % calls) * checksPerCall + i))
  await ask(`p95 of ${idsOf(0).length} checks, by check`, calls, (round) => client.post('/v1/analytics/query', p95ByCheck(idsOf(round))))
  await ask('statuses, 100 checks', 1, () => client.get('/v1/check-statuses?limit=100'))
  await scrape({ url, headers })
  await compareCopy(client, count)
  client.close()
}

async function ask(name: string, distinct: number, question: (round: number) => Promise<unknown>): Promise<void> {
  const cold: number[] = []
  for (let round = 0; round < distinct; round++) cold.push(await timed(() => question(round)))
  const warm: number[] = []
  for (let round = 0; round < Math.max(distinct, 10); round++) warm.push(await timed(() => question(round)))
  const [first = 0, ...others] = cold
  console.log(`  ${name.padEnd(30)} first ${ms(first)}, then ${others.length > 0 ? ms(median(others)) : '–'}, again ${ms(median(warm))}`)
}

/** The first scrape after a start waits for the counting of all results for 5 s; the counting goes on. */
async function scrape({ url, headers }: Target): Promise<void> {
  const begun = performance.now()
  const metrics = async () => (await fetch(`${url}/metrics`, { headers })).text()
  let isCounted = (await metrics()).includes('tidemark_check_uncounted{') === false
  const firstMs = performance.now() - begun
  while (!isCounted) isCounted = (await metrics()).includes('tidemark_check_uncounted{') === false
  const allMs = performance.now() - begun
  console.log(`  /metrics: first after ${ms(firstMs)}, all counters after ${ms(allMs)}, again ${ms(await timed(metrics))}`)
}

/** A copy answers as its original does. */
async function compareCopy(client: Client, count: number): Promise<void> {
  const copy = count - 1
  const textOf = async (check: number) =>
    String(await client.get(allFigures(check)))
      .replace(/^.*\r\n\r\n/s, '')
      .replaceAll(checkId(check), '')
  const [copied, original] = [await textOf(copy), await textOf(copy % seeds)]
  if (copied !== original) throw new Error(`A copy answers otherwise than its original:\n${copied}\n${original}`)
}
