// @slow
import { connect } from 'node:net'
import type { InjectOptions } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ServiceSettings } from '../../src/catalogue/catalogue.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { type Store, StoreUnavailable } from '../../src/store/store.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, credentials, readKey, service, testCatalogue, testCheck, testKey } from '../support/catalogue.ts'

const now = Date.parse('2026-11-14T10:00:00.000Z')
const ingestKey = 'tdm_testwrit_00000000000000000000000000000000_000000'
const adminKey = 'tdm_testadmi_00000000000000000000000000000000_000000'
const otherKey = 'tdm_testothr_00000000000000000000000000000000_000000'

let settings: ServiceSettings = service
const checks = checkTypes.map((checkType) => testCheck(checkType))
const strangers = checkTypes.map((checkType) => testCheck(checkType, { id: `theirs-${checkType.path}`, account: 'other' }))
let api: TestApp
beforeAll(async () => {
  const catalogue = testCatalogue({
    accounts: [account, 'other'].map((id) => ({ id, name: id, publicBadges: false })),
    keys: [
      testKey(readKey, account, ['read']),
      testKey(ingestKey, account, ['ingest']),
      testKey(adminKey, account, ['admin']),
      testKey(otherKey, 'other', ['read']),
    ],
    checks: [...checks, ...strangers],
    service: () => settings,
  })
  api = await openTestApp({ catalogue, now })
  await api.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => api.close())

const as = (key: string, owner = account) => ({ authorization: `Bearer ${key}`, 'x-service-account': owner })

describe('a key and an account are both required', () => {
  test.each([
    ['nothing', {}, 401, 'MISSING_KEY'],
    ['an account without a key', { 'x-service-account': account }, 401, 'MISSING_KEY'],
    ['a key without an account', { authorization: `Bearer ${readKey}` }, 401, 'MISSING_ACCOUNT'],
    ['an empty account', as(readKey, ''), 401, 'MISSING_ACCOUNT'],
    ['no scheme', { ...credentials, authorization: readKey }, 401, 'MISSING_KEY'],
    ['another scheme', { ...credentials, authorization: `Basic ${readKey}` }, 401, 'MISSING_KEY'],
    ['two words', { ...credentials, authorization: `Bearer ${readKey} x` }, 401, 'MISSING_KEY'],
    ['an unknown key', as('tdm_nobody'), 401, 'UNKNOWN_KEY'],
    ['a key in another case', as(readKey.toUpperCase()), 401, 'UNKNOWN_KEY'],
    ['an account that the key does not belong to', as(readKey, 'other'), 403, 'FORBIDDEN_ACCOUNT'],
    ['an account that does not exist', as(readKey, 'nobody'), 403, 'FORBIDDEN_ACCOUNT'],
    ['a key without the scope', as(ingestKey), 403, 'MISSING_SCOPE'],
  ])('%s', async (_, headers, status, code) => {
    const answer = await api.get('/v1/checks', headers)
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })
  test('a valid key is accepted with its account, and so is an admin key', async () => {
    expect((await api.get('/v1/checks')).status).toBe(200)
    expect((await api.get('/v1/checks', as(adminKey))).status).toBe(200)
  })
  test('header names and the scheme are case-insensitive', async () => {
    const headers = { AUTHORIZATION: `bearer ${readKey}`, 'X-SERVICE-ACCOUNT': account }
    expect((await api.get('/v1/checks', headers)).status).toBe(200)
  })
  test('further names for the account header can be configured', async () => {
    const headers = { authorization: `Bearer ${readKey}`, 'X-Vendor-Account': account }
    expect((await api.get('/v1/checks', headers)).status).toBe(401)
    settings = { ...service, accountHeaders: ['x-vendor-account'] }
    expect((await api.get('/v1/checks', headers)).status).toBe(200)
    settings = service
  })
})

describe('without credentials, anyone can request', () => {
  test.each(['/health/live', '/health/ready', '/health/writable', '/openapi.json', '/docs', '/docs/'])('%s', async (url) => {
    expect((await api.get(url, {})).status).toBe(200)
  })
  test('nothing else, not even a path that does not exist', async () => {
    for (const url of ['/v1/checks', '/v1/nothing', '/v2/nothing', '/%2e%2e/etc/passwd', ...checks.map(reportUrl)]) {
      expect([url, (await api.get(url, {})).status]).toEqual([url, 401])
    }
    expect((await api.call({ method: 'DELETE', url: '/v1/checks' })).status).toBe(401)
  })
})

describe('a check', () => {
  test('that does not exist and one of another account are the same 404, byte for byte', async () => {
    for (const { checkType, id } of strangers) {
      const theirs = await api.get(`/v1/analytics/${checkType.path}/${id}?metrics=availability`)
      const none = await api.get(`/v1/analytics/${checkType.path}/none?metrics=availability`)
      expect([theirs.status, theirs.text]).toEqual([404, none.text])
    }
    for (const path of ['/v1/checks', '/v1/check-statuses', '/v1/check-results', '/v2/check-results']) {
      const theirs = await api.get(`${path}/${strangers[0]?.id}`)
      expect([theirs.status, theirs.text]).toEqual([404, (await api.get(`${path}/none`)).text])
    }
  })
  test('on the endpoint of another type is a 404 whose message names the right endpoint', async () => {
    for (const [index, check] of checks.entries()) {
      const wrong = checkTypes[(index + 1) % checkTypes.length]
      const { status, body } = await api.get(`/v1/analytics/${wrong?.path}/${check.id}?metrics=availability`)
      expect([status, body.code]).toEqual([404, 'WRONG_ENDPOINT'])
      expect(body.message).toContain(`/v1/analytics/${check.checkType.path}/${check.id}`)
    }
  })
  test('on the endpoint of another type is WRONG_ENDPOINT even if the query is invalid too, since metrics differ by type', async () => {
    for (const [index, check] of checks.entries()) {
      const wrong = checkTypes[(index + 1) % checkTypes.length]
      const { status, body } = await api.get(`/v1/analytics/${wrong?.path}/${check.id}?metrics=another_avg&limit=0`)
      expect([status, body.code]).toEqual([404, 'WRONG_ENDPOINT'])
    }
  })
  test('that is missing looks like one of another account, also with an invalid query', async () => {
    for (const { checkType, id } of strangers) {
      const theirs = await api.get(`/v1/analytics/${checkType.path}/${id}?metrics=another_avg`)
      const none = await api.get(`/v1/analytics/${checkType.path}/none?metrics=another_avg`)
      expect([theirs.status, theirs.text]).toEqual([400, none.text])
    }
  })
})

describe('every error', () => {
  test('is JSON with statusCode, error, message and code', async () => {
    expect((await api.get('/v1/nothing')).text).toBe(
      '{"statusCode":404,"error":"Not Found","message":"There is nothing at this address. The API is described at /docs.","code":"ROUTE_NOT_FOUND"}',
    )
  })
  test('405 lists the allowed methods', async () => {
    for (const method of ['PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE'] as NonNullable<InjectOptions['method']>[]) {
      const headers = { ...credentials, 'content-type': 'text/strange' }
      const answer = await api.call({ method, url: '/v1/checks', headers, ...(method.startsWith('P') && { payload: 'x' }) })
      expect([answer.status, answer.headers.allow, answer.body.code]).toEqual([405, 'GET, HEAD, PATCH, POST', 'METHOD_NOT_ALLOWED'])
    }
    const summary = await api.get('/v1/analytics/checks')
    expect([summary.status, summary.headers.allow]).toEqual([405, 'POST'])
    const inBrowser = await api.get('/v1/analytics/checks', { ...credentials, accept: 'text/html,*/*;q=0.8' })
    expect([inBrowser.status, inBrowser.headers.allow]).toEqual([405, 'POST'])
  })
  test.each([
    ['a body too large', { payload: JSON.stringify('x'.repeat(1_100_000)) }, 413, 'BODY_TOO_LARGE'],
    [
      'a body of an unsupported type',
      { payload: '<a/>', headers: { ...credentials, 'content-type': 'application/xml' } },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['a body of plain text', { payload: '{}', headers: { ...credentials, 'content-type': 'text/plain' } }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a malformed JSON body', { payload: '{' }, 400, 'MALFORMED_REQUEST'],
    ['a body with a poisoned prototype', { payload: '{"__proto__": {"a": 1}}' }, 400, 'MALFORMED_REQUEST'],
    ['no body', {}, 400, 'INVALID_BODY'],
  ])('%s', async (_, options, status, code) => {
    const headers = { ...credentials, ...('payload' in options && { 'content-type': 'application/json' }) }
    const answer = await api.call({ method: 'POST', url: '/v1/analytics/checks', headers, ...options })
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })
  test('a malformed JSON body gets a message that says so', async () => {
    const headers = { ...credentials, 'content-type': 'application/json' }
    const { body } = await api.call({ method: 'POST', url: '/v1/analytics/checks', headers, payload: '{' })
    expect(body.message).toBe('The body cannot be read: it must be JSON.')
  })
  test('an address that is too long is 414', async () => {
    const { status, body } = await api.get(`/v1/checks?search=${'x'.repeat(20_000)}`)
    expect([status, body.code]).toEqual([414, 'ADDRESS_TOO_LONG'])
  })
  test('an address that cannot be decoded is 400', async () => {
    const { status, body } = await api.get('/v1/checks/%zz')
    expect([status, body.code]).toEqual([400, 'MALFORMED_REQUEST'])
  })
  test.each(['a b', 'a/../b', '%00', 'a%0d%0ab', 'ä', 'a.b', 'x'.repeat(129)])('the id %j is 400', async (id) => {
    for (const path of [
      '/v1/checks',
      '/v1/check-statuses',
      '/v1/check-results',
      ...checkTypes.map(({ path }) => `/v1/analytics/${path}`),
    ]) {
      const { status, body } = await api.get(`${path}/${encodeURIComponent(decodeURIComponent(id))}`)
      expect([path, status, body.code]).toEqual([path, 400, 'INVALID_ID'])
    }
  })
  test('an id of 128 characters is an id', async () => {
    expect((await api.get(`/v1/checks/${'x'.repeat(128)}`)).body.code).toBe('CHECK_NOT_FOUND')
  })
  test('a request that is not HTTP gets an error in the same format', async () => {
    const { port } = api.app.server.address() as { readonly port: number }
    expect(await send(port, 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n.*"code":"MALFORMED_REQUEST"\}$/s)
    expect(await send(port, 'GET /docs HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 Bad Request\r\n.*"code":"MALFORMED_REQUEST"\}$/s,
    )
    const long = 'x'.repeat(100_000)
    const rest = ' HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    for (const request of [`GET /${long}`, `GET /${long}${rest}`, `GET /${long}${long}${rest}`])
      expect(await send(port, request)).toMatch(/^HTTP\/1\.1 414 URI Too Long\r\n.*"code":"ADDRESS_TOO_LONG"\}$/s)
  })
  test.each([
    ['8,193 bytes', 8_193],
    ['20,000 bytes', 20_000],
    ['100,000 bytes', 100_000],
    ['a megabyte', 1_000_000],
  ])('a header of %s is rejected as too large, whatever its name', async (_, length) => {
    const { port } = api.app.server.address() as { readonly port: number }
    const long = 'x,'.repeat(length / 2 + 1)
    for (const name of ['X-Long', 'Accept', 'Accept-Encoding', 'Authorization', 'If-None-Match', 'Origin', 'X-Service-Account', 'Referer'])
      expect(await send(port, `GET /v1/checks HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${name}: ${long}\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 400 Bad Request\r\n.*"message":"The headers are too large: [^"]*","code":"HEADERS_TOO_LARGE"\}$/s,
      )
  })
  test('headers that are too large in total are rejected, but long cookies of other programs are not', async () => {
    const { port } = api.app.server.address() as { readonly port: number }
    const many = Array.from({ length: 1000 }, (_, i) => `X-${i}: ${'x'.repeat(50)}\r\n`).join('')
    expect(await send(port, `GET / HTTP/1.1\r\nHost: x\r\n${many}\r\n`)).toMatch(/^HTTP\/1\.1 400 .*"code":"HEADERS_TOO_LARGE"\}$/s)
    const cookie = `Cookie: ${'x'.repeat(12_000)}`
    expect(await send(port, `GET /health/live HTTP/1.1\r\nHost: x\r\n${cookie}\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /)
  })
  test('a malformed request of any length is answered, and an endless one is cut off', async () => {
    const { port } = api.app.server.address() as { readonly port: number }
    expect(await send(port, `GET /${'x'.repeat(5_000_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(/^HTTP\/1\.1 414 /)
    const endless = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    endless.on('error', () => {}).resume()
    const sending = setInterval(() => endless.write('x'.repeat(10_000)), 5)
    await new Promise((resolve) => endless.once('close', resolve))
    clearInterval(sending)
  })
  test('an unknown Expect header is ignored', async () => {
    const { port } = api.app.server.address() as { readonly port: number }
    const answer = await send(port, 'GET /health/live HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  })
})

describe('when the store is unavailable', () => {
  test('queries and the readiness probe are 503 with Retry-After, and the liveness probe stays 200', async () => {
    const overrun = async () => {
      throw new StoreUnavailable('Too much is asked at once.', 7)
    }
    const questions = { aggregate: overrun, raw: overrun, results: overrun }
    const instead = (store: Store) => ({ ...store, ready: async () => false, writable: async () => false, ...questions })
    const away = await openTestApp({ catalogue: testCatalogue({ checks }), now, instead })
    const asking = checks.map((check) => `${reportUrl(check)}?metrics=availability`)
    for (const url of ['/health/ready', '/health/writable', '/v1/check-statuses', `/v2/check-results/${checks[0]?.id}`, ...asking]) {
      const { status, headers, body } = await away.get(url)
      expect([url, status, body.code]).toEqual([url, 503, 'UNAVAILABLE'])
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    }
    expect((await away.get('/health/live')).status).toBe(200)
    await away.close()
  })
})

test('a bug is a 500 without detail, and the log has the error under the request id of the response', async () => {
  const catalogue = testCatalogue({ checks })
  const lines: string[] = []
  const broken = await openTestApp({
    log: pino({ level: 'error' }, { write: (line) => lines.push(line) }),
    catalogue: {
      ...catalogue,
      checks: () => {
        throw new Error('SELECT * FROM secrets at /etc/passwd')
      },
    },
  })
  const { status, body, text } = await broken.get('/v1/checks')
  expect([status, body.code]).toEqual([500, 'INTERNAL'])
  expect(text).not.toMatch(/SELECT|passwd/)
  const [line = '{}', ...more] = lines
  const { reqId, err } = JSON.parse(line)
  expect(body.message).toContain(`request id: ${reqId}.`)
  expect([err.message, more]).toEqual([expect.stringContaining('SELECT'), []])
  await broken.close()
})

describe('the rate limit', () => {
  test('is shown in headers and counts per key', async () => {
    settings = { ...service, rateLimit: { requests: 3, perMs: 3_600_000 } }
    const catalogue = testCatalogue({
      accounts: [account, 'other'].map((id) => ({ id, name: id, publicBadges: false })),
      keys: [testKey(readKey, account, ['read']), testKey(otherKey, 'other', ['read'])],
      service: () => settings,
    })
    const limited = await openTestApp({ catalogue })
    const remaining = []
    for (let i = 0; i < 3; i++) remaining.push((await limited.get('/v1/checks')).headers['ratelimit-remaining'])
    expect(remaining).toEqual(['2', '1', '0'])
    const { status, headers, body } = await limited.get('/v1/nothing')
    expect([status, body.code]).toEqual([429, 'RATE_LIMITED'])
    expect(headers).toMatchObject({ 'ratelimit-limit': '3', 'ratelimit-remaining': '0' })
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect((await limited.get('/v1/checks', as(otherKey, 'other'))).status).toBe(200)
    expect((await limited.get('/health/live')).status).toBe(200)
    settings = { ...service, rateLimit: { requests: 100, perMs: 3_600_000 } }
    expect((await limited.get('/v1/checks')).status).toBe(200)
    await limited.close()
    settings = service
  })
})

test('a trailing slash is always accepted', async () => {
  for (const url of ['/v1/checks', `/v1/checks/${checks[0]?.id}`, '/v1/check-statuses', ...checks.map(reportUrl)]) {
    const [without, withSlash] = [await api.get(`${url}?metrics=availability`), await api.get(`${url}/?metrics=availability`)]
    expect([url, withSlash.status, withSlash.text]).toEqual([url, without.status, without.text])
  }
})

function reportUrl(check: (typeof checks)[number] | undefined): string {
  return `/v1/analytics/${check?.checkType.path}/${check?.id}`
}

function send(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (data) => {
      answer += data
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}
