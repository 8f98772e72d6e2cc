import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wirePath } from '../../src/catalogue/wire/index.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import type { Access } from '../../src/http/route.ts'
import type { Answer } from '../support/app.ts'
import { account } from '../support/catalogue.ts'
import { type Named, namings } from './namings.ts'
import { type Call, type Endpoint, endpointsOf, nameOf, sampleCall, servedRoutes } from './operations.ts'
import { keyOf, openWorld, otherAccount, ours, type World } from './world.ts'

/** The routes of a resource that is managed over the API. */
const resourceAccess = (path: string, id = '{id}'): Readonly<Record<string, Access>> => ({
  [`POST ${path}`]: 'write',
  [`GET ${path}`]: 'read',
  [`GET ${path}/${id}`]: 'read',
  [`PUT ${path}/${id}`]: 'write',
  [`DELETE ${path}/${id}`]: 'write',
  [`GET ${path}/${id}/versions`]: 'read',
  [`POST ${path}/${id}/restore`]: 'write',
})

/** Who may call which route. A route that is served but not listed here fails. */
const access: Readonly<Record<string, Access>> = {
  ...Object.fromEntries(checkTypes.map(({ path }) => [`GET /v1/analytics/${path}/{id}`, 'read'])),
  'GET /v1/analytics/metrics': 'read',
  'POST /v1/analytics/checks': 'read',
  'POST /v1/analytics/query': 'read',
  'GET /v1/analytics/outages': 'read',
  'GET /v1/analytics/failures': 'read',
  'GET /v1/slos': 'read',
  'GET /v1/slos/{id}': 'read',
  'GET /v1/maintenance': 'read',
  ...resourceAccess('/v1/maintenance-windows'),
  'GET /v1/checks': 'read',
  'GET /v1/checks/{id}': 'read',
  'GET /v1/checks/{id}/definition': 'read',
  ...Object.fromEntries(
    checkTypes.flatMap((checkType) => [
      [`POST /v1/checks/${wirePath(checkType)}`, 'write'],
      [`PUT /v1/checks/${wirePath(checkType)}/{id}`, 'write'],
    ]),
  ),
  'POST /v1/checks': 'write',
  'POST /v1/checks/try': 'write',
  'PUT /v1/checks/{id}': 'write',
  'PATCH /v1/checks/{id}': 'write',
  'PATCH /v1/checks': 'write',
  'DELETE /v1/checks/{id}': 'write',
  'POST /v1/checks/delete': 'write',
  'GET /v1/checks/{id}/versions': 'read',
  'POST /v1/checks/{id}/restore': 'write',
  'GET /v1/audit': 'read',
  'GET /v1/deleted-checks': 'read',
  'GET /v1/faulty-checks': 'read',
  'POST /v1/projects/deploy': 'write',
  'POST /next-v2/projects/deploy': 'write',
  'POST /next/checkly-storage/upload-code-bundle': 'write',
  'POST /next/checkly-storage/upload': 'write',
  'POST /next/checkly-storage/peek-code-bundle': 'write',
  ...Object.fromEntries(
    ['/v1/projects', '/next/projects'].flatMap((path) => [
      [`GET ${path}`, 'read'],
      [`GET ${path}/{logicalId}`, 'read'],
      [`DELETE ${path}/{logicalId}`, 'write'],
    ]),
  ),
  'GET /v1/projects/{logicalId}/deployments/{deploymentId}': 'read',
  'GET /v1/projects/{logicalId}/deployments/{deploymentId}/events': 'read',
  'GET /v1/projects/{logicalId}/deployments/{deploymentId}/completion': 'read',
  'POST /v1/projects/{logicalId}/deployments/{deploymentId}/cancel': 'write',
  'GET /v1/check-statuses': 'read',
  'GET /v1/check-statuses/{id}': 'read',
  'GET /v1/check-results/{id}': 'read',
  'GET /v2/check-results/{id}': 'read',
  'GET /v1/check-results/{id}/{resultId}': 'read',
  'GET /v1/check-results/{id}/export': 'read',
  'GET /v1/check-results/stream': 'read',
  'POST /v1/check-results': 'ingest',
  'GET /v1/agents/checks': 'agent',
  'GET /v1/agents/scripts/{bundle}': 'agent',
  'POST /v1/agents/trials/{id}': 'agent',
  'GET /v1/locations': 'read',
  ...resourceAccess('/v1/private-locations'),
  'POST /v1/private-locations/{id}/keys': 'write',
  'DELETE /v1/private-locations/{id}/keys/{keyId}': 'write',
  'GET /v1/check-types': 'read',
  'GET /next/accounts': 'read',
  'GET /next/accounts/{accountId}': 'read',
  'GET /next/users/me': 'read',
  'GET /v1/runtimes': 'read',
  'GET /v1/runtimes/{name}': 'read',
  ...resourceAccess('/v1/check-groups'),
  ...resourceAccess('/v2/check-groups'),
  ...resourceAccess('/v1/alert-channels'),
  'PUT /v1/alert-channels/{id}/subscriptions': 'write',
  'POST /v1/alert-channels/{id}/test': 'operate',
  'GET /v1/alerts': 'read',
  'GET /v1/alerts/explain': 'read',
  'GET /v1/alerts/replay': 'read',
  'GET /v1/alert-rules': 'read',
  'GET /v1/alerts/{id}': 'read',
  'POST /v1/alerts/{id}/acknowledge': 'operate',
  'GET /v1/silences': 'read',
  'POST /v1/silences': 'operate',
  'DELETE /v1/silences/{id}': 'operate',
  'GET /v1/check-alerts': 'read',
  'GET /v1/check-alerts/{id}': 'read',
  'GET /v1/alert-notifications': 'read',
  'GET /acknowledge/{token}': 'open',
  'POST /acknowledge/{token}': 'open',
  'GET /v1/check-definitions': 'read',
  'GET /v1/policy-definitions': 'read',
  ...resourceAccess('/v1/variables', '{key}'),
  'GET /v1/status-pages': 'read',
  'GET /v1/status-pages/incidents': 'read',
  'GET /v1/badges/checks/{id}': 'optional',
  'GET /v1/badges/checks/{id}.json': 'optional',
  'GET /v1/badges/tags/{tag}': 'optional',
  'GET /v1/badges/tags/{tag}.json': 'optional',
  'GET /ping/{token}': 'open',
  'POST /ping/{token}': 'open',
  'GET /ping/{token}/start': 'open',
  'POST /ping/{token}/start': 'open',
  'GET /ping/{token}/fail': 'open',
  'POST /ping/{token}/fail': 'open',
  'GET /ping/{token}/log': 'open',
  'POST /ping/{token}/log': 'open',
  'GET /ping/{token}/{slug}': 'open',
  'POST /ping/{token}/{slug}': 'open',
  'GET /ping/{token}/{slug}/start': 'open',
  'POST /ping/{token}/{slug}/start': 'open',
  'GET /ping/{token}/{slug}/fail': 'open',
  'POST /ping/{token}/{slug}/fail': 'open',
  'GET /ping/{token}/{slug}/log': 'open',
  'POST /ping/{token}/{slug}/log': 'open',
  'GET /ping/{token}/{slug}/{exitCode}': 'open',
  'POST /ping/{token}/{slug}/{exitCode}': 'open',
  'GET /api/push/{token}': 'open',
  'POST /api/push/{token}': 'open',
  'PUT /api/push/{token}': 'open',
  'PATCH /api/push/{token}': 'open',
  'GET /health/live': 'open',
  'GET /health/ready': 'open',
  'GET /health/writable': 'open',
  'GET /metrics': 'metrics',
}
/** Routes that the OpenAPI document leaves out: the document itself, its page, and the built files of the page. */
const undocumented =
  /^GET \/(openapi\.json|docs|assets\/.*|[\w-]+\.(svg|js|css)|tidemark(\.included)?\.schema\.json|(checks\/\{id\}(\/badge|\/edit|\/history|\/runs\/\{resultId\})?|slos(\/\{id\})?|alerts(\/\{id\})?|audit|deleted|locations|new|outages|overview|wall)?)$/

