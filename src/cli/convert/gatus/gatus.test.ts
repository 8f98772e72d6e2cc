import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { type Conversion, changesBetween, converted, convertRun, reportedFor } from '../../../../test/support/conversion.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import type { Env } from '../../../config.ts'
import { sha256 } from '../../../ids/sha256.ts'

type Endpoint = Readonly<Record<string, unknown>>

const site = { url: 'https://example.com/health', conditions: ['[STATUS] == 200'] }
const dollar = '$'
const endpoints: readonly Endpoint[] = [
  { name: 'plain', ...site },
  { name: 'grouped', group: 'core', ...site, interval: '5m' },
  { name: 'disabled', ...site, enabled: false },
  { name: 'fast', ...site, interval: '3s' },
  { name: 'mixed interval', ...site, interval: '1m30s' },
  {
    name: 'posted',
    ...site,
    method: 'POST',
    body: '{"a":1}',
    headers: { 'Content-Type': 'application/json', Authorization: 'Bearer abcdefgh' },
  },
  { name: 'graphql', ...site, method: 'POST', graphql: true, body: '{ user }' },
  { name: 'insecure', ...site, client: { insecure: true, 'ignore-redirect': true, timeout: '5s' } },
  { name: 'quick', ...site, conditions: ['[STATUS] == 200', '[RESPONSE_TIME] < 300', '[RESPONSE_TIME] < 500'] },
  { name: 'json', ...site, conditions: ['[BODY].status == UP', 'len([BODY].items) > 2', 'has([BODY].errors) == false'] },
  { name: 'any', ...site, conditions: ['[STATUS] == any(200, 429)'] },
  { name: 'text', ...site, conditions: ['[BODY] == pat(*welcome*)'] },
  { name: 'certificate', ...site, conditions: ['[CERTIFICATE_EXPIRATION] > 240h'] },
  { name: 'domain', ...site, conditions: ['[DOMAIN_EXPIRATION] > 720h'] },
  { name: 'address', ...site, conditions: ['[IP] == 127.0.0.1'] },
  { name: 'compared', ...site, conditions: ['[BODY].a == [BODY].b'] },
  { name: 'variable', url: `https://${dollar}{DOMAIN}/a`, conditions: ['[STATUS] == 200', `[BODY].price == ${dollar}${dollar}5`] },
  { name: 'unset', ...site, headers: { 'X-Team': `${dollar}TEAM` } },
  { name: 'labelled', ...site, 'extra-labels': { environment: 'staging', team: 'a,b' } },
  { name: 'hidden', ...site, ui: { 'hide-url': true } },
  { name: 'proxied', ...site, client: { 'proxy-url': 'http://proxy:8080' } },
  { name: 'oauth', ...site, client: { oauth2: { 'token-url': 'https://x', 'client-id': 'a', 'client-secret': 'b', scopes: ['c'] } } },
  { name: 'resolver', ...site, client: { 'dns-resolver': 'tcp://8.8.8.8:53' } },
  { name: 'random body', ...site, method: 'POST', body: '[RANDOM_STRING_10]' },
  {
    name: 'windows',
    ...site,
    'maintenance-windows': [{ start: '07:30', duration: '40m', timezone: 'Europe/Berlin', every: ['Monday', 'thursday'] }],
  },
  { name: 'port', url: 'tcp://db.example.com:5432', conditions: ['[CONNECTED] == true'] },
  { name: 'closed port', url: 'tcp://db.example.com:23', conditions: ['[CONNECTED] == false'] },
  { name: 'redis', url: 'tcp://redis.example.com:6379', body: 'PING\r\n', conditions: ['[BODY] == pat(*PONG*)'] },
  { name: 'address port', url: 'tcp://[2001:db8::1]:443', conditions: ['[CONNECTED] == true'] },
  { name: 'ping', url: 'icmp://192.0.2.1', conditions: ['[CONNECTED] == true', '[RESPONSE_TIME] < 100'], client: { network: 'ip4' } },
  {
    name: 'name',
    url: '8.8.8.8',
    dns: { 'query-name': 'example.com', 'query-type': 'MX' },
    conditions: ['[DNS_RCODE] == NOERROR', '[BODY] == pat(*.example.com)'],
  },
  {
    name: 'name at a port',
    url: '8.8.8.8:5353',
    dns: { 'query-name': 'example.com', 'query-type': 'A' },
    conditions: ['[DNS_RCODE] == NOERROR'],
  },
]
const refused: readonly Endpoint[] = [
  { name: 'udp', url: 'udp://192.0.2.1:53', conditions: ['[CONNECTED] == true'] },
  { name: 'sctp', url: 'sctp://192.0.2.1:38412', conditions: ['[CONNECTED] == true'] },
  { name: 'ssh', url: 'ssh://example.com:22', ssh: { username: 'a', password: 'b' }, conditions: ['[CONNECTED] == true'] },
  { name: 'starttls', url: 'starttls://smtp.example.com:587', conditions: ['[CONNECTED] == true'] },
  { name: 'tls', url: 'tls://example.com:443', conditions: ['[CERTIFICATE_EXPIRATION] > 48h'] },
  { name: 'ws', url: 'wss://example.com', conditions: ['[CONNECTED] == true'] },
  { name: 'grpc', url: 'grpc://example.com:50051', conditions: ['[CONNECTED] == true'] },
  { name: 'no scheme', url: 'example.com', conditions: ['[STATUS] == 200'] },
  { name: 'no port', url: 'tcp://example.com', conditions: ['[CONNECTED] == true'] },
  { name: 'caa', url: '8.8.8.8', dns: { 'query-name': 'example.com', 'query-type': 'CAA' }, conditions: ['[DNS_RCODE] == NOERROR'] },
]
const all = [...endpoints, ...refused]

