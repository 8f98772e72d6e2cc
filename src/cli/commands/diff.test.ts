import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../../test/support/app.ts'
import { account, readKey, testCatalogue, testKey, writeCredentials, writeKey } from '../../../test/support/catalogue.ts'
import { command } from '../../../test/support/command.ts'
import { anyRunType, exampleCheck } from '../../../test/support/example-config.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { buildCatalogue } from '../../catalogue/build.ts'
import { parseConfig } from '../../catalogue/config-file/parse.ts'
import { wirePath } from '../../catalogue/wire/index.ts'

const check = (id: string, more: object = {}): Record<string, unknown> => ({ ...exampleCheck(anyRunType()), id, name: id, ...more })
const fileOf = (checks: readonly object[], more: object = {}) => JSON.stringify({ ...more, accounts: [{ id: account, checks }] })
const many = Array.from({ length: 150 }, (_, i) => check(`many-${i}`))

const same = 'Others: 0 added, 0 changed, 0 removed, 0 unchanged. Keys and settings are not compared.\n'
const unchanged = `0 added, 0 changed, 0 removed, 153 unchanged.\n${same}`

let api: TestApp
let url: string
beforeAll(async () => {
  const parsed = parseConfig(fileOf([check('kept'), check('slow', { frequency: '5m', tags: ['web'] }), check('old'), ...many]), {})
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  const keys = [testKey(readKey, account, ['read']), testKey(writeKey, account, ['read', 'write'])]
  const catalogue = testCatalogue({ checks: buildCatalogue(parsed.config, []).allChecks(), keys })
  api = await openTestApp({ catalogue, managed: true })
  url = await api.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => api.close())

function diff(text: string, env = {}) {
  const file = join(temporaryFolder(), 'tidemark.yaml')
  writeFileSync(file, text)
  return command({ TIDEMARK_CONFIG: file, TIDEMARK_URL: url, TIDEMARK_KEY: readKey, TIDEMARK_ACCOUNT: account, ...env }, ['diff'])
}

test('tidemark diff lists checks that a file would add, change and remove', async () => {
  const { tags: _, ...rest } = check('slow', { frequency: '1m', maxResponseTime: 500 })
  expect(await diff(fileOf([check('kept'), rest, check('new'), ...many]))).toEqual({
    exitCode: 1,
    stderr: '',
    stdout: [
      `+ new  new (${anyRunType().type})`,
      `~ slow  slow (${anyRunType().type})`,
      '    tags: ["web"] → (none)',
      '    frequency: 5m → 1m',
      '    maxResponseTime: (none) → 500',
      `- old  old (${anyRunType().type})`,
      'Checks: 1 added, 1 changed, 1 removed, 151 unchanged.',
      same,
    ].join('\n'),
  })
})

test('tidemark diff treats a file with the same values from defaults as unchanged', async () => {
  const { frequency: _, ...rest } = check('kept')
  const file = fileOf([rest, check('slow', { frequency: '5m', tags: ['web'] }), check('old'), ...many], { defaults: { frequency: '1m' } })
  expect(await diff(file)).toEqual({ exitCode: 0, stderr: '', stdout: `Checks: ${unchanged}` })
})

test('tidemark diff ignores managed checks, and lists those that the file has, too', async () => {
  const managed = [check('managed'), check('both')]
  for (const { id, type, ...rest } of managed) {
    const added = await api.call({
      method: 'POST',
      url: `/v1/checks/${wirePath(anyRunType())}`,
      headers: writeCredentials,
      payload: { definition: { id, type, ...rest } },
    })
    expect(added.status).toBe(201)
  }
  const file = [check('kept'), check('slow', { frequency: '5m', tags: ['web'] }), check('old'), ...many]
  expect(await diff(fileOf(file))).toEqual({ exitCode: 0, stderr: '', stdout: `Checks: ${unchanged}` })
  expect(await diff(fileOf([...file, check('both', { frequency: '7m' })]))).toEqual({
    exitCode: 0,
    stderr: 'The check both is managed over the API, so its entry in the file is ignored.\n',
    stdout: `Checks: ${unchanged}`,
  })
})

const policies = {
  channels: [{ id: 'ops', type: 'webhook', url: `https://hooks.example/\${HOOK_TOKEN}` }],
  alerts: [
    { id: 'all', to: ['ops'] },
    { id: 'burn', when: { sloBurn: { slos: ['shop'] } }, to: ['ops'] },
  ],
  maintenance: [
    { name: 'Night', every: 'week', on: ['sun'], at: '02:00', for: '1h', timezone: 'Europe/Berlin' },
    { name: 'Move', from: '2026-11-20T21:00Z', to: '2026-11-20T22:00Z' },
    { name: 'Move', from: '2026-11-21T21:00Z', to: '2026-11-21T22:00Z', tags: ['web'] },
    { name: 'Again', from: '2026-11-22T21:00Z', to: '2026-11-22T22:00Z', repeat: { every: 'week', interval: 2 } },
  ],
  serviceHours: [{ name: 'office', days: ['mon'], from: '09:00', to: '17:00' }],
  slos: [{ id: 'shop', name: 'Shop', objective: { kind: 'availability', target: 99 }, window: '30d' }],
  canary: { eu: ['192.0.2.1:443'] },
  deadManSwitch: { url: `https://dead.example/\${HOOK_TOKEN}`, every: '1m' },
}
const agentKey = (location: string) => ({
  name: location,
  hash: `sha256:${'0'.repeat(63)}${location.length}`,
  scopes: [`agent:${location}`],
})

test('tidemark diff lists changes of a file other than checks, and redacts secrets', async () => {
  const env = { HOOK_TOKEN: 'a-token-nobody-may-see' }
  const file = (more: object = {}) => JSON.stringify({ accounts: [{ id: account, ...policies, keys: [agentKey('dc')], ...more }] })
  const parsed = parseConfig(file(), env)
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  const server = await openTestApp({
    managed: true,
    catalogue: testCatalogue({
      checks: [],
      policies: parsed.config.policies.get(account) ?? {},
      keys: [
        testKey(readKey, account, ['read']),
        testKey(writeKey, account, ['read', 'write']),
        testKey('tdm_agent', account, ['agent:dc']),
      ],
    }),
  })
  try {
    const own = { ...env, TIDEMARK_URL: await server.app.listen({ port: 0, host: '127.0.0.1' }) }
    const window = { name: 'Managed', startsAt: '2026-11-20T21:00:00Z', endsAt: '2026-11-20T22:00:00Z' }
    const channel = { type: 'WEBHOOK', config: { name: 'Ops', url: 'https://hooks.example/tidemark' } }
    for (const [path, payload] of [
      ['maintenance-windows', window],
      ['alert-channels', channel],
    ] as const)
      expect((await server.call({ method: 'POST', url: `/v1/${path}`, headers: writeCredentials, payload })).status).toBe(201)
    const none = 'Checks: 0 added, 0 changed, 0 removed, 0 unchanged.\n'
    expect(await diff(file(), own)).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: `${none}Others: 0 added, 0 changed, 0 removed, 12 unchanged. Keys and settings are not compared.\n`,
    })
    const [ops] = policies.channels
    const [night, move] = policies.maintenance
    const changed = {
      channels: [{ ...ops, method: 'PUT' }],
      alerts: [{ ...policies.alerts[0], after: { runs: 3 } }, policies.alerts[1]],
      maintenance: [{ ...night, at: '03:30' }, move],
      slos: [{ ...policies.slos[0], window: '7d' }],
      canary: {},
      keys: [agentKey('edge')],
    }
    const { exitCode, stdout } = await diff(file(changed), own)
    expect([exitCode, stdout.split('\n')]).toEqual([
      1,
      [
        '+ location of agents edge',
        '~ maintenance Night',
        '    at: 02:00 → 03:30',
        '~ SLO shop',
        '    window: 30d → 7d',
        '~ channel ops',
        '    method: (none) → PUT',
        '~ alert rule all',
        '    after.runs: 1 → 3',
        '- maintenance Move (2)',
        '- maintenance Again',
        '- canary eu',
        '- location of agents dc',
        none.trim(),
        'Others: 1 added, 4 changed, 4 removed, 4 unchanged. Keys and settings are not compared.',
        '',
      ],
    ])
    expect((await server.get('/v1/policy-definitions?limit=100')).text).not.toContain(env.HOOK_TOKEN)
  } finally {
    await server.close()
  }
})

test('tidemark diff exits with 2 if it gets no response', async () => {
  expect(await diff(fileOf([]), { TIDEMARK_KEY: 'tdm_wrong' })).toMatchObject({ exitCode: 2, stdout: '' })
  expect(await diff(fileOf([]), { TIDEMARK_ACCOUNT: 'other' })).toMatchObject({ exitCode: 2, stdout: '' })
})

test('the schemas are public for editors, and tidemark schema prints them', async () => {
  for (const [path, args] of [
    ['/tidemark.schema.json', ['schema']],
    ['/tidemark.included.schema.json', ['schema', '--included']],
  ] as const) {
    const { status, text, headers } = await api.get(path, {})
    expect(status).toBe(200)
    expect(headers['content-type']).toContain('application/schema+json')
    expect(JSON.parse((await command({}, args)).stdout)).toEqual(JSON.parse(text))
  }
})
