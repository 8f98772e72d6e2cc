import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newKey } from '../src/catalogue/keys.ts'
import { sha256 } from '../src/ids/sha256.ts'
import { createEmbeddedStore } from '../src/store/embedded/embedded-store.ts'
import { anyRunType, exampleCheck } from '../test/support/example-config.ts'
import { calm } from '../test/support/results.ts'
import { openClient } from './client.ts'
import { median, timed } from './measure.ts'
import { startServer } from './server.ts'

const account = 'bench'
const checkType = anyRunType()
const metrics = Object.keys(checkType.metrics).slice(0, 4)
const dayMs = 86_400_000
const yesterday = (Math.floor(Date.now() / dayMs) - 1) * dayMs
const pages = 50

/** For each count, one check with results spread over a day, and one with all results at a single instant. */
const counts = { small: 1_000, large: 100_000 } as const
const spreads = { day: dayMs, instant: 1 } as const

/** Median times, in milliseconds, to read a page of 100 whole results by cursor, for each count and spread. */
export async function pagesOfOneInstant(): Promise<Readonly<Record<string, number>>> {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-bench-'))
  const { key } = newKey(randomBytes)
  const file = join(folder, 'tidemark.json')
  const names = Object.keys(counts).flatMap((count) => Object.keys(spreads).map((spread) => `${count}-${spread}`))
  const checks = names.map((name) => ({ ...exampleCheck(checkType), id: name, name }))
  writeFileSync(
    file,
    JSON.stringify({ accounts: [{ id: account, keys: [{ name: 'bench', hash: sha256(key), scopes: ['read'] }], checks }] }),
  )
  await fill(join(folder, 'data'))
  const { server, url } = await startServer(file, join(folder, 'data'))
  const client = openClient(url, { authorization: `Bearer ${key}`, 'x-service-account': account })
  const took: Record<string, number> = {}
  for (const name of names) took[name] = median(await pageTimes(client, name))
  client.close()
  server.kill('SIGTERM')
  await once(server, 'exit')
  rmSync(folder, { recursive: true })
  return took
}

async function fill(directory: string): Promise<void> {
  const store = await createEmbeddedStore({ directory, workers: 0 })
  for (const [count, results] of Object.entries(counts)) {
    for (const [spread, widthMs] of Object.entries(spreads)) {
      const check = { account, checkId: `${count}-${spread}` }
      for (let first = 0; first < results; first += 10_000) {
        const rows = Array.from({ length: Math.min(10_000, results) }, (_, i) => first + i)
        await store.append(rows.map((i) => ({ check, result: resultAt(i, yesterday + Math.floor((i / results) * widthMs)) })))
      }
    }
  }
  await store.seal()
  await store.close()
}

function resultAt(i: number, startedAt: number) {
  const values = Object.fromEntries(metrics.map((name, k) => [name, ((i * 7919 + k) % 90_007) / 1000]))
  return { ...calm, id: randomUUID(), startedAt, runLocation: `location-${i % 5}`, values, pages: [] }
}

async function pageTimes(client: ReturnType<typeof openClient>, checkId: string): Promise<number[]> {
  const took: number[] = []
  let nextId: string | null = ''
  for (let page = 0; page < pages; page++) {
    const path: string = `/v2/check-results/${checkId}?limit=100${nextId ? `&nextId=${encodeURIComponent(nextId)}` : ''}`
    let answer = ''
    took.push(
      await timed(async () => {
        answer = String(await client.get(path))
      }),
    )
    nextId = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)).nextId
  }
  return took
}
