// @slow
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { encodeEvidence } from '../../src/store/evidence.ts'
import type { Store } from '../../src/store/store.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, readKey, service, testCatalogue, testCheck, testKey } from '../support/catalogue.ts'
import { anyRunType, exampleCheck, runTypes } from '../support/example-config.ts'
import { refusingChecks } from '../support/refusing-store.ts'
import { folderWith } from '../support/scripts.ts'

const key = 'tdm_testagnt_00000000000000000000000000000000_000000'
const headers = { authorization: `Bearer ${key}` }
const admin = { authorization: 'Bearer tdm_admin', 'x-service-account': account }
const now = Date.UTC(2026, 10, 14, 12)
const here = testCheck(anyRunType(), { id: 'here', locations: ['eu', 'us'], agentLocations: ['eu'] })
const away = { ...here, id: 'away' }
const elsewhere = testCheck(anyRunType(), { id: 'elsewhere', locations: ['us'] })

async function agentApp(refused: ReadonlySet<string> = new Set()): Promise<TestApp> {
  const keys = [testKey(key, account, ['agent:eu']), testKey('tdm_admin', account, ['admin'])]
  const instead = (store: Store) => ({ ...store, append: refusingChecks(store.append, refused) })
  const app = await openTestApp({
    catalogue: testCatalogue({ keys, checks: [here, elsewhere, ...(refused.size > 0 ? [away] : [])] }),
    now,
    instead,
  })
  onTestFinished(app.close)
  return app
}

describe('an agent key', () => {
  test.each(['/v1/checks', '/v1/check-statuses', `/v1/badges/checks/${here.id}`, '/v1/nothing', '/metrics'])(
    'is rejected with 403 at %s',
    async (url) => {
      const { get } = await agentApp()
      expect(await get(url, headers)).toMatchObject({
        status: 403,
        body: { code: 'AGENT_KEY', message: expect.stringContaining('agents at eu') },
      })
    },
  )

  test('is rejected with 403 at every operation except those of agents and public ones', async () => {
    const { call, get } = await agentApp()
    const { paths } = (await get('/openapi.json')).body as { paths: Record<string, Record<string, { security?: readonly object[] }>> }
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { security = [] }]) => ({ path, method, isOpen: security.length === 0 })),
    )
    const others = operations.filter(
      ({ path, method, isOpen }) => !isOpen && !path.startsWith('/v1/agents/') && !(path === '/v1/check-results' && method === 'post'),
    )
    expect(others.length).toBeGreaterThan(20)
    for (const { path, method } of others) {
      const { status, body } = await call({ method: method as 'GET', url: path.replace(/\{\w+\}/g, here.id), headers })
      expect({ path, method, status, code: body?.code }).toEqual({ path, method, status: 403, code: 'AGENT_KEY' })
    }
  })

  test('stores the results of available checks and learns which are refused for now; for other keys the whole request fails', async () => {
    const { call, get } = await agentApp(new Set(['away']))
    const rows = [here.id, 'away', elsewhere.id].map((checkId) => ({ checkId, startedAt: now, runLocation: 'eu', hasFailures: false }))
    const post = (of: Readonly<Record<string, string>>) =>
      call({ method: 'POST', url: '/v1/check-results', headers: { ...of, 'content-type': 'application/json' }, payload: rows })
    const error = { statusCode: 503, error: 'Service Unavailable', message: 'A shard is away. Try again in 5 s.', code: 'UNAVAILABLE' }
    const refused = { status: 503, headers: { 'retry-after': '5' } }
    const answer = await post(headers)
    expect(answer).toMatchObject(refused)
    const rejected = [{ index: 2, code: 'UNKNOWN_CHECK', message: expect.any(String) }]
    expect(answer.body).toEqual({ ...error, refusedChecks: ['away'], rejected })
    expect(await post(admin)).toMatchObject({ ...refused, text: JSON.stringify(error) })
    expect((await get(`/v1/check-results/${here.id}`, admin)).body).toHaveLength(1)
  })

  test('stores results only of its own location and of checks that run there', async () => {
    const { call } = await agentApp()
    const row = { checkId: here.id, startedAt: now - 1000, runLocation: 'eu', hasFailures: false }
    const payload = JSON.stringify([row, { ...row, runLocation: 'us' }, { ...row, checkId: elsewhere.id }])
    const { status, body } = await call({
      method: 'POST',
      url: '/v1/check-results',
      headers: { ...headers, 'content-type': 'application/json' },
      payload,
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      accepted: 1,
      rejected: [
        { index: 1, code: 'FORBIDDEN_LOCATION', message: 'This API key stores results of "eu" only.' },
        { index: 2, code: 'UNKNOWN_CHECK' },
      ],
    })
  })

  test('stores evidence with its results, which no other key does', async () => {
    const { call, get } = await agentApp()
    const attempt = { startedAt: now, error: 'closed', assertions: [], response: null, steps: [], messages: ['hello'] }
    const evidence = Buffer.from(
      encodeEvidence({ attempts: [attempt], screenshot: null }, { evidenceBytes: 16_384, screenshotBytes: 0 }) ?? [],
    )
    const row = {
      id: 'shown',
      checkId: here.id,
      startedAt: now - 1000,
      runLocation: 'eu',
      hasFailures: true,
      evidence: evidence.toString('base64'),
    }
    const post = (sent: Readonly<Record<string, string>>) =>
      call({ method: 'POST', url: '/v1/check-results', headers: { ...sent, 'content-type': 'application/json' }, payload: [row] })
    expect((await post(admin)).body).toMatchObject({ accepted: 0, rejected: [{ code: 'UNKNOWN_METRIC' }] })
    expect((await post(headers)).body).toEqual({ accepted: 1, duplicates: 0, rejected: [] })
    const { body } = await get(`/v1/check-results/${here.id}/shown`, admin)
    expect(body.evidence.attempts).toMatchObject([{ error: 'closed', messages: ['hello'] }])
  })

  test('is rejected with 403 for another account', async () => {
    const { get } = await agentApp()
    expect(await get('/v1/checks', { ...headers, 'x-service-account': 'other' })).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN_ACCOUNT' },
    })
  })
})

