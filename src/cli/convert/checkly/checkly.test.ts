import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { command } from '../../../../test/support/command.ts'
import { type Conversion, changesBetween, converted, convertRun, reportedFor } from '../../../../test/support/conversion.ts'
import { httpServer } from '../../../../test/support/servers.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { wirePath } from '../../../catalogue/wire/index.ts'
import { checkTypes } from '../../../checks/registry.ts'
import { sha256 } from '../../../ids/sha256.ts'

type Body = Readonly<Record<string, unknown>>

const typeOf = (path: string) => checkTypes.find((one) => wirePath(one) === path)?.type ?? path
let number = 0
/** A check as returned by `GET /v1/checks`. */
function check(path: string, name: string, more: Body = {}): Body {
  const id = `00000000-0000-4000-8000-${String(++number).padStart(12, '0')}`
  const common = {
    id,
    name,
    checkType: typeOf(path),
    frequency: 5,
    frequencyOffset: 3,
    activated: true,
    muted: false,
    shouldFail: false,
    runParallel: false,
    locations: ['eu-west-1'],
    privateLocations: [],
    tags: ['web'],
    groupId: null,
    groupOrder: null,
    runtimeId: '2025.04',
  }
  const alerts = {
    useGlobalAlertSettings: true,
    alertSettings: null,
    alertChannelSubscriptions: [],
    retryStrategy: null,
    environmentVariables: [],
  }
  return {
    ...common,
    ...alerts,
    degradedResponseTime: 3000,
    maxResponseTime: 5000,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: null,
    ...more,
  }
}
const request = (more: Body = {}): Body => ({
  method: 'GET',
  url: 'https://example.com',
  body: '',
  bodyType: 'NONE',
  followRedirects: true,
  skipSSL: false,
  headers: [],
  queryParameters: [],
  assertions: [],
  basicAuth: null,
  ...more,
})
const api = (name: string, more: Body = {}, rest: Body = {}) => check('api', name, { request: request(more), ...rest })
const assertion = (source: string, comparison: string, target: string, property = '') => ({
  source,
  comparison,
  target,
  property,
  regex: null,
})