describe('endpoints of Gatus', () => {
  test('each is in the output or in the report', async () => {
    expect(all.length).toBeGreaterThanOrEqual(40)
    const conversion = await gatus({ endpoints: all }, { DOMAIN: 'example.org' })
    const leftOut = conversion.lines.filter(({ outcome }) => outcome === 'left out').map(({ item }) => item)
    expect(conversion.carried.map(({ item }) => item)).toEqual(endpoints.map(({ name, group }) => (group ? `${group}/${name}` : name)))
    expect(leftOut).toEqual(refused.map(({ name }) => name))
    expect(conversion.text).toMatchSnapshot()
    expect(conversion.lines.map(({ item, field, outcome, why }) => [outcome, item, field, why].join(' | '))).toMatchSnapshot()
    expect(conversion.environment).toMatchObject({ DOMAIN: 'example.org', TEAM: '' })
    expect(conversion.text).not.toContain('abcdefgh')
  })

  const fields: readonly (readonly [string, unknown])[] = [
    ['enabled', false],
    ['group', 'other'],
    ['url', 'https://other.example.com'],
    ['method', 'PUT'],
    ['body', 'x'],
    ['graphql', true],
    ['headers', { a: 'b' }],
    ['interval', '7m'],
    ['conditions', ['[STATUS] == 201']],
    ['dns', { 'query-name': 'a.example.com', 'query-type': 'A' }],
    ['ssh', { username: 'a' }],
    ['alerts', [{ type: 'slack' }]],
    ['maintenance-windows', [{ start: '07:30', duration: '40m' }]],
    ['ui', { 'hide-url': true }],
    ['extra-labels', { a: 'b' }],
    ['always-run', true],
    ['store', { a: '[BODY].a' }],
    ['something-new', 1],
    ...['insecure', 'ignore-redirect', 'store-cookies'].map((name) => ['client', { [name]: true }] as const),
    ...['timeout', 'dns-resolver', 'proxy-url', 'tunnel'].map((name) => ['client', { [name]: '7s' }] as const),
    ['client', { network: 'ip4' }],
    ...['oauth2', 'identity-aware-proxy', 'tls'].map((name) => ['client', { [name]: { a: 'b' } }] as const),
  ]
  const kinds: Readonly<Record<string, Endpoint>> = {
    http: { ...site, method: 'POST', body: 'y' },
    tcp: { url: 'tcp://example.com:25', conditions: ['[CONNECTED] == true'] },
    icmp: { url: 'icmp://example.com', conditions: ['[CONNECTED] == true'] },
    dns: { url: '8.8.8.8', dns: { 'query-name': 'example.com', 'query-type': 'A' }, conditions: ['[DNS_RCODE] == NOERROR'] },
  }
  const ofKind: Readonly<Record<string, readonly (readonly [string, unknown])[]>> = {
    icmp: [['client', { network: 'ip6' }]],
    dns: [
      ['dns', { 'query-name': 'example.com', 'query-type': 'MX' }],
      ['dns', { 'query-name': 'example.com', 'query-type': 'A', 'something-new': 1 }],
    ],
  }
  test.each(Object.entries(kinds))('no field of an endpoint by %s is lost silently', async (kind, base) => {
    const changed = [...fields, ...(ofKind[kind] ?? [])]
    const named = changed.map(([name, value], index) => ({
      ...base,
      name: `with ${index} ${name} ${JSON.stringify(value)}`,
      [name]: value,
    }))
    const conversion = await gatus({ endpoints: [{ ...base, name: 'as it was' }, ...named] })
    const silent = named
      .map(({ name }) => name)
      .filter((name) => isDeepStrictEqual(saidOf(conversion, name), saidOf(conversion, 'as it was')))
    expect(silent).toEqual([])
    const became = named.map(({ name }) => `${name}: ${changesBetween(saidOf(conversion, 'as it was'), saidOf(conversion, name))}`)
    expect(became).toMatchSnapshot()
  })

  /** The conversion of an endpoint, except its name. */
  function saidOf({ account, checks, lines }: Conversion, endpoint: string) {
    const { id, name: _, ...entry } = checks.get(endpoint) ?? {}
    const group = account.groups?.find((one) => one.checks.some((check) => check.id === id))?.name
    const maintenance = (account.maintenance ?? []).filter((one) => (one.checks as readonly unknown[] | undefined)?.includes(id)).length
    const reported = lines.filter(({ item }) => item.endsWith(endpoint)).map(({ item: __, ...line }) => line)
    return { entry, group, maintenance, reported }
  }

  test('dollar signs and variables keep their meaning', async () => {
    const body = `${dollar}${dollar}{A} ${dollar}{B} ${dollar}${dollar}${dollar}B`
    const conversion = await gatus({ endpoints: [{ name: 'one', ...site, method: 'POST', body }] }, { B: 'b' })
    const request = conversion.checks.get('one')?.request as { readonly body: string }
    const written = request.body.replace(/\$\{(\w+)\}/g, (_, name: string) => conversion.environment[name] ?? '')
    expect(written).toBe(`${dollar}{A} b ${dollar}b`)
  })
})

