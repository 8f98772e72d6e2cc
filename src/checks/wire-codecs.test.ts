import { describe, expect, test } from 'vitest'
import { wireReading } from '../../test/support/wire-reading.ts'
import { wire as api } from './api/wire.ts'
import { wire as browser } from './browser/wire.ts'
import { wire as dns } from './dns/wire.ts'
import { wire as heartbeat } from './heartbeat/wire.ts'
import { wire as icmp } from './icmp/wire.ts'
import { wire as multistep } from './multistep/wire.ts'
import { wire as playwright } from './playwright/wire.ts'
import { wire as tcp } from './tcp/wire.ts'
import { wire as url } from './url/wire.ts'
import type { Kept, Known, WireCodec } from './wire.ts'

type Body = Readonly<Record<string, unknown>>

const fresh: Kept = { previous: undefined, newToken: () => 'new' }

function read<Settings>({ read: readBody }: WireCodec<Settings>, body: Body, kept = fresh) {
  const { value, faults } = wireReading(body, (reader) => readBody(reader, kept))
  return faults.length > 0 ? faults : value
}

/** Settings as they are written; types with required settings get them. */
function written<Settings>({ write }: WireCodec<Settings>, settings: Body, known: Partial<Known<Settings>> = {}) {
  return write(settings as Settings, { resolved: settings as Settings, ...known })
}

describe('API', () => {
  const given = (request: Body) => ({ request: { url: 'http://a.test', ...request } })
  const bare = {
    method: 'GET',
    url: 'http://a.test',
    followRedirects: true,
    skipSSL: false,
    ipFamily: null,
    assertions: [],
    headers: [],
    queryParameters: [],
    body: '',
    bodyType: 'NONE',
    basicAuth: null,
  }

  test.each([
    [{}, {}],
    [{ method: 'GET', followRedirects: true, skipSSL: false, body: '', bodyType: 'NONE', basicAuth: null }, {}],
    [{ method: 'post' }, { method: 'POST' }],
    [
      { followRedirects: false, skipSSL: true },
      { followRedirects: false, skipTls: true },
    ],
    [{ ipFamily: 'IPv6' }, { ipFamily: 'IPv6' }],
    [{ headers: [{ key: 'A', value: '1' }] }, { headers: { A: '1' } }],
    [{ queryParameters: [{ key: 'q', value: '1' }] }, { query: { q: '1' } }],
    [
      { body: 'x', bodyType: 'RAW' },
      { body: 'x', bodyType: 'raw' },
    ],
    [{ bodyType: 'RAW' }, {}],
    [{ bodyType: 'GRAPHQL' }, { bodyType: 'graphql' }],
    [{ body: '{}' }, { body: '{}' }],
    [{ basicAuth: { username: 'u' } }, { basicAuth: { username: 'u', password: '' } }],
    [{ basicAuth: { password: 'p' } }, { basicAuth: { username: '', password: 'p' } }],
  ])('reads %j', (request, settings) => {
    expect(read(api, given(request))).toEqual(given(settings))
  })

  test('rejects a body with type NONE', () => {
    expect(read(api, given({ body: 'x', bodyType: 'NONE' }))).toEqual(['/request/bodyType: bodyType NONE sends no body: use RAW'])
  })

  test.each([
    [{}, {}],
    [{ method: 'PUT' }, { method: 'PUT' }],
    [
      { followRedirects: false, skipTls: true, ipFamily: 'IPv4' },
      { followRedirects: false, skipSSL: true, ipFamily: 'IPv4' },
    ],
    [{ headers: { A: '1' } }, { headers: [{ key: 'A', value: '1', locked: false }] }],
    [{ query: { q: '1' } }, { queryParameters: [{ key: 'q', value: '1', locked: false }] }],
    [{ body: 'x' }, { body: 'x', bodyType: 'RAW' }],
    [{ bodyType: 'raw' }, {}],
    [{ bodyType: 'json' }, { bodyType: 'JSON' }],
    [
      { body: 'x', bodyType: 'form' },
      { body: 'x', bodyType: 'FORM' },
    ],
    [{ basicAuth: { username: '', password: '' } }, {}],
    [{ basicAuth: { username: 'u', password: '' } }, { basicAuth: { username: 'u', password: '' } }],
    [{ basicAuth: { username: '', password: 'p' } }, { basicAuth: { username: '', password: 'p' } }],
  ])('writes %j', (settings, request) => {
    expect(written(api, given(settings))).toEqual({ shouldFail: false, request: { ...bare, ...request } })
  })
})