const comparisons = ['EQUALS', 'NOT_EQUALS', 'GREATER_THAN', 'LESS_THAN'].map((comparison) =>
  api(`status ${comparison}`, { assertions: [assertion('STATUS_CODE', comparison, '200')] }),
)
const bodies = [
  'HAS_KEY',
  'NOT_HAS_KEY',
  'HAS_VALUE',
  'NOT_HAS_VALUE',
  'CONTAINS',
  'NOT_CONTAINS',
  'IS_EMPTY',
  'NOT_EMPTY',
  'IS_NULL',
  'NOT_NULL',
].map((comparison) => api(`json ${comparison}`, { assertions: [assertion('JSON_BODY', comparison, 'a', '$.a')] }))
const strategies = ['FIXED', 'LINEAR', 'EXPONENTIAL', 'SINGLE_RETRY'].map((type) =>
  api(
    `retry ${type}`,
    {},
    {
      retryStrategy: {
        type,
        baseBackoffSeconds: 30,
        maxRetries: type === 'SINGLE_RETRY' ? 1 : 2,
        maxDurationSeconds: 600,
        sameRegion: true,
      },
    },
  ),
)
const frequencies = [1, 10, 1440].map((frequency) => api(`every ${frequency}`, {}, { frequency }))
const carried: readonly Body[] = [
  ...comparisons,
  ...bodies,
  ...strategies,
  ...frequencies,
  api('credentials', {
    headers: [{ key: 'Authorization', value: 'Bearer literal-token' }],
    basicAuth: { username: 'ann', password: 'literal-password' },
  }),
  api('seconds', {}, { frequency: 0, frequencyOffset: 20 }),
  api('headers', { headers: [{ key: 'X-Key', value: '{{API_KEY}}', locked: true }], queryParameters: [{ key: 'q', value: '1' }] }),
  api('posted', { method: 'POST', body: '{"a":1}', bodyType: 'JSON' }),
  api('basic', { basicAuth: { username: 'ann', password: '{{PASSWORD}}' } }),
  api('paused', {}, { activated: false, muted: true, shouldFail: true }),
  api('unknown variable', { url: 'https://example.com/{{NOWHERE}}' }),
  api(
    'own variable',
    { url: 'https://example.com/{{API_KEY}}' },
    { environmentVariables: [{ key: 'API_KEY', value: 'another-value', locked: false }] },
  ),
  api('grouped', { url: '{{GROUP_BASE_URL}}/path' }, { groupId: 7, retryStrategy: 'FALLBACK' }),
  check('url', 'url', {
    request: { url: 'https://example.com', followRedirects: false, skipSSL: true, assertions: [assertion('STATUS_CODE', 'EQUALS', '200')] },
  }),
  check('tcp', 'tcp', {
    request: { hostname: 'db.example.com', port: 5432, data: 'PING', assertions: [assertion('RESPONSE_DATA', 'CONTAINS', 'PONG')] },
  }),
  check('dns', 'dns', {
    request: {
      recordType: 'A',
      query: 'example.com',
      nameServer: '1.1.1.1',
      port: 53,
      protocol: 'UDP',
      assertions: [assertion('RESPONSE_CODE', 'EQUALS', 'NOERROR')],
    },
  }),
  check('icmp', 'icmp', { request: { hostname: '192.0.2.1', pingCount: 5, assertions: [] } }),
  check('heartbeat', 'job', {
    heartbeat: { period: 1, periodUnit: 'hours', grace: 10, graceUnit: 'minutes', pingToken: 'a-ping-token-0123456789' },
  }),
  check('heartbeat', 'job without a token', { heartbeat: { period: 1, periodUnit: 'hours', grace: 10, graceUnit: 'minutes' } }),
  check('browser', 'page', {
    script: `import { test } from '@playwright/test'\ntest('a', async () => { console.log(\`\${1}\`) })\n`,
    environmentVariables: [{ key: 'USER_PASSWORD', value: 'hunter2', locked: true }],
  }),
  check('multistep', 'steps', { script: "import { test } from '@playwright/test'\ntest('a', async () => {})\n" }),
  api('set up', {}, { localSetupScript: 'x()' }),
  api(
    'retried elsewhere',
    {},
    { retryStrategy: { type: 'FIXED', baseBackoffSeconds: 5, maxRetries: 2, maxDurationSeconds: 60, sameRegion: false } },
  ),
]
const refused = [check('grpc', 'grpc'), check('AGENTIC', 'agentic'), api('no address', { url: 'nowhere' })]
const variables = [
  { key: 'API_KEY', value: 'the-account-key', locked: true, secret: false },
  { key: 'PASSWORD', value: '', locked: true, secret: true },
]
const groups = [
  {
    id: 7,
    name: 'Shop',
    concurrency: 3,
    tags: ['shop'],
    locations: ['us-east-1'],
    retryStrategy: { type: 'LINEAR', baseBackoffSeconds: 10, maxRetries: 1, maxDurationSeconds: 600, sameRegion: true },
    apiCheckDefaults: {
      url: 'https://shop.example.com',
      headers: [{ key: 'X-Group', value: '1' }],
      queryParameters: [],
      assertions: [],
      basicAuth: { username: '', password: '' },
    },
    useGlobalAlertSettings: false,
    alertSettings: {
      escalationType: 'TIME_BASED',
      timeBasedEscalation: { minutesFailingThreshold: 10 },
      reminders: { amount: 2, interval: 30 },
    },
  },
]
const idOf = (name: string) => String(carried.find((body) => body.name === name)?.id)
const channels = [
  {
    id: 1,
    type: 'SLACK',
    config: { url: 'https://hooks.slack.com/services/x', channel: '#ops' },
    sendRecovery: true,
    sendFailure: true,
    sslExpiryThreshold: 30,
    subscriptions: [
      { checkId: idOf('url'), activated: true },
      { groupId: 7, activated: true },
    ],
  },
  {
    id: 2,
    type: 'PAGERDUTY',
    config: { serviceKey: '0123456789abcdef0123456789abcdef', serviceName: 'Pager' },
    subscriptions: [{ checkId: idOf('url'), activated: false }],
  },
  {
    id: 3,
    type: 'WEBHOOK',
    config: { name: 'Hook', url: 'https://example.com/hook', method: 'PUT', headers: [{ key: 'X-Token', value: 'abcdefgh' }] },
    subscriptions: [],
  },
  { id: 4, type: 'EMAIL', config: { address: 'a@example.com' }, subscriptions: [] },
]
const windows = [
  { id: 1, name: 'Once', startsAt: '2026-11-20T22:00:00.000Z', endsAt: '2026-11-21T02:00:00.000Z', repeatUnit: null, tags: ['web'] },
  {
    id: 2,
    name: 'Weekly',
    startsAt: '2026-11-17T22:00:00.000Z',
    endsAt: '2026-11-17T23:30:00.000Z',
    repeatUnit: 'WEEK',
    repeatInterval: 1,
    tags: [],
  },
  {
    id: 3,
    name: 'Odd',
    startsAt: '2026-11-17T22:00:00.000Z',
    endsAt: '2026-11-17T23:30:00.000Z',
    repeatUnit: 'WEEK',
    repeatInterval: 2,
    timezone: 'Europe/Berlin',
    tags: [],
  },
]
const all = [...carried, ...refused]

