import { spawnSync } from 'node:child_process'
import { databaseFile } from '../src/store/embedded/disk/database.ts'
import { allFigures, checkQuestions, p95ByCheck } from './check-questions.ts'
import { openClient } from './client.ts'
import { median, ms, timed } from './measure.ts'
import { currentMemoryMb, peakMemoryMb, startServer, stopServer } from './server.ts'
import { account, checkId, configFile } from './world.ts'

/** Number of checks to query: each once, then again. */
const asked = 20
const checksPerCall = 100
const starts = 3

/** A data folder with `count` checks, copied from the first `seeds` of them. */
type Filled = { readonly directory: string; readonly count: number; readonly seeds: number }

/** Measures start and queries of a server over a data folder, first with a cold page cache. */
export async function measureServer({ directory, count, seeds }: Filled): Promise<void> {
  const { file, key } = configFile({ name: 'scale', count })
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
      await askAll({ url, headers }, { count, seeds })
      console.log(`  memory at its peak: ${peakMemoryMb(server).toFixed(0)} MB`)
    }
    await stopServer(server)
  }
}

/** Evicts the file from the page cache, so that it is read from the disk. */
function dropFromPageCache(file: string): void {
  spawnSync('sync', [file])
  spawnSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none'])
}

type Client = ReturnType<typeof openClient>
type Target = { readonly url: string; readonly headers: Readonly<Record<string, string>> }

async function askAll({ url, headers }: Target, { count, seeds }: Omit<Filled, 'directory'>): Promise<void> {
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
  await ask(`statuses of all ${count.toLocaleString('en')} checks`, 1, () => client.get('/v1/check-statuses'))
  await compareCopy(client, count - 1, (count - 1) % seeds)
  client.close()
  await scrape({ url, headers })
}

async function ask(name: string, distinct: number, question: (round: number) => Promise<unknown>): Promise<void> {
  const cold: number[] = []
  for (let round = 0; round < distinct; round++) cold.push(await timed(() => question(round)))
  const warm: number[] = []
  for (let round = 0; round < Math.max(distinct, 10); round++) warm.push(await timed(() => question(round)))
  const [first = 0, ...others] = cold
  console.log(`  ${name.padEnd(30)} first ${ms(first)}, then ${others.length > 0 ? ms(median(others)) : '–'}, again ${ms(median(warm))}`)
}

/** The first scrape after a start waits some seconds for the count of all results, which continues in the background. */
async function scrape({ url, headers }: Target): Promise<void> {
  const metrics = async () => (await fetch(`${url}/metrics`, { headers })).text()
  const begun = performance.now()
  let text = await metrics()
  const firstMs = performance.now() - begun
  while (text.includes('tidemark_check_uncounted{')) text = await metrics()
  const allMs = performance.now() - begun
  console.log(`  /metrics: first after ${ms(firstMs)}, all counters after ${ms(allMs)}, again ${ms(await timed(metrics))}`)
}

/** A copy must return the same response as its original. */
async function compareCopy(client: Client, copy: number, original: number): Promise<void> {
  const textOf = async (check: number) =>
    String(await client.get(allFigures(check)))
      .replace(/^.*\r\n\r\n/s, '')
      .replaceAll(checkId(check), '')
  const [copied, expected] = [await textOf(copy), await textOf(original)]
  if (copied !== expected) throw new Error(`A copy answers otherwise than its original:\n${copied}\n${expected}`)
}
