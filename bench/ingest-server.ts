import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newKey } from '../src/catalogue/keys.ts'
import { sha256 } from '../src/ids/sha256.ts'
import { createEmbeddedStore, type EmbeddedStore } from '../src/store/embedded/embedded-store.ts'
import type { CheckRef } from '../src/store/store.ts'
import { anyRunType, exampleCheck } from '../test/support/example-config.ts'
import { calm } from '../test/support/results.ts'
import { openClient } from './client.ts'
import { timed } from './measure.ts'

const account = 'bench'
const day = 86_400_000
export const checkType = anyRunType()
export const agentLocation = 'eu'
/** Further checks, without posts or queries, for streams to follow. */
export const quietChecks = Array.from({ length: 49 }, (_, i) => `quiet-${i}`)

export type IngestServer = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly server: ChildProcess
  /** A key for agents of the checks' location. */
  readonly agentKey: string
}

/** A server with one check to query, filled for 30 days, one to post to, and the quiet ones. */
export async function startIngestServer(folder: string): Promise<IngestServer> {
  const { key } = newKey(randomBytes)
  const { key: agentKey } = newKey(randomBytes)
  const keys = [
    { name: 'bench', hash: sha256(key), scopes: ['read', 'ingest', 'metrics'] },
    { name: 'agents', hash: sha256(agentKey), scopes: [`agent:${agentLocation}`] },
  ]
  const checks = ['queried', 'posted', ...quietChecks].map((id) => ({
    ...exampleCheck(checkType),
    id,
    name: id,
    locations: [agentLocation],
  }))
  const rateLimit = { requests: 1_000_000, per: '1s' }
  const config = join(folder, 'tidemark.json')
  writeFileSync(
    config,
    JSON.stringify({ rateLimit, limits: { streamsPerKey: 500 }, accounts: [{ id: account, name: account, keys, checks }] }),
  )
  await fillChecks(join(folder, 'ours'), { account, checkIds: ['queried'] })
  const args = [fileURLToPath(new URL('../dist/bin.cjs', import.meta.url)), 'serve', '--config', config, '--data', join(folder, 'ours')]
  const server = spawn(process.execPath, [...args, '--port', '0', '--no-runner'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(server.stdout, 'data')) as [Buffer]
  const url = /http:\S+/.exec(String(line))?.[0] ?? ''
  return { url, headers: { authorization: `Bearer ${key}`, 'x-service-account': account }, server, agentKey }
}

/** Fills each of these checks with 130,000 sealed results of the last 30 days. */
export async function fillChecks(
  directory: string,
  filled: { readonly account: string; readonly checkIds: readonly string[] },
): Promise<void> {
  const store = await createEmbeddedStore({ directory, workers: 0 })
  for (const checkId of filled.checkIds) await fill(store, { account: filled.account, checkId })
  await store.seal()
  await store.close()
}

async function fill(store: EmbeddedStore, check: CheckRef): Promise<void> {
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
}

/** Repeats a query over 30 days of 130,000 results, and returns the times. */
export async function queryTimes(
  { url, headers }: Pick<IngestServer, 'url' | 'headers'>,
  goesOn: () => boolean,
): Promise<readonly number[]> {
  const [metric] = Object.keys(checkType.metrics)
  const path = `/v1/analytics/${checkType.path}/queried?metrics=${metric}_p99&quickRange=last30Days`
  const client = openClient(url, headers)
  const times: number[] = []
  while (goesOn()) times.push(await timed(() => client.get(path)))
  client.close()
  return times
}