let world: World
let endpoints: readonly Endpoint[]
beforeAll(async () => {
  world = await openWorld()
  endpoints = endpointsOf(world.openApi)
  revokedOnce = world.addKey(revokedKey, ['admin'])
})
afterAll(() => world.close())

test('every served route is in the matrix', () => {
  const served = servedRoutes(world.app).filter((route) => !undocumented.test(route))
  expect(served.toSorted()).toEqual(Object.keys(access).toSorted())
  expect(endpoints.map(nameOf).toSorted()).toEqual(Object.keys(access).toSorted())
})

const bearer = (key: string, owner?: string) => ({ authorization: `Bearer ${key}`, ...(owner && { 'x-service-account': owner }) })
const revokedKey = `tdm_revokedk_${'0'.repeat(32)}_000000`
let revokedOnce: { readonly revoke: () => void }
const admin = keyOf(account, 'admin')

const callers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'no key': {},
  'an account alone': { 'x-service-account': account },
  'a key without its scheme': { ...bearer(admin, account), authorization: admin },
  'another scheme': { ...bearer(admin, account), authorization: `Digest ${admin}` },
  'two keys': { ...bearer(admin, account), authorization: `Bearer ${admin} ${admin}` },
  'an empty key': { ...bearer(admin, account), authorization: 'Bearer ' },
  'a basic password that is empty': { ...bearer(admin, account), authorization: 'Basic Og==' },
  'an unknown key': bearer(admin.replace('0', '1'), account),
  'a key that is cut': bearer(admin.slice(0, -1), account),
  'a key in upper case': bearer(admin.toUpperCase(), account),
  'a revoked key': bearer(revokedKey, account),
  'a key without an account': bearer(admin),
  'a key with the account of another': bearer(admin, otherAccount),
  'a key with an account that does not exist': bearer(admin, 'nobody'),
  "another account's key": bearer(keyOf(otherAccount, 'admin'), account),
  "another account's agent": bearer(keyOf(otherAccount, 'agent'), account),
  read: bearer(keyOf(account, 'read'), account),
  ingest: bearer(keyOf(account, 'ingest'), account),
  metrics: bearer(keyOf(account, 'metrics'), account),
  operate: bearer(keyOf(account, 'operate'), account),
  write: bearer(keyOf(account, 'write'), account),
  admin: bearer(admin, account),
  agent: bearer(keyOf(account, 'agent')),
}

