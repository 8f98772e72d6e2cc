import { expect, onTestFinished, test } from 'vitest'
import { openTestApp } from '../support/app.ts'
import { account, credentials, readKey, testCatalogue, testCheck, testKey } from '../support/catalogue.ts'
import { anyRunType } from '../support/example-config.ts'

/**
 * The exchange of protocol 1 as its first agents use it, written out. It must not change as long as servers support protocol 1:
 * additions must stay compatible.
 */
const key = 'tdm_testagnt_00000000000000000000000000000000_000000'
const headers = { authorization: `Bearer ${key}` }
const now = Date.UTC(2026, 10, 14, 12)
const check = testCheck(anyRunType(), { id: 'one', locations: ['eu'], agentLocations: ['eu'] })
const path = '/v1/agents/checks?protocol=1&location=eu&instance=4f2c0d3e&session=9b1c&version=0.2.0'
const state = '&clockOffsetMs=12&stampsServerTime=false&backlog=3&agentDropped=0'

async function server() {
  const keys = [testKey(key, account, ['agent:eu']), testKey(readKey, account, ['read'])]
  const app = await openTestApp({ catalogue: testCatalogue({ keys, checks: [check] }), now })
  onTestFinished(app.close)
  return app
}

test('an agent of protocol 1 fetches its checks, waits for changes, and stops', async () => {
  const { get } = await server()
  const first = await get(`${path}${state}&wait=0`, headers)
  expect(first).toMatchObject({
    status: 200,
    body: {
      protocol: 1,
      account,
      location: 'eu',
      addresses: { allow: [], deny: [] },
      checks: [
        {
          id: 'one',
          name: check.name,
          type: check.checkType.type,
          everyMs: 60_000,
          locations: ['eu'],
          runParallel: false,
          retry: null,
          timeoutMs: null,
          degradedResponseTimeMs: null,
          maxResponseTimeMs: null,
          settings: check.settings,
          secrets: [],
          createdAt: check.createdAt,
          since: null,
        },
      ],
    },
  })
  const etag = String(first.headers.etag)
  expect(await get(`${path}${state}&wait=1`, { ...headers, 'if-none-match': etag })).toMatchObject({ status: 304, text: '' })
  expect((await get('/v1/locations', credentials)).body).toMatchObject([
    { agents: [{ instance: '4f2c0d3e', name: null, state: 'live', backlog: 3 }] },
  ])
  expect((await get(`${path}${state}&stopping=true`, { ...headers, 'if-none-match': etag })).body.checks).toEqual([])
  expect((await get('/v1/locations', credentials)).body).toMatchObject([{ agents: [{ state: 'stopped' }] }])
})

test('an agent of protocol 1 delivers results as lines, and the response lists duplicates and rejected results', async () => {
  const { call } = await server()
  const result = { id: '0192f3d4e5f6-1', checkId: 'one', startedAt: '2026-11-14T11:59:00.000Z', runLocation: 'eu', hasFailures: false }
  const flags = { hasErrors: false, isDegraded: false, overMaxResponseTime: false, attempts: 1 }
  const removed = { ...result, ...flags, checkId: 'removed' }
  const payload = [{ ...result, ...flags }, removed].map((row) => `${JSON.stringify(row)}\n`).join('')
  const post = () =>
    call({ method: 'POST', url: '/v1/check-results', headers: { ...headers, 'content-type': 'application/x-ndjson' }, payload })
  const rejected = [{ index: 1, code: 'UNKNOWN_CHECK', message: expect.any(String) }]
  expect(await post()).toMatchObject({ status: 200, body: { accepted: 1, duplicates: 0, rejected } })
  expect(await post()).toMatchObject({ status: 200, body: { accepted: 0, duplicates: 1, rejected } })
})

test('unknown parameters from a newer agent of protocol 1 are ignored', async () => {
  const { get } = await server()
  expect(await get(`${path}${state}&shoeSize=42`, headers)).toMatchObject({ status: 200, body: { checks: [{ id: 'one' }] } })
})