describe('GET /v1/agents/checks', () => {
  const url = '/v1/agents/checks?protocol=1&location=eu'

  test('returns the checks of the location with their settings, and nothing else of the account', async () => {
    const { get } = await agentApp()
    const { status, body, headers: answered } = await get(url, headers)
    expect(status).toBe(200)
    expect(answered).toMatchObject({ 'cache-control': 'no-store', etag: expect.any(String) })
    expect(body).toEqual({
      protocol: 1,
      account,
      location: 'eu',
      addresses: { allow: [], deny: [] },
      evidence: { mode: 'failures', evidenceBytes: 16_384, screenshotBytes: 131_072 },
      checks: [
        {
          id: 'here',
          name: here.name,
          type: here.checkType.type,
          everyMs: 60_000,
          failingEveryMs: null,
          locations: ['eu', 'us'],
          runParallel: false,
          retry: null,
          timeoutMs: null,
          degradedResponseTimeMs: null,
          maxResponseTimeMs: null,
          evidence: null,
          scripts: null,
          settings: here.settings,
          secrets: [],
          createdAt: here.createdAt,
          since: null,
        },
      ],
    })
  })

  test('is a 304 after the wait when the agent already has the current version', async () => {
    const { get } = await agentApp()
    const first = await get(url, headers)
    const second = await get(`${url}&wait=1`, { ...headers, 'if-none-match': String(first.headers.etag) })
    expect(second).toMatchObject({ status: 304, text: '', headers: { etag: first.headers.etag } })
  })

  /** A request that waits for a change of the config file, which the test makes. */
  async function waiting() {
    const keys = [testKey(key, account, ['agent:eu']), testKey('tdm_other', account, ['agent:eu'])]
    const checks = [here]
    let current = { ...service }
    let lookups = 0
    const fixed = testCatalogue({ keys, checks, service: () => current })
    const keyByHash = (hash: string) => {
      lookups += 1
      return fixed.keyByHash(hash)
    }
    const app = await openTestApp({ catalogue: { ...fixed, keyByHash }, now })
    onTestFinished(app.close)
    const { headers: answered } = await app.get(url, headers)
    const before = lookups
    const answer = app.get(`${url}&wait=30`, { ...headers, 'if-none-match': String(answered.etag) })
    await expect.poll(() => lookups, { timeout: 60_000 }).toBeGreaterThan(before + 1)
    const announce = () => {
      current = { ...service }
    }
    return { answer, keys, checks, announce }
  }

  test('responds as soon as the config file has changed', async () => {
    const { answer, checks, announce } = await waiting()
    checks.push({ ...here, id: 'added' })
    announce()
    expect((await answer).body?.checks.map(({ id }: { id: string }) => id)).toEqual(['here', 'added'])
  })

  test('is a 401 as soon as the key is revoked', async () => {
    const { answer, keys, announce } = await waiting()
    keys.shift()
    announce()
    expect(await answer).toMatchObject({ status: 401, body: { code: 'UNKNOWN_KEY' } })
  })

  test.each([
    ['a key of another location', '/v1/agents/checks?protocol=1&location=us', headers, 403, 'AGENT_ELSEWHERE', 'agents at eu, not at us'],
    ['a key without the scope of agents', url, admin, 403, 'MISSING_SCOPE', 'agent:LOCATION'],
    ['an unknown key', url, { authorization: 'Bearer tdm_unknown' }, 401, 'UNKNOWN_KEY', 'not known'],
    [
      'an older protocol',
      '/v1/agents/checks?protocol=0&location=eu',
      headers,
      400,
      'UNSUPPORTED_PROTOCOL',
      'The agent speaks protocol 0, this server 1. Upgrade the agent.',
    ],
    [
      'a newer protocol',
      '/v1/agents/checks?protocol=2&location=eu',
      headers,
      400,
      'UNSUPPORTED_PROTOCOL',
      'The agent speaks protocol 2, this server 1. Upgrade the server.',
    ],
  ])('rejects %s with a specific message', async (_, asked, sent, status, code, words) => {
    const { get } = await agentApp()
    expect(await get(asked, sent)).toMatchObject({ status, body: { code, message: expect.stringContaining(words) } })
  })
})