describe('shouldFail of requests', () => {
  const tcpRequest = { hostname: 'a', port: 1 }
  const urlRequest = { url: 'http://a.test' }

  test.each([
    ['API', api, urlRequest],
    ['URL', url, urlRequest],
    ['TCP', tcp, tcpRequest],
  ] as readonly (readonly [string, WireCodec<unknown>, Body])[])('%s', (_, codec, request) => {
    for (const shouldFail of [false, null, undefined]) expect(read(codec, { request, shouldFail })).toEqual({ request })
    expect(read(codec, { request, shouldFail: true })).toEqual({ request, shouldFail: true })
    expect(written(codec, { request })).toMatchObject({ shouldFail: false, request })
    expect(written(codec, { request, shouldFail: true })).toMatchObject({ shouldFail: true, request })
  })
})

test('URL requests have a fixed method and no body', () => {
  const request = { url: 'http://a.test' }
  expect(read(url, { request: { ...request, method: 'get', bodyType: 'none' } })).toEqual({ request })
  expect(read(url, { request: { ...request, method: 'POST', bodyType: 'JSON' } })).toEqual([
    '/request/method: method must be one of GET',
    '/request/bodyType: bodyType must be one of NONE',
  ])
  const assertions = [
    { source: 'CERTIFICATE_DAYS', comparison: 'GREATER_THAN', target: '7' },
    { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' },
  ]
  const settings = [
    { source: 'certificateDays', comparison: 'greaterThan', target: 7 },
    { source: 'statusCode', comparison: 'equals', target: 200 },
  ]
  expect(read(url, { request: { ...request, assertions } })).toEqual({ request: { ...request, assertions: settings } })
  expect(written(url, { request: { ...request, assertions: settings } })).toEqual({
    shouldFail: false,
    request: {
      ...request,
      method: 'GET',
      followRedirects: true,
      skipSSL: false,
      ipFamily: null,
      assertions: assertions.map((assertion) => ({ ...assertion, property: '', regex: null })),
    },
  })
})

describe('TCP', () => {
  test.each([
    [
      { hostname: 'a', port: 1, data: '', ipFamily: null },
      { hostname: 'a', port: 1 },
    ],
    [
      { hostname: '{{HOST}}', port: 1, data: '{{DATA}}', ipFamily: 'ipv4' },
      { hostname: `\${HOST}`, port: 1, data: `\${DATA}`, ipFamily: 'IPv4' },
    ],
    [
      { port: 0, assertions: [{ source: 'RESPONSE_DATA', comparison: 'CONTAINS', target: 'x' }] },
      { port: 0, assertions: [{ source: 'responseData', comparison: 'contains', target: 'x' }] },
    ],
    [
      { assertions: [{ source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '5' }] },
      { assertions: [{ source: 'responseTime', comparison: 'lessThan', target: 5 }] },
    ],
  ])('reads %j', (request, settings) => {
    expect(read(tcp, { request })).toEqual({ request: settings })
  })

  test('writes every field', () => {
    const bare = { hostname: 'a', port: 1, data: '', ipFamily: null, assertions: [] }
    expect(written(tcp, { request: { hostname: 'a', port: 1 } }).request).toEqual(bare)
    const request = { hostname: 'a', port: 1, data: 'x', ipFamily: 'IPv6' }
    expect(written(tcp, { request }).request).toEqual({ ...bare, ...request })
  })
})

describe('DNS', () => {
  test.each([
    [{ query: 'a', recordType: '', nameServer: '', port: 0, protocol: '' }, { query: 'a' }],
    [
      { query: '{{NAME}}', recordType: 'mx', nameServer: '{{AT}}', port: 53, protocol: 'tcp' },
      { query: `\${NAME}`, recordType: 'MX', nameServer: `\${AT}`, port: 53, protocol: 'TCP' },
    ],
    [
      { assertions: [{ source: 'JSON_ANSWER', comparison: 'NOT_EMPTY' }] },
      { assertions: [{ source: 'answer', comparison: 'notEmpty', property: '$' }] },
    ],
    [
      { assertions: [{ source: 'TEXT_ANSWER', comparison: 'CONTAINS', target: 'x' }] },
      { assertions: [{ source: 'answer', comparison: 'contains', target: 'x' }] },
    ],
    [
      { assertions: [{ source: 'RESPONSE_CODE', comparison: 'EQUALS', target: 'NXDOMAIN' }] },
      { assertions: [{ source: 'responseCode', comparison: 'equals', target: 'NXDOMAIN' }] },
    ],
  ])('reads %j', (request, settings) => {
    expect(read(dns, { request })).toEqual({ request: settings })
  })

  test('writes every field', () => {
    const bare = { query: 'a', recordType: 'A', nameServer: '', port: null, protocol: 'UDP', assertions: [] }
    expect(written(dns, { request: { query: 'a' } })).toEqual({ shouldFail: false, request: bare })
    const request = { query: 'a', recordType: 'MX', nameServer: '9.9.9.9', port: 54, protocol: 'TCP' }
    expect(written(dns, { request })).toEqual({ shouldFail: false, request: { ...bare, ...request } })
    const answers = [
      { source: 'answer', comparison: 'notEmpty' },
      { source: 'answer', comparison: 'notEmpty', property: '$' },
      { source: 'answer', comparison: 'notEmpty', property: '$[0]' },
    ]
    expect(written(dns, { request: { query: 'a', assertions: answers } })).toMatchObject({
      request: {
        assertions: [
          { source: 'TEXT_ANSWER', property: '' },
          { source: 'JSON_ANSWER', property: '' },
          { source: 'JSON_ANSWER', property: '$[0]' },
        ],
      },
    })
  })
})

describe('ICMP', () => {
  test.each([
    [{ request: { hostname: 'a', pingCount: 0 } }, { request: { hostname: 'a' } }],
    [
      { request: { hostname: '{{HOST}}', ipFamily: 'IPv6', pingCount: 3 }, degradedPacketLossThreshold: 0, maxPacketLossThreshold: 50 },
      { request: { hostname: `\${HOST}`, ipFamily: 'IPv6', pingCount: 3 }, degradedPacketLoss: 0, maxPacketLoss: 50 },
    ],
    [
      { request: { assertions: [{ source: 'LATENCY', comparison: 'LESS_THAN', property: 'max', target: '5' }] } },
      { request: { assertions: [{ source: 'latency', comparison: 'lessThan', property: 'max', target: 5 }] } },
    ],
    [
      { request: { assertions: [{ source: 'JSON_RESPONSE', comparison: 'EQUALS', property: '$.x', target: '5' }] } },
      { request: { assertions: [{ source: 'jsonResponse', comparison: 'equals', property: '$.x', target: '5' }] } },
    ],
  ])('reads %j', (body, settings) => {
    expect(read(icmp, body)).toEqual(settings)
  })

  test('writes every field, with integer percentages', () => {
    const bare = { hostname: 'a', ipFamily: null, pingCount: 10, assertions: [] }
    expect(written(icmp, { request: { hostname: 'a' } })).toEqual({
      shouldFail: false,
      request: bare,
      degradedPacketLossThreshold: null,
      maxPacketLossThreshold: null,
    })
    const request = { hostname: 'a', ipFamily: 'IPv4', pingCount: 3 }
    expect(written(icmp, { request, degradedPacketLoss: 0, maxPacketLoss: 33.4 })).toEqual({
      shouldFail: false,
      request: { ...bare, ...request },
      degradedPacketLossThreshold: 0,
      maxPacketLossThreshold: 33,
    })
  })
})

test('a browser check may have a URL instead of a script', () => {
  expect(read(browser, { url: '{{AT}}/x' })).toEqual({ url: `\${AT}/x` })
  expect(read(browser, { script: 'x()' })).toEqual({ inlineScript: 'x()' })
  const script = { shouldFail: false, script: 'x()', scriptPath: null, environmentVariables: [] }
  expect(written(browser, { inlineScript: 'x()' })).toEqual({ ...script, url: null, sslCheckDomain: '' })
  expect(written(browser, { url: 'http://a.test' })).toEqual({ ...script, script: null, url: 'http://a.test', sslCheckDomain: '' })
  expect(read(multistep, { script: 'x()' })).toEqual({ inlineScript: 'x()' })
  expect(written(multistep, { inlineScript: 'x()' })).toEqual(script)
})

describe('HEARTBEAT', () => {
  const token = 'a-token-of-32-characters-0123456'
  const given = (fields: Body) => read(heartbeat, { request: {}, heartbeat: { pingToken: token, ...fields } })
  const everyDay = { schedule: '0 3 * * *', timezone: 'Europe/Berlin' }

  test.each([
    [{}, {}],
    [everyDay, everyDay],
    [{ period: 0, periodUnit: 'hours' }, {}],
    [
      { period: 1, periodUnit: 'seconds', grace: 2, graceUnit: 'Minutes' },
      { period: '1s', grace: '2m' },
    ],
    [
      { period: 3, periodUnit: 'HOURS', grace: 4, graceUnit: 'days' },
      { period: '3h', grace: '4d' },
    ],
    [{ period: 999_999_999, periodUnit: 'seconds' }, { period: '999999999s' }],
    [{ pingUrl: 'x', alertSettings: { a: 1 } }, {}],
  ])('reads %j', (fields, settings) => {
    expect(given(fields)).toEqual({ heartbeat: { ...settings, token } })
  })

  test.each([
    [{ period: 1 }, ['/heartbeat/periodUnit: periodUnit is missing']],
    [{ grace: 1, graceUnit: '' }, ['/heartbeat/graceUnit: graceUnit is missing']],
    [{ period: 1, periodUnit: 'weeks' }, ['/heartbeat/periodUnit: periodUnit must be one of SECONDS, MINUTES, HOURS, DAYS']],
    [{ period: 1.5, periodUnit: 'days' }, ['/heartbeat/period: period must be a whole number']],
    [{ period: -1, periodUnit: 'days' }, ['/heartbeat/period: period must be a whole number']],
    [{ period: 1e9, periodUnit: 'days' }, ['/heartbeat/period: period must be a whole number']],
  ])('rejects %j', (fields, faults) => {
    expect(given(fields)).toEqual(faults)
  })

  test('keeps the token, or generates one', () => {
    const tokenOf = (previous: Body | undefined) => read(heartbeat, { heartbeat: {} }, { ...fresh, previous })
    expect(tokenOf({ heartbeat: { token: 'old' } })).toEqual({ heartbeat: { token: 'old' } })
    for (const previous of [undefined, {}, { heartbeat: {} }]) expect(tokenOf(previous)).toEqual({ heartbeat: { token: 'new' } })
    expect(read(heartbeat, { heartbeat: { pingToken: 'sent' } }, { ...fresh, previous: { heartbeat: { token: 'old' } } })).toEqual({
      heartbeat: { token: 'sent' },
    })
  })

  test.each([
    ['1s', 1, 'seconds'],
    ['20m', 20, 'minutes'],
    ['3h', 3, 'hours'],
    ['4d', 4, 'days'],
    ['1500ms', 2, 'seconds'],
    ['1000ms', 1, 'seconds'],
    [undefined, 0, 'seconds'],
    [`\${PERIOD}`, 0, 'seconds'],
  ])('writes the duration %s', (period, count, unit) => {
    expect(written(heartbeat, { heartbeat: { token, period, grace: period } }).heartbeat).toEqual({
      period: count,
      periodUnit: unit,
      grace: count,
      graceUnit: unit,
      schedule: null,
      timezone: null,
      pingToken: token,
      pingUrl: null,
    })
  })

  test('writes a schedule, and the ping URL if the token is not a hash', () => {
    const pingUrl = (text: string) => `http://a.test/${text}`
    expect(written(heartbeat, { heartbeat: { token, ...everyDay } }, { pingUrl }).heartbeat).toMatchObject({
      ...everyDay,
      pingUrl: `http://a.test/${token}`,
    })
    for (const hidden of ['sha256:abc', `\${TOKEN}`])
      expect(written(heartbeat, { heartbeat: { token: hidden } }, { pingUrl }).heartbeat).toMatchObject({ pingUrl: null })
  })
})

describe('Playwright suites', () => {
  const bundle = 'tidemark-bundle-1.abc'
  const command = (testCommand: string) => read(playwright, { testCommand })
  const commandOf = (settings: Body) => written(playwright, { directory: 'e2e', ...settings }).testCommand

  test.each([
    [{}, {}],
    [{ codeBundlePath: 'e2e', workingDir: 'x', browsers: [] }, { directory: 'e2e' }],
    [
      { codeBundlePath: bundle, workingDir: 'x' },
      { bundle, bundleFolder: 'x' },
    ],
    [{ codeBundlePath: bundle }, { bundle }],
    [{ environmentVariables: [{ key: 'A', value: '1' }], request: { x: 1 } }, { environment: { A: '1' } }],
    [
      { browsers: ['chromium'], cacheHash: 'h', playwrightVersion: '1', engine: 'node', engineVersion: '20' },
      { suiteFields: { browsers: ['chromium'], cacheHash: 'h', playwrightVersion: '1', engine: 'node', engineVersion: '20' } },
    ],
    [{ engine: 'node' }, { suiteFields: { engine: 'node' } }],
  ])('reads %j', (body, settings) => {
    expect(read(playwright, body)).toEqual(settings)
  })

  test('accepts a long bundle, and limits other fields of a suite', () => {
    expect(read(playwright, { codeBundlePath: bundle.padEnd(240_000, 'a') })).toHaveProperty('bundle')
    expect(read(playwright, { codeBundlePath: bundle.padEnd(240_001, 'a') })).toHaveLength(1)
    expect(read(playwright, { engine: 'a'.repeat(200) })).toHaveProperty('suiteFields')
    expect(read(playwright, { engine: 'a'.repeat(201) })).toHaveLength(1)
  })

  test.each([
    ['npx playwright test', {}],
    ['npx playwright test --project="a b"', { project: 'a b' }],
    ['npx playwright test --grep="a\\"b"', { grep: 'a"b' }],
    ['npx playwright test --project="p" --grep="g"', { project: 'p', grep: 'g' }],
    ['npx playwright test --grep="\\d"', { grep: '"\\d"' }],
    ['npx playwright test --config a/b.config.ts', { bundleConfig: 'a/b.config.ts' }],
    [`pnpm playwright test --config 'a b' --project x --grep 'it'"'"'s'`, { bundleConfig: 'a b', project: 'x', grep: "it's" }],
    ['yarn playwright test --config a --grep @slow', { bundleConfig: 'a', grep: '@slow' }],
  ])('reads the command %s', (text, settings) => {
    expect(command(text)).toEqual(settings)
  })

  test.each(['npx playwright show', 'npx playwright test --grep=g', 'npx playwright test; id', 'npx playwright test --config a; id'])(
    'rejects the command %s',
    (text) => {
      const message = 'testCommand must be npx playwright test, with --project="…" and --grep="…" if needed'
      expect(command(text)).toEqual([`/testCommand: ${message}`])
    },
  )

  test.each([
    [{}, ''],
    [{ project: 'a b' }, ' --project="a b"'],
    [{ grep: 'a"b', project: 'p' }, ' --project="p" --grep="a\\"b"'],
    [{ bundleConfig: 'a/b.ts' }, ' --config a/b.ts'],
    [{ bundleConfig: 'a b', project: 'p', grep: "it's" }, ` --config 'a b' --project p --grep 'it'"'"'s'`],
  ])('writes the settings %j as a command that can be read back', (settings, options) => {
    const text = `npx playwright test${options}`
    expect(commandOf(settings)).toBe(text)
    expect(command(text)).toEqual(settings)
  })

  test('writes every field', () => {
    const bare = {
      codeBundlePath: 'e2e',
      testCommand: 'npx playwright test',
      environmentVariables: [],
      browsers: [],
      cacheHash: '',
      playwrightVersion: null,
      installCommand: null,
      workingDir: null,
      engine: null,
      engineVersion: null,
    }
    expect(written(playwright, { directory: 'e2e' })).toEqual(bare)
    const suiteFields = { browsers: ['webkit'], cacheHash: 'h', playwrightVersion: '1', engine: 'node', engineVersion: '20' }
    expect(written(playwright, { bundle, bundleFolder: 'x', environment: { A: '1' }, suiteFields })).toEqual({
      ...bare,
      ...suiteFields,
      codeBundlePath: bundle,
      workingDir: 'x',
      environmentVariables: [{ key: 'A', value: '1', locked: false, secret: true }],
    })
  })
})
