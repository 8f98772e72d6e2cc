import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestAlerts } from '../support/alert-loop.ts'
import { alertRule } from '../support/alert-world.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, testCatalogue, testCheck, testKey } from '../support/catalogue.ts'
import { answers, channelReceiver, noon } from '../support/channels.ts'
import { command } from '../support/command.ts'
import { anyRunType } from '../support/example-config.ts'
import { testResult } from '../support/results.ts'

const key = `tdm_operates_${'0'.repeat(32)}_000000`
const shop = testCheck(anyRunType(), { id: 'shop', name: 'Shop', tags: ['web'], locations: ['here'] })
const clock = { now: noon }
const times = ['--from', '2026-11-17', '--to', '2026-11-18']
let api: TestApp
let env: Readonly<Record<string, string>>

beforeAll(async () => {
  const receivers = { chat: await channelReceiver(), gone: await channelReceiver(answers(410)) }
  const channels = Object.entries(receivers).map(([id, { url }]) => ({ id, type: 'webhook', settings: { url }, secrets: [] }))
  const keys = [testKey(key, account, ['read', 'operate'])]
  const catalogue = testCatalogue({ keys, checks: [shop], policies: { alerts: [alertRule()], channels } })
  api = await openTestApp({ catalogue, now: () => clock.now, alerts: openTestAlerts })
  await api.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = api.app.server.address() as AddressInfo
  env = { TIDEMARK_URL: `http://127.0.0.1:${port}`, TIDEMARK_KEY: key, TIDEMARK_ACCOUNT: account }
})
afterAll(() => api.close())

const alert = (...args: readonly string[]) => command(env, ['alert', ...args], () => clock.now)

test('alerts can be listed, explained, and acknowledged by a prefix of their id', async () => {
  expect((await alert('list', ...times)).stdout).toBe('No alerts in this period.\n')
  expect((await alert('explain', 'shop')).stdout).toMatch(/^rule\n {2}/)
  await api.store.append([testResult(shop, noon, { runLocation: 'here', hasFailures: true, error: 'status 503' })])
  await expect.poll(async () => (await alert('list', ...times)).stdout).toMatch(/Shop is failing {2}chat\n$/)
  const { stdout } = await alert('list', '--state', 'open', ...times)
  const [head = '', line = ''] = stdout.split('\n')
  expect(head).toMatch(/^id {8}state {2}severity {2}opened {16}what {13}notified$/)
  expect(line).toMatch(/^[0-9a-f]{8} {2}open {3}critical {2}2026-11-17T12:00:00Z {2}Shop is failing {2}chat$/)
  const { alerts } = JSON.parse((await alert('list', '--check', 'shop', '--format', 'json', ...times)).stdout)
  expect(alerts[0].members[0].reason).toBe('status 503')
  expect((await alert('explain', 'Shop')).stdout).toContain('chat was notified at')
  const acknowledged = await alert('ack', line.slice(0, 8))
  expect(acknowledged.stdout).toBe('Shop is failing: acknowledged by tdm_operates at 2026-11-17T12:00:00.000Z.\n')
  expect((await alert('ack', alerts[0].id)).stdout).toBe(acknowledged.stdout)
  expect((await alert('ack', 'zz')).stderr).toContain('No open alert has an id that starts with zz.')
  expect((await alert('list', ...times)).stdout).toContain('acknowledged by tdm_operates')
})

test('checks can be silenced, and the silence can be ended', async () => {
  expect((await alert('silences')).stderr).toBe('No silences.\n')
  expect((await alert('silence', '--for', '2h')).stderr).toContain('Specify what to silence')
  expect((await alert('silence', '--for', 'soon', '--all')).stderr).toContain('duration must be a duration such as 30m')
  const made = await alert('silence', '--for', '2h', '--check', 'shop', '--tag', 'web', '--comment', 'The database moves.')
  expect(made.stdout).toMatch(/^Silence \S+ until 2026-11-17T14:00:00.000Z\. End it early with: tidemark alert unsilence \S{8}\n$/)
  expect((await alert('silences')).stdout).toMatch(/shop if tagged web {2}.*The database moves\.\n$/)
  const [{ id }] = JSON.parse((await alert('silences', '--format', 'json')).stdout)
  expect((await alert('unsilence', id.slice(0, 8))).stdout).toBe(`Silence ${id} ended.\n`)
  expect((await alert('silences')).stderr).toBe('No silences.\n')
})

test('a channel can be tested', async () => {
  expect(await alert('test', 'chat')).toMatchObject({ exitCode: 0, stdout: 'chat accepted the message: 200 {}\n' })
  expect(await alert('test', 'gone')).toMatchObject({ exitCode: 1, stderr: 'gone is broken: 410 {}\n' })
  expect(await alert('test', 'none')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('There is no such channel') })
})

test('a silence can be ended by its id or by a unique prefix of it', async () => {
  const made = async (...args: readonly string[]) =>
    /^Silence (\S+) /.exec((await alert('silence', '--for', '1h', ...args)).stdout)?.[1] ?? ''
  const [first, second] = [await made('--all'), await made('--tag', 'web')]
  const listed = JSON.parse((await alert('silences', '--format', 'json')).stdout)
  expect(listed).toMatchObject([
    { id: first, checks: [], tags: [], comment: '' },
    { id: second, tags: ['web'] },
  ])
  const several = await alert('unsilence', '')
  expect([several.exitCode, several.stderr]).toEqual([1, expect.stringMatching(/^Several ids start with : (\S{36}), (\S{36})\.\n$/)])
  expect((await alert('unsilence', 'zz')).stderr).toBe(
    'No silence has an id that starts with zz. List them with: tidemark alert silences.\n',
  )
  expect((await alert('unsilence', first)).stdout).toBe(`Silence ${first} ended.\n`)
  expect((await alert('unsilence', first)).stderr).toContain('The server returned 404')
  expect((await alert('unsilence', '')).stdout).toBe(`Silence ${second} ended.\n`)
})

test('JSON is printed as the API returns it', async () => {
  const explained = JSON.parse((await alert('explain', 'shop', '--format', 'json')).stdout)
  expect(explained).toEqual(
    (await api.get('/v1/alerts/explain?checkId=shop', { authorization: `Bearer ${key}`, 'x-service-account': account })).body,
  )
  expect(await alert('list', '--limit', '0')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('limit must be') })
  expect((await alert('explain', 'nobody')).exitCode).toBe(2)
})
