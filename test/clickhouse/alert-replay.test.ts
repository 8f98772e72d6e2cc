// @slow clickhouse
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { anyRunType, exampleCheck } from '../support/example-config.ts'
import { needing } from '../support/needs.ts'
import { newKey, type ServerProcess, serve } from '../support/server-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { serverMissing, sharedServer } from './engines/server.ts'

const minute = 60_000
const start = Math.floor(Date.now() / minute) * minute - 180 * minute

/** Three hours of two checks; one of them fails for a quarter of an hour. */
const rows = ['shop', 'bank'].flatMap((checkId) =>
  Array.from({ length: 180 }, (_, i) => {
    const hasFailures = checkId === 'shop' && i >= 100 && i < 115
    return {
      checkId,
      startedAt: start + i * minute + 5000,
      runLocation: 'eu',
      hasFailures,
      error: hasFailures ? 'status 503, expected 200' : null,
    }
  }),
)
const checks = ['shop', 'bank'].map((id) => ({ ...exampleCheck(anyRunType()), id, name: id, frequency: '1m', locations: ['eu'] }))
const pairs = [{ factor: 5, long: '1h', short: '10m' }]
const account = {
  id: 'acme',
  checks,
  slos: [{ id: 'all', objective: { kind: 'availability', by: 'time', target: 99 }, window: '30d' }],
  channels: [{ id: 'hook', type: 'webhook', url: 'http://127.0.0.1:9/' }],
  alerts: [
    { id: 'down', to: ['hook'], after: { runs: 3 } },
    { id: 'burn', when: { sloBurn: { pairs } }, to: ['hook'] },
  ],
}

type Replay = {
  readonly count: number
  readonly messages: readonly { readonly at: string; readonly rule: string; readonly event: string }[]
}

describe('a replay of alerts', { ...needing(await serverMissing()), timeout: 300_000 }, () => {
  async function replayed(env: Readonly<Record<string, string>>): Promise<Replay> {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'tidemark.yaml'), JSON.stringify({ accounts: [account] }))
    const server: ServerProcess = await serve(folder, { env, key: await newKey(folder) })
    await server.post(rows)
    const query = `from=${new Date(start).toISOString()}&to=${new Date(start + 180 * minute).toISOString()}`
    const answer = await fetch(`${server.url}/v1/alerts/replay?${query}`, { headers: server.headers })
    expect(answer.status).toBe(200)
    const replay = (await answer.json()) as Replay
    await server.stop()
    return replay
  }

  test('over ClickHouse lists the same messages as over a data folder', async () => {
    const shared = await replayed({ TIDEMARK_CLICKHOUSE_URL: `${await sharedServer()}/test_${randomUUID().replaceAll('-', '')}` })
    const events = shared.messages.map(({ rule, event }) => `${rule} ${event}`)
    expect(events).toEqual(['down open', 'burn open', 'down close', 'burn close'])
    expect(shared.messages).toEqual((await replayed({})).messages)
  })
})
