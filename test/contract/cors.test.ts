import { expect, onTestFinished, test } from 'vitest'
import { openTestApp } from '../support/app.ts'
import { account, credentials, readKey, service, testCatalogue, testCheck, testKey } from '../support/catalogue.ts'
import { anyRunType } from '../support/example-config.ts'

const ours = 'https://dashboards.example.com'
const check = testCheck(anyRunType())

async function open(corsOrigins: readonly string[]) {
  const settings = () => ({ ...service, corsOrigins, accountHeaders: ['x-acme-account'] })
  const keys = [testKey(readKey, account, ['read', 'metrics'])]
  const app = await openTestApp({ catalogue: testCatalogue({ checks: [check], keys, service: settings }) })
  onTestFinished(app.close)
  const preflight = (url: string, origin: string, method = 'GET') =>
    app.call({ method: 'OPTIONS', url, headers: { origin, 'access-control-request-method': method } })
  return { ...app, preflight, ask: (url: string, origin: string) => app.get(url, { ...credentials, origin }) }
}

const corsHeaders = (headers: object) => Object.keys(headers).filter((name) => name.startsWith('access-control-'))

test('without origins in the config, no response has CORS headers, and a preflight is rejected', async () => {
  const { ask, preflight } = await open([])
  const { status, headers } = await ask('/v1/checks', ours)
  expect([status, corsHeaders(headers), headers.vary]).toEqual([200, [], undefined])
  const refused = await preflight('/v1/checks', ours)
  expect([refused.status, corsHeaders(refused.headers)]).toEqual([401, []])
})

test('a page of a configured origin may read responses, their rate limits and ETags, and errors', async () => {
  const { ask, call } = await open([ours, 'http://localhost:3000'])
  for (const origin of [ours, 'http://localhost:3000']) {
    const { status, headers } = await ask('/v1/checks', origin)
    expect([status, headers['access-control-allow-origin']]).toEqual([200, origin])
    for (const name of ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'ETag', 'X-Next-Cursor'])
      expect(String(headers['access-control-expose-headers']).split(', ')).toContain(name)
    expect(headers.vary).toMatch(/\bOrigin\b/)
    expect(headers['access-control-allow-credentials']).toBeUndefined()
  }
  for (const url of ['/v1/checks', '/v1/nothing']) {
    const { status, headers } = await call({ url, headers: { origin: ours } })
    expect([status, headers['access-control-allow-origin']]).toEqual([401, ours])
  }
})

test('responses that depend on the origin have it in Vary, in addition to other headers', async () => {
  const { ask } = await open([ours])
  const badge = await ask(`/v1/badges/checks/${check.id}`, ours)
  for (const name of ['Origin', 'Accept', 'Authorization']) expect(String(badge.headers.vary).split(', ')).toContain(name)
  const metrics = await ask('/metrics', ours)
  for (const name of ['Origin', 'Accept']) expect(String(metrics.headers.vary).split(', ')).toContain(name)
})

test('a compressed response varies by encoding, origin and format', async () => {
  const { app } = await open([ours])
  const metrics = Object.keys(check.checkType.metrics).flatMap((name) => [`${name}_p95`, `${name}_avg`, `${name}_max`, `${name}_sum`])
  const url = `/v1/analytics/${check.checkType.path}/${check.id}?metrics=${metrics}`
  const { headers } = await app.inject({ url, headers: { ...credentials, origin: ours, 'accept-encoding': 'gzip' } })
  expect(headers['content-encoding']).toBe('gzip')
  const varied = String(headers.vary).toLowerCase().split(/, */)
  expect(varied).toEqual(expect.arrayContaining(['accept', 'origin', 'accept-encoding']))
})

test('a preflight needs no key', async () => {
  const { preflight } = await open([ours])
  for (const [url, method] of [
    ['/v1/checks', 'GET'],
    ['/v1/analytics/query', 'POST'],
  ] as const) {
    const { status, headers, text } = await preflight(url, ours, method)
    expect([status, text]).toEqual([204, ''])
    expect(headers).toMatchObject({
      'access-control-allow-origin': ours,
      'access-control-allow-methods': 'GET, HEAD, POST',
      'access-control-allow-headers': 'Authorization, X-Service-Account, Content-Type, If-None-Match, x-acme-account',
      'access-control-max-age': '600',
    })
  }
})

test.each(['https://evil.example', 'https://dashboards.example.com.evil.example', 'http://dashboards.example.com', 'null'])(
  'the origin %s, which is not in the config, gets no CORS headers',
  async (origin) => {
    const { ask, preflight } = await open([ours])
    const answer = await ask('/v1/checks', origin)
    expect([answer.status, corsHeaders(answer.headers)]).toEqual([200, []])
    expect(answer.headers.vary).toMatch(/\bOrigin\b/)
    const refused = await preflight('/v1/checks', origin)
    expect([refused.status, corsHeaders(refused.headers)]).toEqual([401, []])
  },
)

test('an asterisk in the config allows all origins', async () => {
  const { ask, preflight } = await open(['*'])
  expect((await ask('/v1/checks', 'https://anyone.example')).headers['access-control-allow-origin']).toBe('*')
  expect((await preflight('/v1/checks', 'https://anyone.example')).status).toBe(204)
})

test('OPTIONS that is not a preflight is rejected as before', async () => {
  const { call } = await open([ours])
  const { status, body } = await call({ method: 'OPTIONS', url: '/v1/checks', headers: { ...credentials, origin: ours } })
  expect([status, body.code]).toEqual([405, 'METHOD_NOT_ALLOWED'])
})
