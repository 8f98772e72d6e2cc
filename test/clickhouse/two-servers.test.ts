// @slow clickhouse
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { configuredFolder } from '../support/command.ts'
import { anyRunType, exampleCheck, pingedTypes } from '../support/example-config.ts'
import { needing } from '../support/needs.ts'
import { newKey, type ServerProcess, serve } from '../support/server-process.ts'
import { serverMissing, sharedServer } from './engines/server.ts'

const type = anyRunType()
const [pingedType] = pingedTypes
if (!pingedType) throw new Error('no type waits for pings')
const patient = { timeout: 60_000, interval: 200 }
const start = Date.now() - 3_600_000
const rows = Array.from({ length: 50 }, (_, i) => ({
  checkId: type.path,
  startedAt: start + i * 1000,
  runLocation: ['eu', 'us'][i % 2],
  hasFailures: i % 10 === 0,
  [type.duration ?? '']: i / 8,
}))

type Config = { readonly accounts: readonly [{ readonly checks: readonly object[] }] }

/** Adds a check to the config file of a folder. */
function addCheck(folder: string, check: object): void {
  const file = join(folder, 'tidemark.yaml')
  const config = parse(readFileSync(file, 'utf8')) as Config
  const [account] = config.accounts
  writeFileSync(file, JSON.stringify({ ...config, accounts: [{ ...account, checks: [...account.checks, check] }] }))
}

function job(id: string, period: string, grace: string) {
  const token = randomUUID()
  return { token, check: { id, name: id, type: pingedType?.type, heartbeat: { period, grace, token } } }
}

