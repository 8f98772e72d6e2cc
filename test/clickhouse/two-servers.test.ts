// @slow
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { configuredFolder } from '../support/command.ts'
import { anyRunType } from '../support/example-config.ts'
import { needing } from '../support/needs.ts'
import { type ServerProcess, serve } from '../support/server-process.ts'
import { type Server, serverMissing, startServer } from './engines/server.ts'

const type = anyRunType()
const patient = { timeout: 60_000, interval: 200 }
const start = Date.now() - 3_600_000
const rows = Array.from({ length: 50 }, (_, i) => ({
  checkId: type.path,
  startedAt: start + i * 1000,
  runLocation: ['eu', 'us'][i % 2],
  hasFailures: i % 10 === 0,
  [type.duration ?? '']: i / 8,
}))

describe('two servers over one database of ClickHouse', { ...needing(await serverMissing()), timeout: 300_000 }, () => {
  let engine: Server
  beforeAll(async () => {
    engine = await startServer()
  }, 300_000)
  afterAll(() => engine?.stop())

  async function twoServers(): Promise<readonly [ServerProcess, ServerProcess]> {
    const folder = configuredFolder()
    const env = { TIDEMARK_CLICKHOUSE_URL: `${engine.url}/test_${randomUUID().replaceAll('-', '')}` }
    const first = await serve(folder, { env })
    return [first, await serve(folder, { env, key: first.key })]
  }
  const get = async ({ url, headers }: ServerProcess, path: string) => {
    const response = await fetch(`${url}${path}`, { headers })
    expect(response.status).toBe(200)
    return response.text()
  }
  const report = `/v1/analytics/${type.path}/${type.path}?metrics=${type.duration}_p95&groupBy=runLocation&from=${start}&to=${start + 3_600_000}`

  test('count once what both are sent at the same time, answer with the same bytes, and agree on the state of a check', async () => {
    const servers = await twoServers()
    const answers = await Promise.all(servers.map((server) => server.post(rows)))
    expect(answers.map(({ rejected }) => rejected)).toEqual([[], []])
    expect(await servers[0].post(rows)).toMatchObject({ accepted: 0, duplicates: 50 })
    for (const path of [`/v1/check-results/${type.path}?limit=100`, report]) {
      const [first = '', second] = await Promise.all(servers.map((server) => get(server, path)))
      expect(second).toBe(first)
      if (path !== report) expect(JSON.parse(first)).toHaveLength(50)
    }
    await servers[0].post([{ ...rows[0], startedAt: Date.now(), hasFailures: true }])
    const statuses = `/v1/check-statuses/${type.path}`
    const expected = await get(servers[0], statuses)
    await expect.poll(() => get(servers[1], statuses), patient).toBe(expected)
  })
})