describe('GET /v1/agents/scripts/:bundle', () => {
  async function scriptedApp(): Promise<TestApp> {
    const scripted = runTypes.find(({ demo }) => Object.keys(demo.files).length > 0) ?? anyRunType()
    const configFile = join(await folderWith(scripted.demo.files), 'tidemark.yaml')
    const keys = [testKey(key, account, ['agent:eu']), testKey('tdm_agent_us', account, ['agent:us'])]
    const settings = Object.fromEntries(
      Object.entries(exampleCheck(scripted)).filter(([name]) => Object.hasOwn(scripted.settings.properties, name)),
    )
    const checks = [testCheck(scripted, { id: 'scripted', locations: ['eu'], agentLocations: ['eu'], settings }), elsewhere]
    const app = await openTestApp({ catalogue: testCatalogue({ keys, checks }), now, configFile })
    onTestFinished(app.close)
    return app
  }

  test('returns the files of a check, under the hash of the response', async () => {
    const { get } = await scriptedApp()
    const [check] = (await get('/v1/agents/checks?protocol=1&location=eu', headers)).body.checks
    const { status, text, body, headers: answered } = await get(`/v1/agents/scripts/${check.scripts.bundle}`, headers)
    expect(status).toBe(200)
    expect(answered['cache-control']).toBe('no-store')
    expect(hash('sha256', text)).toBe(check.scripts.bundle)
    expect(body.files.map(({ path }: { path: string }) => path)).not.toHaveLength(0)
  })

  test('is a 404 for agents of another location, and for an unknown bundle', async () => {
    const { get } = await scriptedApp()
    const [check] = (await get('/v1/agents/checks?protocol=1&location=eu', headers)).body.checks
    const notFound = { status: 404, body: { code: 'SCRIPTS_NOT_FOUND' } }
    expect(await get(`/v1/agents/scripts/${check.scripts.bundle}`, { authorization: 'Bearer tdm_agent_us' })).toMatchObject(notFound)
    expect(await get('/v1/agents/scripts/0000', headers)).toMatchObject(notFound)
  })
})