const missing = '401 MISSING_KEY'
const unknown = '401 UNKNOWN_KEY'
const forbidden = '403 FORBIDDEN_ACCOUNT'
const unscoped = '403 MISSING_SCOPE'
const allowed = 'allowed'

const refusals = {
  'no key': missing,
  'an account alone': missing,
  'a key without its scheme': missing,
  'another scheme': missing,
  'two keys': missing,
  'an empty key': missing,
  'a basic password that is empty': missing,
  'an unknown key': unknown,
  'a key that is cut': unknown,
  'a key in upper case': unknown,
  'a revoked key': unknown,
  'a key without an account': '401 MISSING_ACCOUNT',
  'a key with the account of another': forbidden,
  'a key with an account that does not exist': forbidden,
  "another account's key": forbidden,
  "another account's agent": forbidden,
}
const none = { read: unscoped, ingest: unscoped, metrics: unscoped, operate: unscoped, write: unscoped, admin: unscoped, agent: unscoped }
const reading = { ...refusals, ...none, read: allowed, admin: allowed, agent: '403 AGENT_KEY' }

const expected: Readonly<Record<Exclude<Access, 'key'>, Readonly<Record<string, string>>>> = {
  open: Object.fromEntries(Object.keys(callers).map((caller) => [caller, allowed])),
  optional: reading,
  read: reading,
  ingest: { ...refusals, ...none, ingest: allowed, admin: allowed, agent: allowed },
  operate: { ...refusals, ...none, operate: allowed, admin: allowed, agent: '403 AGENT_KEY' },
  write: { ...refusals, ...none, write: allowed, admin: allowed, agent: '403 AGENT_KEY' },
  metrics: {
    ...refusals,
    'a key without an account': allowed,
    ...none,
    metrics: allowed,
    admin: allowed,
  },
  agent: {
    ...refusals,
    'a key without an account': unscoped,
    'a key with the account of another': unscoped,
    'a key with an account that does not exist': unscoped,
    "another account's key": unscoped,
    ...none,
    agent: allowed,
  },
}

