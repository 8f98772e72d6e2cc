// @slow
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { kumaDatabase } from '../support/kuma-database.ts'
import { type Ended, runProgram } from '../support/program.ts'
import { type ServerProcess, serve } from '../support/server-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const start = Date.UTC(2026, 9, 1)
const minute = 60_000
const [down, up, pending] = [0, 1, 2]
const beats = Array.from({ length: 5000 }, (_, index) => {
  const status = index % 97 === 0 ? down : index % 89 === 0 ? pending : up
  const time = new Date(start + index * minute).toISOString().replace('T', ' ').replace('Z', '')
  return {
    monitor_id: 1,
    status,
    msg: status === up ? '200 - OK' : 'timeout',
    time,
    ping: status === up ? 20 + ((index * 7919) % 500) : null,
  }
})
const pushes = Array.from({ length: 100 }, (_, index) => ({
  monitor_id: 2,
  status: up,
  msg: 'OK',
  time: new Date(start + index * 5 * minute).toISOString(),
  ping: index,
}))
const monitor = [
  {
    id: 1,
    name: 'Shop',
    interval: 60,
    type: 'http',
    url: 'https://shop.example.com',
    auth_method: 'basic',
    basic_auth_user: 'ann',
    basic_auth_pass: "it's a $ecret",
  },
  { id: 2, name: 'Backup', interval: 300, type: 'push', push_token: 'abcDEF1234' },
]

describe('a database of Uptime Kuma, converted, validated, imported and served', () => {
  let folder = ''
  let server: ServerProcess
  let imported: Ended
  const env: Record<string, string> = {}

  beforeAll(async () => {
    folder = join(temporaryFolder(), 'moved')
    const file = kumaDatabase({ monitor, heartbeat: [...beats, ...pushes] })
    const ended = await runProgram(['convert', 'kuma', file, '--out', folder, '--account', 'acme'])
    expect(ended).toMatchObject({ status: 0, stdout: expect.stringContaining('2 checks and') })
    Object.assign(env, { SHOP_PASSWORD: "it's a $ecret" })
    const places = ['--config', join(folder, 'tidemark.yaml')]
    expect(await runProgram(['validate', ...places], { env })).toMatchObject({ status: 0 })
    imported = await runProgram(['import', join(folder, 'results.ndjson.gz'), ...places, '--data', join(folder, 'data')], { env })
    server = await serve(folder, { env })
  })

  const get = async (path: string): Promise<unknown> => (await fetch(`${server.url}${path}`, { headers: server.headers })).json()
  const ask = async (id: string, metrics: string) => {
    const { checkType } = (await get(`/v1/checks/${id}`)) as { checkType: string }
    const path = checkTypes.find(({ type }) => type === checkType)?.path
    const window = `from=${start / 1000}&to=${(start + 5000 * minute) / 1000}`
    const { series } = (await get(`/v1/analytics/${path}/${id}?metrics=${metrics}&${window}`)) as {
      series: readonly { data: readonly Record<string, number>[] }[]
    }
    return series[0]?.data[0]
  }

  test('import accepts every result', () => {
    const runs = beats.filter(({ status }) => status !== pending).length + pushes.length
    expect(imported).toMatchObject({ status: 0, stdout: expect.stringContaining(`${runs} accepted, 0 duplicates, 0 rejected`) })
  })

  test('figures match the heartbeats', async () => {
    const runs = beats.filter(({ status }) => status !== pending)
    const pings = runs.flatMap(({ ping }) => ping ?? [])
    const failed = runs.filter(({ status }) => status === down).length
    const found = await ask('shop', 'responseTime_p95,responseTime_avg,availability')
    expect(found?.responseTime_p95).toBeCloseTo(naivePercentile(pings, 0.95), 6)
    expect(found?.responseTime_avg).toBeCloseTo(pings.reduce((sum, ping) => sum + ping, 0) / pings.length, 6)
    expect(found?.availability).toBeCloseTo((100 * (runs.length - failed)) / runs.length, 6)
  })

  test('jobs can use their existing URLs', async () => {
    const response = await fetch(`${server.url}/api/push/abcDEF1234?status=up&msg=OK&ping=12`)
    expect([response.status, await response.text()]).toEqual([200, '{"ok":true}'])
  })

  test('the env file can be read by a shell, and only by its owner', () => {
    expect(readFileSync(join(folder, 'tidemark.env'), 'utf8')).toBe('SHOP_PASSWORD="it\'s a \\$ecret"\n')
    expect(statSync(join(folder, 'tidemark.env')).mode & 0o777).toBe(0o600)
  })
})

function naivePercentile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const rank = fraction * (sorted.length - 1)
  const [low = 0, high = 0] = [sorted[Math.floor(rank)], sorted[Math.ceil(rank)]]
  return low + (high - low) * (rank - Math.floor(rank))
}

describe('output files', () => {
  const convert = (file: string, folder: string, ...more: readonly string[]) =>
    runProgram(['convert', 'kuma', file, '--out', folder, ...more])

  test('are overwritten only with --overwrite', async () => {
    const folder = temporaryFolder()
    const file = kumaDatabase({ monitor })
    writeFileSync(join(folder, 'tidemark.yaml'), 'mine')
    expect(await convert(file, folder)).toMatchObject({ status: 1, stderr: expect.stringContaining('tidemark.yaml exists already') })
    expect(readFileSync(join(folder, 'tidemark.yaml'), 'utf8')).toBe('mine')
    expect(await convert(file, folder, '--overwrite')).toMatchObject({ status: 0 })
    expect(readFileSync(join(folder, 'tidemark.yaml'), 'utf8')).toContain('name: Shop')
  })

  test('are not created if the input cannot be read', async () => {
    const folder = join(temporaryFolder(), 'out')
    expect(await convert('/nowhere', folder)).toMatchObject({ status: 1 })
    expect(existsSync(folder)).toBe(false)
  })
})