describe('the rest of a file of Gatus', () => {
  test('external endpoints become checks that receive pings', async () => {
    const external = [
      { name: 'backup', group: 'jobs', token: 'abcdef', heartbeat: { interval: '30m' } },
      { name: 'silent', token: 'ghijkl' },
      { name: 'same token', token: 'abcdef' },
      { name: 'no token' },
    ]
    const conversion = await gatus({ 'external-endpoints': external })
    expect(conversion.checks.get('backup')).toMatchObject({ heartbeat: { period: '30m', token: sha256('abcdef') } })
    expect(conversion.checks.get('silent')).toMatchObject({ heartbeat: { period: '30d' } })
    expect(reportedFor(conversion, 'same token')).toEqual(['left out'])
    expect(reportedFor(conversion, 'no token')).toEqual(['left out'])
    expect(reportedFor(conversion, 'jobs/backup')).toEqual(['changed token'])
  })

  test('suites are reported with their steps', async () => {
    const conversion = await gatus({
      endpoints: [{ name: 'a', ...site }],
      suites: [{ name: 'checkout', endpoints: [{ name: 'cart' }, { name: 'pay' }] }],
    })
    expect(conversion.lines.find(({ item }) => item === 'suite checkout')?.why).toContain('cart, pay')
  })

  test('maintenance, connectivity and settings of the whole file are converted or reported', async () => {
    const conversion = await gatus({
      endpoints: [{ name: 'a', ...site }],
      maintenance: { start: '23:00', duration: '1h', timezone: 'Europe/Amsterdam', every: ['Monday', 'Thursday'] },
      connectivity: { checker: { target: '1.1.1.1:53', interval: '60s' } },
      metrics: true,
      storage: { type: 'sqlite', path: '/data/data.db' },
      security: { basic: { username: 'a', 'password-bcrypt-base64': 'b' } },
    })
    expect(conversion.account.maintenance).toMatchObject([
      { every: 'week', on: ['mon', 'thu'], at: '23:00', for: '1h', timezone: 'Europe/Amsterdam' },
    ])
    expect(conversion.account.canary).toEqual({ default: ['1.1.1.1:53'] })
    expect(reportedFor(conversion, 'the file')).toEqual([
      'lost metrics',
      'lost storage',
      'lost security',
      'lost connectivity.checker.interval',
    ])
  })

  const alerting = {
    slack: {
      'webhook-url': 'https://hooks.slack.com/services/a',
      overrides: [{ group: 'core', 'webhook-url': 'https://hooks.slack.com/services/core' }],
      'default-alert': { 'failure-threshold': 5 },
    },
    discord: { 'webhook-url': 'https://discord.com/api/webhooks/1/a', title: 'x' },
    'teams-workflows': { 'webhook-url': 'https://example.com/teams' },
    telegram: { token: '123456:ABCDEFGHIJKL', id: '-100123' },
    ntfy: { topic: 'my-topic', url: 'https://ntfy.example.com', token: 'tk_12345', priority: 4 },
    pagerduty: { 'integration-key': '0123456789abcdef0123456789abcdef' },
    matrix: { 'access-token': 'syt_abc', 'internal-room-id': '!a:example.org' },
    gotify: { 'server-url': 'https://gotify.example.com', token: 'AbCdEf.123', priority: 8 },
    pushover: { 'application-token': 'a'.repeat(30), 'user-key': 'u'.repeat(30), priority: 1 },
    email: {
      from: 'a@example.com',
      username: 'a',
      password: `${dollar}SMTP_PASSWORD`,
      host: 'mail.example.com',
      port: 587,
      to: 'b@example.com,c@example.com',
    },
    custom: { url: 'https://example.com/hook', method: 'PUT', headers: { 'X-Token': 'abcdefgh' }, body: 'x' },
    opsgenie: { 'api-key': 'x' },
  }
  test('alerts are rules, and their providers channels', async () => {
    const alerts = [...Object.keys(alerting).map((type) => ({ type, 'send-on-resolved': true })), { type: 'slack', enabled: false }]
    const conversion = await gatus(
      {
        endpoints: [
          { name: 'a', ...site, alerts },
          {
            name: 'b',
            group: 'core',
            ...site,
            alerts: [{ type: 'slack', 'success-threshold': 1, 'minimum-reminder-interval': '10m', description: 'down' }],
          },
        ],
        alerting,
      },
      { SMTP_PASSWORD: 'hunter2' },
    )
    expect(conversion.account.channels).toMatchSnapshot()
    expect(conversion.account.alerts).toMatchSnapshot()
    expect(conversion.checks.get('a')?.alerts).toHaveLength(11)
    expect(conversion.account.alerts?.find(({ id }) => id === 'slack-core-5-1')).toMatchObject({
      to: ['slack-core'],
      after: { runs: 5 },
      recoverAfter: { runs: 1 },
      remind: { every: '10m' },
    })
    expect(reportedFor(conversion, 'channel opsgenie')).toEqual(['left out'])
    expect(reportedFor(conversion, 'a')).toEqual(['lost alerts.opsgenie', 'lost alerts.slack'])
    expect(reportedFor(conversion, 'core/b')).toEqual(['changed alerts.slack.send-on-resolved', 'lost alerts.slack.description'])
    expect(conversion.text).not.toMatch(/hooks\.slack|hunter2|syt_abc|tk_12345|abcdefgh/)
  })

  const whole: Readonly<Record<string, unknown>> = {
    debug: true,
    metrics: true,
    'skip-invalid-config-update': true,
    'disable-monitoring-lock': true,
    concurrency: 7,
    security: { basic: { username: 'a' } },
    alerting: { slack: { 'webhook-url': 'https://hooks.slack.com/services/a' } },
    'external-endpoints': [{ name: 'job', token: 'abcdef' }],
    suites: [{ name: 'checkout', endpoints: [] }],
    storage: { type: 'sqlite' },
    web: { port: 9090 },
    ui: { title: 'x' },
    maintenance: { start: '23:00', duration: '1h' },
    remote: { instances: [{ url: 'x' }] },
    connectivity: { checker: { target: '1.1.1.1:53' } },
    tunneling: { a: { type: 'SSH' } },
    announcements: [{ message: 'x' }],
    'something-new': 1,
  }
  test.each(Object.entries(whole))('%s of the file is not lost silently', async (name, value) => {
    const before = await gatus({ endpoints: [{ name: 'a', ...site }] })
    const after = await gatus({ endpoints: [{ name: 'a', ...site }], [name]: value })
    const changes = changesBetween([before.text, before.lines], [after.text, after.lines])
    expect(changes).not.toBe('')
    expect(changes).toMatchSnapshot()
  })

  /** By kind: a value with all required fields, and alternative values of each field. */
  const parts: Readonly<Record<string, readonly [(value: object) => object, object, Readonly<Record<string, unknown>>]>> = {
    'external endpoint': [
      (value) => ({ 'external-endpoints': [value] }),
      { name: 'job', token: 'abcdef', heartbeat: { interval: '30m' } },
      {
        enabled: false,
        name: 'other',
        group: 'other',
        token: 'ghijkl',
        alerts: [{ type: 'slack' }],
        'maintenance-windows': [{ start: '07:30', duration: '40m' }],
        heartbeat: { interval: '40m' },
        'something-new': 1,
      },
    ],
    maintenance: [
      (maintenance) => ({ maintenance }),
      { start: '23:00', duration: '1h' },
      { enabled: false, start: '22:00', duration: '2h', timezone: 'Europe/Riga', every: ['Monday'], 'something-new': 1 },
    ],
    alert: [
      (value) => ({ alerting: { slack: { 'webhook-url': 'https://x.example/a' } }, endpoints: [{ name: 'a', ...site, alerts: [value] }] }),
      { type: 'slack', 'send-on-resolved': true },
      {
        type: 'discord',
        enabled: false,
        'failure-threshold': 7,
        'success-threshold': 7,
        'minimum-reminder-interval': '7m',
        description: 'x',
        'send-on-resolved': false,
        'provider-override': { 'webhook-url': 'https://x.example/b' },
        'something-new': 1,
      },
    ],
  }
  test.each(Object.entries(parts))('no field of an %s is lost silently', async (_, [wrap, base, changes]) => {
    const said = async (value: object) => {
      const { text, lines } = await gatus({ endpoints: [{ name: 'a', ...site }], ...wrap(value) })
      return { text, lines }
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

  test.each(Object.entries(alerting))('no field of the provider %s is lost silently', async (type, settings) => {
    const said = async (more: object) => {
      const { text, lines, environment } = await gatus(
        { endpoints: [{ name: 'a', ...site }], alerting: { [type]: { ...settings, ...more } } },
        { SMTP_PASSWORD: 'hunter2' },
      )
      return { text, lines, environment }
    }
    const before = await said({})
    const isReported = (field: string) => before.lines.some((line) => line.field === field)
    const own = Object.keys(settings).filter((name) => !['overrides', 'default-alert'].includes(name) && !isReported(name))
    if (type === 'opsgenie') return
    const all: string[] = []
    for (const name of ['something-new', ...own]) {
      const became = changesBetween(before, await said({ [name]: 'other' }))
      expect(became, name).not.toBe('')
      all.push(`${name}: ${became}`)
    }
    expect(all).toMatchSnapshot()
  })

  test.each([
    ['9:05', '09:05'],
    ['23:30', '23:30'],
    [1410, '23:30'],
    [5, '00:05'],
  ])('a maintenance window that starts at %j, which YAML may have read as minutes, starts at %s', async (start, at) => {
    const conversion = await gatus({ endpoints: [{ name: 'a', ...site }], maintenance: { start, duration: '1h' } })
    expect(conversion.account.maintenance).toMatchObject([{ at, for: '1h' }])
  })

  test('files of a folder are merged', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'more'))
    writeFileSync(
      join(folder, 'a.yaml'),
      stringify({ endpoints: [{ name: 'a', ...site }], alerting: { slack: { 'webhook-url': 'https://hooks.slack.com/services/a' } } }),
    )
    writeFileSync(
      join(folder, 'more/b.yml'),
      stringify({
        endpoints: [{ name: 'b', ...site }],
        alerting: { discord: { 'webhook-url': 'https://discord.com/api/webhooks/1/a' } },
        metrics: true,
      }),
    )
    writeFileSync(join(folder, 'c.txt'), 'not this')
    const conversion = await converted('gatus', [folder])
    expect([...conversion.checks.keys()]).toEqual(['a', 'b'])
    expect(conversion.account.channels).toHaveLength(2)
  })

  test('for values in two files, the first is kept, with a line in the report', async () => {
    const folder = temporaryFolder()
    const written = (name: string, start: string) =>
      writeFileSync(join(folder, name), stringify({ endpoints: [{ name, ...site }], maintenance: { start, duration: '1h' } }))
    written('a.yaml', '22:00')
    written('b.yaml', '23:00')
    const conversion = await converted('gatus', [folder])
    expect(conversion.account.maintenance).toMatchObject([{ at: '22:00', for: '1h' }])
    expect(conversion.lines.filter(({ item }) => item === 'the files')).toEqual([
      { item: 'the files', field: 'maintenance.start', outcome: 'lost', why: 'Two files have different values: the first is kept.' },
    ])
  })
})