describe.each(Object.entries(access))('%s', (name, allowedTo) => {
  const endpoint = () => endpoints.find((one) => nameOf(one) === name) as Endpoint
  const table = expected[allowedTo as keyof typeof expected]

  test('accepts exactly the expected callers', async () => {
    const call = sampleCall(endpoint(), ours)
    const revocable = { ...call, headers: { ...call.headers, ...callers['a revoked key'] } }
    if (allowedTo === 'read') expect(outcome(await ask(revocable))).toBe(allowed)
    revokedOnce.revoke()
    const outcomes: Record<string, string> = {}
    for (const [caller, headers] of Object.entries(callers))
      outcomes[caller] = outcome(await ask({ ...call, headers: { ...call.headers, ...headers } }))
    revokedOnce = world.addKey(revokedKey, ['admin'])
    expect(outcomes).toEqual(table)
  })

  test('treats a revoked key like an unknown one, and the account of others like one that does not exist', async () => {
    const call = sampleCall(endpoint(), ours)
    revokedOnce.revoke()
    const [revoked, never, foreign, nobody] = await Promise.all(
      ['a revoked key', 'an unknown key', 'a key with the account of another', 'a key with an account that does not exist'].map(
        async (caller) => ask({ ...call, headers: { ...call.headers, ...callers[caller] } }),
      ),
    )
    revokedOnce = world.addKey(revokedKey, ['admin'])
    if (allowedTo === 'open') return
    expect(shownOf(revoked)).toEqual(shownOf(never))
    expect(shownOf(foreign)).toEqual(shownOf(nobody))
  })

  test('accepts only its own link, and only where links are allowed', async () => {
    const { url: path, ...call } = sampleCall(endpoint(), ours)
    const body = call.payload?.toString()
    const link = world.addLink(token, path, body === undefined ? {} : { body })
    const answers = {
      'its link': await ask({ method: 'GET', url: withLink(path, token) }),
      'its link, forged': await ask({ method: 'GET', url: withLink(path, token.replace('_s', '_t')) }),
      'a link of another address': await ask({ method: 'GET', url: withLink(`${path}${path.includes('?') ? '&' : '?'}limit=1`, token) }),
    }
    link.revoke()
    const revoked = await ask({ method: 'GET', url: withLink(path, token) })
    const outcomes = Object.values(answers).map(outcome)
    if (allowedTo === 'open') return
    const own = allowedTo === 'read' || allowedTo === 'optional' ? allowed : unscoped
    const routed = access[`${body === undefined ? 'GET' : 'POST'} ${endpoint().path}`]
    const ofRouted = routed === undefined ? '405 METHOD_NOT_ALLOWED' : routed === 'read' || routed === 'optional' ? allowed : unscoped
    const isDocumented = endpoint().operation.security.some((scheme) => 'link' in scheme)
    const isStream = /\/(stream|events)$/.test(endpoint().path)
    expect(isDocumented).toBe(own === allowed && body === undefined && !isStream)
    expect(outcomes).toEqual([isStream ? '403 LINK_TO_STREAM' : ofRouted, '401 UNKNOWN_LINK', '403 LINK_ELSEWHERE'])
    expect(shownOf(revoked)).toEqual(shownOf(answers['its link, forged']))
  })

  test('responds to names of another account as to unknown names, byte for byte', async () => {
    const key = keyOf(account, allowedTo === 'agent' ? 'agent' : allowedTo === 'metrics' ? 'metrics' : 'admin')
    for (const { place, foreign, unknown: nobody } of namings(endpoint())) {
      for (const headers of [bearer(key, account), {}]) {
        const [ofOthers, ofNobody] = await Promise.all([foreign, nobody].map(async (named) => answerTo(named, headers)))
        expect([place, ofOthers]).toEqual([place, ofNobody])
      }
    }
  })

  test('reveals its methods only to callers with a key, unless it is public', async () => {
    const { path } = endpoint()
    const others = methods.filter((method) => access[`${method} ${path}`] === undefined)
    const { url } = sampleCall(endpoint(), ours)
    const isOpen = Object.entries(access).some(([route, of]) => route.endsWith(` ${path}`) && (of === 'open' || of === 'optional'))
    for (const method of others)
      expect([method, outcome(await ask({ method, url }))]).toEqual([method, isOpen ? '405 METHOD_NOT_ALLOWED' : missing])
  })
})

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']
const token = `tdl_Ab3dE9xQ_${'s'.repeat(32)}_000000`
const withLink = (path: string, of: string) => `${path}${path.includes('?') ? '&' : '?'}link=${of}`
const withHeaders = (call: Call, headers: Readonly<Record<string, string>>): Call => ({ ...call, headers: { ...call.headers, ...headers } })

/** The response to a call with this name, with the name removed. */
async function answerTo({ name, call }: Named, headers: Readonly<Record<string, string>>): Promise<string> {
  return JSON.stringify(shownOf(await ask(withHeaders(call, headers)))).replaceAll(name, '…')
}

/** Reads only the headers of a stream. */
async function ask(call: Call): Promise<Answer> {
  const options = { ...call, payloadAsStream: true } as InjectOptions
  const answer = await world.app.inject(options)
  const stream = answer.stream() as Readable
  const isEndless = String(answer.headers['content-type']).startsWith('text/event-stream')
  if (isEndless) stream.destroy()
  const body = isEndless ? '' : await text(stream)
  const isJson = String(answer.headers['content-type']).startsWith('application/json') && body !== ''
  return { status: answer.statusCode, headers: answer.headers, text: body, body: isJson ? JSON.parse(body) : undefined }
}

function outcome({ status, body, text: shown }: Answer): string {
  return status === 401 || status === 403 || status === 405
    ? `${status} ${body?.code}`
    : status < 300 || status === 404 || status === 409
      ? allowed
      : `${status} ${shown}`
}

/** A response without what differs between any two: duration and request counts. */
function shownOf(answer: Answer | undefined) {
  const { date, 'content-length': length, 'ratelimit-remaining': left, ...headers } = answer?.headers ?? {}
  return { status: answer?.status, headers, text: answer?.text.replace(/"milliseconds":[0-9.]+/, '"milliseconds":0') }
}