describe('agents of one location', () => {
  const many = Array.from({ length: 40 }, (_, i) => ({ ...here, id: `check-${i}` }))

  async function shared() {
    const clock = { now }
    const checks = [...many]
    const catalogue = testCatalogue({ keys: [testKey(key, account, ['agent:eu']), testKey(readKey, account, ['read'])], checks })
    const app = await openTestApp({ catalogue, now: () => clock.now })
    onTestFinished(app.close)
    const ask = async (instance: string, more = '') => {
      const asked = `/v1/agents/checks?protocol=1&location=eu&instance=${instance}&session=1&version=0.2.0${more}`
      const { body } = await app.get(asked, headers)
      return body.checks as readonly { readonly id: string; readonly since: number | null }[]
    }
    return { ...app, clock, ask, checks }
  }

  test('share its checks, each check with one of them', async () => {
    const { ask } = await shared()
    expect(await ask('a')).toHaveLength(40)
    const ofB = await ask('b')
    const ofA = await ask('a')
    expect([...ofA, ...ofB].map(({ id }) => id).toSorted()).toEqual(many.map(({ id }) => id).toSorted())
    expect(ofB.length).toBeGreaterThan(5)
    expect(ofB.every(({ since }) => since === now)).toBe(true)
  })

  test('take over the checks of one that has gone silent, from its last contact on, within 30 s', async () => {
    const { ask, clock } = await shared()
    await ask('a')
    await ask('b')
    clock.now += 15_000
    await ask('b')
    clock.now += 14_000
    await ask('b')
    await expect.poll(async () => (await ask('b')).length).toBe(40)
    expect((await ask('b')).filter(({ since }) => since !== null).map(({ since }) => since)).toContain(now)
  })

  test('take over the checks of one that stops at once, from shortly before it stopped', async () => {
    const { ask } = await shared()
    await ask('a')
    await ask('b')
    expect(await ask('a', '&stopping=true')).toEqual([])
    const taken = await ask('b')
    expect(taken).toHaveLength(40)
    expect(taken.some(({ since }) => since === now - 2000)).toBe(true)
  })

  test('are listed at /v1/locations with their reported state', async () => {
    const { ask, get } = await shared()
    await ask('a', '&name=Probe%201&clockOffsetMs=-250&stampsServerTime=true&backlog=7&agentDropped=3&canary=unreached&canaryAgeMs=20')
    const { body } = await get('/v1/locations')
    expect(body).toEqual([
      {
        location: 'eu',
        runBy: 'agents',
        runsHere: false,
        checks: 40,
        agents: [
          {
            instance: 'a',
            name: 'Probe 1',
            version: '0.2.0',
            state: 'live',
            firstContact: '2026-11-14T12:00:00.000Z',
            lastContact: '2026-11-14T12:00:00.000Z',
            clockOffsetMs: -250,
            stampsServerTime: true,
            backlog: 7,
            agentDropped: 3,
            canary: 'unreached',
            checks: 40,
          },
        ],
      },
      { location: 'us', runBy: 'server', runsHere: true, checks: 40, agents: [] },
    ])
  })

  test('are listed at /v1/locations even if no check uses their location', async () => {
    const { ask, get, checks } = await shared()
    await ask('a')
    checks.length = 0
    expect((await get('/v1/locations')).body).toMatchObject([{ location: 'eu', runBy: 'agents', checks: 0, agents: [{ instance: 'a' }] }])
  })

  test('a location that neither agents nor the server runs is listed with runBy none', async () => {
    const catalogue = testCatalogue({ checks: [here], service: () => ({ ...service, runnerLocations: [] }) })
    const { get, close } = await openTestApp({ catalogue, now })
    onTestFinished(close)
    expect((await get('/v1/locations')).body).toMatchObject([
      { location: 'eu', runBy: 'agents' },
      { location: 'us', runBy: 'none', runsHere: false },
    ])
  })

  test('a server that runs no checks reports runsHere false for the locations without agents', async () => {
    const { get, close } = await openTestApp({ catalogue: testCatalogue({ checks: [here] }), now, runsHere: () => false })
    onTestFinished(close)
    expect((await get('/v1/locations')).body).toMatchObject([
      { location: 'eu', runBy: 'agents', runsHere: false },
      { location: 'us', runBy: 'server', runsHere: false },
    ])
  })
})