describe('two servers that share a ClickHouse database', { ...needing(await serverMissing()), timeout: 300_000 }, () => {
  async function twoServers(folder: string): Promise<readonly [ServerProcess, ServerProcess]> {
    const env = { TIDEMARK_CLICKHOUSE_URL: `${await sharedServer()}/test_${randomUUID().replaceAll('-', '')}` }
    const options = { env, deadlines: true, key: await newKey(folder) }
    return [await serve(folder, options), await serve(folder, options)]
  }
  const statusOf = async ({ url, headers }: ServerProcess, path: string) => (await fetch(`${url}${path}`, { headers })).status
  const get = async ({ url, headers }: ServerProcess, path: string) => {
    const response = await fetch(`${url}${path}`, { headers })
    expect(response.status).toBe(200)
    return response.text()
  }
  const ping = async ({ url }: ServerProcess, token: string) => expect(await (await fetch(`${url}/ping/${token}`)).text()).toBe('OK')
  const pinged = async (server: ServerProcess, id: string) => {
    const lines = (await get(server, `/v1/check-results/${id}/export`)).split('\n').filter((line) => line !== '')
    return lines.map((line) => JSON.parse(line) as { readonly state: string; readonly startedAt: string })
  }
  const report = `/v1/analytics/${type.path}/${type.path}?metrics=${type.duration}_p95&groupBy=runLocation&from=${start}&to=${start + 3_600_000}`

  const folder = configuredFolder()
  const [hourly, witness, posted] = [job('hourly', '1h', '1m'), job('witness', '2s', '1s'), job('posted', '2s', '1s')]
  let servers: readonly [ServerProcess, ServerProcess]
  beforeAll(async () => {
    for (const { check } of [hourly, witness, posted]) addCheck(folder, check)
    servers = await twoServers(folder)
  }, 300_000)

  test('count results posted to both only once, return the same bytes, and agree on the state of a check', async () => {
    const answers = await Promise.all(servers.map((server) => server.post(rows)))
    expect(answers.map(({ rejected }) => rejected)).toEqual([[], []])
    expect(await servers[0].post(rows)).toMatchObject({ accepted: 0, duplicates: 50 })
    for (const path of [`/v1/check-results/${type.path}?limit=100`, report]) {
      const [first = '', second] = await Promise.all(servers.map((server) => get(server, path)))
      expect(second).toBe(first)
      if (path !== report) expect(JSON.parse(first)).toHaveLength(50)
    }
    const states = [`/v1/check-statuses/${type.path}`, `/v1/badges/checks/${type.path}.json`, `/v1/badges/checks/${type.path}`]
    for (const [reporter, hasFailures] of [true, false, true].entries()) {
      const [first, second] = reporter % 2 === 0 ? servers : servers.toReversed()
      await first?.post([{ ...rows[0], startedAt: Date.now(), hasFailures }])
      const told = (server: ServerProcess | undefined) => Promise.all(states.map((path) => server && get(server, path)))
      const state = async (server: ServerProcess | undefined) => JSON.parse((await told(server))[0] ?? '').state
      await expect.poll(() => state(first), patient).toBe(hasFailures ? 'failing' : 'passing')
      await expect.poll(async () => JSON.stringify(await told(second)) === JSON.stringify(await told(first)), patient).toBe(true)
    }
  })

  test('evaluate a ping relative to the one before it, whichever server received that', async () => {
    await get(servers[1], '/v1/check-statuses/hourly')
    for (const server of servers) await ping(server, hourly.token)
    expect((await pinged(servers[0], 'hourly')).map(({ state }) => state)).toEqual(['RECEIVED', 'EARLY'])
  })

  test('both reload a changed config file', async () => {
    addCheck(folder, { ...exampleCheck(type), id: 'added' })
    for (const server of servers) await expect.poll(() => statusOf(server, '/v1/checks/added'), patient).toBe(200)
    await servers[0].post([{ ...rows[0], checkId: 'added' }])
    const results = await Promise.all(servers.map((server) => get(server, '/v1/check-results/added')))
    expect(results[1]).toBe(results[0])
    expect(JSON.parse(results[0] ?? '')).toHaveLength(1)
  })

  test('store each missed ping once, also after results that were posted with an earlier start', async () => {
    await ping(servers[0], witness.token)
    const startedAt = Date.now() - 60_000
    for (const [i, server] of [...servers, ...servers].entries()) {
      await server.post([{ checkId: 'posted', startedAt: startedAt + 2000 * i, state: 'RECEIVED' }])
      const before = (await pinged(server, 'witness')).length
      await expect.poll(async () => (await pinged(server, 'witness')).length, patient).toBeGreaterThan(before + 1)
    }
    const isMissed = async () => (await pinged(servers[0], 'posted')).some(({ state }) => state === 'FAILING')
    await expect.poll(isMissed, patient).toBe(true)
    const results = (await pinged(servers[0], 'posted')).map(({ state, startedAt }) => ({ state, startedAt: Date.parse(startedAt) }))
    expect(results.filter(({ state }) => state === 'RECEIVED').map(({ startedAt }) => startedAt)).toEqual(
      [0, 1, 2, 3].map((i) => startedAt + 2000 * i),
    )
    const misses = results.filter(({ state }) => state === 'FAILING')
    expect(misses[0]?.startedAt).toBeGreaterThanOrEqual(startedAt + 60_000 + 3000)
    expect(misses.map(({ startedAt }) => startedAt - (misses[0]?.startedAt ?? 0))).toEqual(misses.map((_, i) => 2000 * i))
    const [first, ...missed] = await pinged(servers[0], 'witness')
    const firstDeadline = Date.parse(first?.startedAt ?? '') + 3000
    expect(first?.state).toBe('RECEIVED')
    expect(missed.map(({ state, startedAt }) => [state, Date.parse(startedAt) - firstDeadline])).toEqual(
      missed.map((_, i) => ['FAILING', 2000 * i]),
    )
  })

  test('each apply the rate limit of a key separately', async () => {
    const limited = await twoServers(configuredFolder({ rateLimit: { requests: 5, per: '1d' } }))
    for (const server of limited) {
      const statuses: number[] = []
      for (let i = 0; i < 7; i++) statuses.push(await statusOf(server, '/v1/checks'))
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429])
    }
  })
})