describe('an invalid Gatus file', () => {
  test.each([
    ['a: [', 'cannot be read as YAML: line'],
    ['just text', 'no endpoints'],
    ['endpoints: []', 'no endpoints'],
    [`${'['.repeat(3000)}`, 'cannot be read as YAML'],
    [
      `a: &a [x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n${[...'cdefghij'].map((name, at) => `${name}: &${name} [${`*${'bcdefghij'[at]},`.repeat(9)}]`).join('\n')}`,
      'cannot be read as YAML',
    ],
  ])('%# is an error message', async (text, why) => {
    const file = join(temporaryFolder(), 'config.yaml')
    writeFileSync(file, text)
    const { ended } = await convertRun('gatus', [file])
    expect(ended).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(why) })
    expect(ended.stderr.trim().split('\n')).toHaveLength(1)
  })

  test('with arbitrary values gives a valid file, or an error message', async () => {
    const endpoint = fc.dictionary(
      fc.constantFrom('name', 'url', 'group', 'interval', 'conditions', 'dns', 'client', 'headers', 'alerts', 'enabled', 'body', 'method'),
      fc.oneof(fc.anything({ maxDepth: 2 }), fc.constantFrom('https://a.example', 'tcp://a:1', '5m', ['[STATUS] == 200'], `${dollar}{A`)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(endpoint, { minLength: 1, maxLength: 4 }), async (list) => {
        const file = join(temporaryFolder(), 'config.yaml')
        writeFileSync(
          file,
          JSON.stringify({ endpoints: list }, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
        )
        const { ended } = await convertRun('gatus', [file])
        expect(ended.stderr).not.toContain('which is a bug')
        expect([0, 1]).toContain(ended.exitCode)
      }),
      { numRuns: 200 },
    )
  })
})

function gatus(value: Readonly<Record<string, unknown>>, env: Env = {}): Promise<Conversion> {
  const file = join(temporaryFolder(), 'config.yaml')
  writeFileSync(file, stringify(value))
  return converted('gatus', [file], env)
}