describe('an account of the service', () => {
  test('each check is in the output or in the report', async () => {
    expect(all.length).toBeGreaterThanOrEqual(40)
    const conversion = await checkly(all, groups, variables, channels, windows)
    const leftOut = conversion.lines.filter(({ outcome, field }) => outcome === 'left out' && field === null).map(({ item }) => item)
    const items = [
      ...conversion.carried.map(({ item }) => item),
      ...conversion.lines.filter(({ outcome }) => outcome === 'left out').map(({ item }) => item),
    ]
    for (const { name } of all) expect(items).toContain(name)
    expect(conversion.carried.map(({ item, id }) => [item, id])).toEqual(carried.map(({ name, id }) => [name, id]))
    expect(leftOut).toEqual(expect.arrayContaining(['grpc', 'agentic', 'channel EMAIL 4']))
    expect(conversion.account.maintenance?.find(({ name }) => name === 'Odd')).toMatchObject({
      repeat: { every: 'week', interval: 2 },
      timezone: 'Europe/Berlin',
    })
    expect(conversion.text).toMatchSnapshot()
    expect(conversion.lines.map(({ item, field, outcome, why }) => [outcome, item, field, why].join(' | '))).toMatchSnapshot()
    expect(conversion.text).not.toMatch(
      /literal-token|literal-password|the-account-key|another-value|hunter2|a-ping-token|hooks\.slack|abcdefgh/,
    )
  })

  test('a maintenance window with the tag of a group applies to its checks', async () => {
    const [group] = groups
    const [window] = windows
    const member = { ...api('member'), groupId: group?.id, tags: [] }
    const conversion = await checkly([member], groups, variables, [], [{ ...window, name: 'Of the group', tags: ['shop'] }])
    expect(conversion.checks.get('member')?.tags).toContain('shop')
    expect(conversion.account.maintenance).toMatchObject([{ name: 'Of the group', tags: ['shop'] }])
    expect(reportedFor(conversion, 'maintenance Of the group')).toEqual([])
  })

  test('a maintenance window without tags applies to all checks, unless it pauses none, and one of all checks ignores its tags', async () => {
    const { tags: _, ...window } = { tags: [], ...windows[0] }
    const given = [
      { ...window, name: 'Older' },
      { ...window, name: 'All', pauseAllChecks: true, tags: ['none'], timezone: 'UTC' },
      { ...window, name: 'Web', pauseAllChecks: false, tags: ['web'], statusPageVisibility: { enabled: false, autoStart: true } },
      { ...window, name: 'Silent', pauseAllChecks: false, tags: [], silenceAllAlerts: true },
      { ...window, name: 'Shown', pauseAllChecks: true, statusPageVisibility: { enabled: true } },
    ]
    const conversion = await checkly([api('web')], [], [], [], given)
    expect(conversion.account.maintenance?.map(({ name, tags }) => [name, tags])).toEqual([
      ['Older', undefined],
      ['All', undefined],
      ['Web', ['web']],
      ['Shown', undefined],
    ])
    expect(['Older', 'All', 'Web', 'Silent', 'Shown'].map((name) => reportedFor(conversion, `maintenance ${name}`))).toEqual([
      [],
      [],
      [],
      ['left out'],
      ['lost statusPageVisibility'],
    ])
  })

  const same = api('same')
  const grouped = api('same', {}, { groupId: 7, retryStrategy: 'FALLBACK' })
  /** By part of the account: a base, the other parts, and alternative values of each field. */
  const fields: Readonly<Record<string, readonly [(value: Body) => readonly (readonly Body[])[], Body, Body]>> = {
    check: [
      (value) => [[value], groups, variables, [{ ...channels[0], subscriptions: [{ checkId: idOf('url'), activated: true }] }], []],
      { ...api('same', { headers: [] }), id: idOf('url') },
      {
        name: 'other',
        checkType: 'URL',
        description: 'x',
        frequency: 10,
        activated: false,
        muted: true,
        shouldFail: true,
        runParallel: true,
        locations: ['us-east-1'],
        privateLocations: ['dc-1'],
        tags: ['other'],
        groupId: 7,
        degradedResponseTime: 1,
        maxResponseTime: 4000,
        retryStrategy: { type: 'FIXED', baseBackoffSeconds: 5, maxRetries: 2 },
        localSetupScript: 'x()',
        localTearDownScript: 'x()',
        setupSnippetId: 7,
        tearDownSnippetId: 7,
        sslCheckDomain: 'example.com',
        triggerIncident: { serviceId: 'x' },
        request: request({ url: 'https://other.example.com' }),
        somethingNew: 1,
      },
    ],
    'alert settings': [
      (value) => [
        [{ ...same, id: idOf('url'), useGlobalAlertSettings: false, alertSettings: value }],
        [],
        [],
        [{ ...channels[0], subscriptions: [{ checkId: idOf('url'), activated: true }] }],
        [],
      ],
      { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: 1 }, reminders: { amount: 0, interval: 5 } },
      {
        escalationType: 'TIME_BASED',
        runBasedEscalation: { failedRunThreshold: 3 },
        reminders: { amount: 3, interval: 10 },
        parallelRunFailureThreshold: { enabled: true, percentage: 50 },
        sslCertificates: { enabled: true, alertThreshold: 7 },
        somethingNew: 1,
      },
    ],
    group: [
      (value) => [[grouped], [value], [], [], []],
      { id: 7, name: 'Shop', concurrency: 0 },
      {
        name: 'Other',
        description: 'x',
        activated: false,
        muted: true,
        tags: ['other'],
        locations: ['us-east-1'],
        privateLocations: ['dc-1'],
        concurrency: 3,
        runParallel: true,
        retryStrategy: { type: 'FIXED', baseBackoffSeconds: 5, maxRetries: 2 },
        doubleCheck: true,
        apiCheckDefaults: { headers: [{ key: 'a', value: 'b' }] },
        browserCheckDefaults: { a: 1 },
        setupSnippetId: 7,
        tearDownSnippetId: 7,
        localSetupScript: 'x()',
        localTearDownScript: 'x()',
        somethingNew: 1,
      },
    ],
    channel: [
      (value) => [[same], [], [], [value], []],
      { id: 1, type: 'SLACK', config: { url: 'https://hooks.slack.com/services/x' } },
      {
        type: 'WEBHOOK',
        config: { url: 'https://hooks.slack.com/services/y' },
        sendRecovery: false,
        sendFailure: false,
        sendDegraded: true,
        sslExpiry: true,
        sslExpiryThreshold: 7,
        autoSubscribe: true,
        somethingNew: 1,
      },
    ],
    window: [
      (value) => [[same], [], [], [], [value]],
      { id: 1, name: 'W', startsAt: '2026-11-20T22:00:00.000Z', endsAt: '2026-11-20T23:00:00.000Z', repeatUnit: 'DAY' },
      {
        name: 'X',
        startsAt: '2026-11-20T21:00:00.000Z',
        endsAt: '2026-11-20T23:30:00.000Z',
        repeatUnit: 'WEEK',
        repeatInterval: 2,
        repeatEndsAt: '2027-11-20T23:00:00.000Z',
        timezone: 'Europe/Berlin',
        tags: ['web'],
        description: 'x',
        pauseAllChecks: false,
        silenceAllAlerts: true,
        silenceAlertsTags: ['web'],
        statusPageVisibility: { enabled: true },
        somethingNew: 1,
      },
    ],
  }
  test.each(Object.entries(fields))('no field of a %s is lost silently', async (_, [wrap, base, changes]) => {
    const said = async (value: Body) => {
      const { text, lines, environment } = await checkly(...wrap(value))
      return [text, lines, environment]
    }
    const before = await said(base)
    const all: string[] = []
    for (const [name, value] of Object.entries(changes)) {
      const became = changesBetween(before, await said({ ...base, [name]: value }))
      expect(became, name).not.toBe('')
      all.push(`${name}: ${became}`)
    }
    expect(all).toMatchSnapshot()
  })

  test('variables in triple braces are converted, also in the URL of a group', async () => {
    const url = '{{{ GROUP_BASE_URL }}}/{{{API_KEY}}}'
    const conversion = await checkly([api('grouped', { url }, { groupId: 7 })], groups, variables)
    expect(conversion.checks.get('grouped')).toMatchObject({ request: { url: `https://shop.example.com/$\{API_KEY}` } })
  })

  test('settings of a group apply to its checks', async () => {
    const conversion = await checkly(all, groups, variables, channels)
    expect(conversion.account.groups).toMatchObject([
      {
        name: 'Shop',
        checks: [
          {
            name: 'grouped',
            tags: ['shop', 'web'],
            locations: ['us-east-1'],
            request: { url: 'https://shop.example.com/path', headers: { 'X-Group': '1' } },
            retry: { strategy: 'linear', maxRetries: 1 },
          },
        ],
      },
    ])
    const rule = conversion.account.alerts?.find(({ after }) => after !== undefined)
    expect(rule).toMatchObject({ after: { time: '10m' }, remind: { every: '30m', times: 2 } })
    expect(conversion.checks.get('grouped')?.alerts).toEqual([rule?.id])
  })

  test('scripts become files, tokens hashes, and variables lines of the env file', async () => {
    const conversion = await checkly(all, variables)
    const script = String(conversion.checks.get('page')?.script)
    expect(readFileSync(join(conversion.folder, script), 'utf8')).toBe(carried.find(({ name }) => name === 'page')?.script)
    expect(conversion.checks.get('job')).toMatchObject({ heartbeat: { token: sha256('a-ping-token-0123456789') } })
    expect(Object.values(conversion.environment)).toEqual(expect.arrayContaining(['the-account-key', 'another-value', 'hunter2']))
    expect(reportedFor(conversion, 'variable PASSWORD')).toEqual(['lost'])
    expect(reportedFor(conversion, 'set up')).toEqual(['lost localSetupScript'])
  })

  test('variables of the account cannot change how programs behave', async () => {
    const body = check('url', 'x', { request: request({ url: 'https://example.com/{{LD_PRELOAD}}' }) })
    const { environment } = await checkly([body], [{ key: 'LD_PRELOAD', value: '/tmp/x.so', locked: false }])
    expect(environment).toEqual({ SECRET_LD_PRELOAD: '/tmp/x.so' })
  })

  test('checks whose names give the same file name have separate files', async () => {
    const name = 'a very long name that leaves no room for anything that tells it from another one'
    const scripts = ['first', 'second'].map((text) => `// ${text}\n`)
    const bodies = scripts.map((script, i) => ({ ...check('browser', name, { script }), id: `0000000${i}-0000-4000-8000-000000000000` }))
    const { account, folder } = await checkly(bodies)
    const kept = account.checks?.map(({ script }) => readFileSync(join(folder, String(script)), 'utf8'))
    expect(kept).toEqual(scripts)
  })

  test('an existing script is not overwritten', async () => {
    const { folder } = await checkly(all)
    const file = join(temporaryFolder(), 'checks.json')
    writeFileSync(file, JSON.stringify(all))
    for (const name of ['tidemark.yaml', 'tidemark.env', 'report.txt']) rmSync(join(folder, name))
    const again = await command({}, ['convert', 'checkly', file, '--out', folder])
    expect(again).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('.spec.ts') })
    expect(existsSync(join(folder, 'tidemark.yaml'))).toBe(false)
  })

  test('a URL is accepted only for formats with an API', async () => {
    const ended = await command({}, [
      'convert',
      'gatus',
      '--url',
      'http://127.0.0.1:1',
      '--key',
      'x',
      '--out',
      join(temporaryFolder(), 'out'),
    ])
    expect(ended).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--url is not supported for') })
  })

  test('is read over HTTP, page by page, with its key', async () => {
    const asked: string[] = []
    const lists: Readonly<Record<string, readonly unknown[]>> = {
      checks: [...Array.from({ length: 100 }, (_, index) => api(`check ${index}`)), ...carried],
      'check-groups': groups,
      variables,
      'alert-channels': channels,
      'maintenance-windows': windows,
    }
    const port = await httpServer((incoming: IncomingMessage, answer) => {
      const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://x')
      asked.push(`${incoming.headers.authorization} ${incoming.headers['x-checkly-account']} ${incoming.url}`)
      const [page, limit] = [Number(searchParams.get('page')), Number(searchParams.get('limit'))]
      answer.end(JSON.stringify((lists[pathname.slice('/v1/'.length)] ?? []).slice((page - 1) * limit, page * limit)))
    })
    const folder = join(temporaryFolder(), 'out')
    const ended = await command({}, [
      'convert',
      'checkly',
      '--url',
      `http://127.0.0.1:${port}`,
      '--key',
      'cu_x',
      '--from-account',
      'a1',
      '--out',
      folder,
    ])
    expect(ended).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`${100 + carried.length} checks`) })
    expect(asked[0]).toBe('Bearer cu_x a1 /v1/checks?limit=100&page=1')
    expect(asked.map((call) => call.slice(call.indexOf('/v1/')))).toEqual([
      '/v1/checks?limit=100&page=1',
      '/v1/checks?limit=100&page=2',
      ...['check-groups', 'variables', 'alert-channels', 'maintenance-windows'].map((list) => `/v1/${list}?limit=100&page=1`),
    ])
    const text = readFileSync(join(folder, 'tidemark.yaml'), 'utf8')
    for (const part of ['channels:', 'maintenance:', 'groups:']) expect(text).toContain(part)
  })

  test.each([
    [401, '{}', 'returned 401'],
    [200, '{', 'did not return a JSON list'],
    [302, '', 'returned 302'],
  ])('a response of %s is an error message', async (status, body, why) => {
    const port = await httpServer((_, answer) => answer.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(body))
    const ended = await command({}, [
      'convert',
      'checkly',
      '--url',
      `http://127.0.0.1:${port}`,
      '--key',
      'cu_x',
      '--out',
      join(temporaryFolder(), 'out'),
    ])
    expect(ended).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(why) })
  })

  test('with arbitrary bodies gives a valid file, or an error message', async () => {
    const body = fc.record({
      checkType: fc.constantFrom(...checkTypes.map(({ type }) => type)),
      name: fc.jsonValue(),
      request: fc.jsonValue(),
      heartbeat: fc.jsonValue(),
      script: fc.jsonValue(),
      frequency: fc.jsonValue(),
      tags: fc.jsonValue(),
      retryStrategy: fc.jsonValue(),
      groupId: fc.constantFrom(1, null),
      environmentVariables: fc.jsonValue(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(body, { minLength: 1, maxLength: 3 }), async (list) => {
        const file = join(temporaryFolder(), 'checks.json')
        writeFileSync(file, JSON.stringify([...list, { id: 1, concurrency: 1, name: 'G', tags: 'x', apiCheckDefaults: 1 }]))
        const { ended } = await convertRun('checkly', [file])
        expect(ended).toMatchObject({ exitCode: 0 })
      }),
      { numRuns: 100 },
    )
  })
})

function checkly(...lists: readonly (readonly unknown[])[]): Promise<Conversion> {
  const folder = temporaryFolder()
  lists.forEach((list, index) => void writeFileSync(join(folder, `${index}.json`), JSON.stringify(list)))
  return converted('checkly', [folder])
}
