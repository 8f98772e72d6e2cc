import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { openTestAlerts } from '../support/alert-loop.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { credentials, testCatalogue, testCheck } from '../support/catalogue.ts'
import { withoutReferences } from '../support/openapi.ts'

const now = Date.UTC(2026, 10, 14, 10)
const checks = checkTypes.map((checkType) => testCheck(checkType, { id: `check-${checkType.path}`, tags: ['web'] }))
const megabyte = 'Europe/Berli'.repeat(80_000)
const kilobytes = 'x'.repeat(12_000)

let api: TestApp
beforeAll(async () => {
  api = await openTestApp({ alerts: openTestAlerts, catalogue: testCatalogue({ checks }), now })
})
afterAll(() => api.close())

type Answered = Awaited<ReturnType<TestApp['get']>>

/** Rejected, or accepted where such a value is valid, with a short response. */
function expectShort(what: string, { status, text }: Answered): void {
  expect([what, status < 500, text.length < 3000 ? 'short' : `${text.length} characters`]).toEqual([what, true, 'short'])
  expect([what, /(.)\1{600}|(Europe\/Berli){50}/.test(text)]).toEqual([what, false])
}

describe('a megabyte in a query over many checks', () => {
  const post = (payload: object) => api.call({ method: 'POST', url: '/v1/analytics/query', headers: credentials, payload })
  const metrics = ['availability']
  const long = [megabyte]
  const places: Readonly<Record<string, object>> = {
    'a property': { metrics, [megabyte]: 1 },
    'a property of a part': { metrics, checks: { [megabyte]: 1 } },
    'a metric': { metrics: long },
    'a metric with a suffix': { metrics: [`${megabyte}_p95`] },
    timezone: { metrics, timezone: megabyte },
    quickRange: { metrics, quickRange: megabyte },
    from: { metrics, from: megabyte },
    'from in digits': { metrics, from: '1'.repeat(1_000_000) },
    to: { metrics, to: megabyte },
    aggregationInterval: { metrics, aggregationInterval: megabyte },
    fill: { metrics, fill: megabyte },
    groupBy: { metrics, groupBy: long },
    ids: { metrics, checks: { ids: long } },
    tags: { metrics, checks: { tags: long } },
    checkTypes: { metrics, checks: { checkTypes: long } },
    status: { metrics, filter: { status: long } },
    runLocation: { metrics, filter: { runLocation: long } },
    statusCode: { metrics, filter: { statusCode: long } },
    'orderBy.metric': { metrics, orderBy: { metric: megabyte } },
    'orderBy of long metrics': { metrics: Array.from({ length: 200 }, (_, i) => `${'y'.repeat(190)}${i}`), orderBy: { metric: 'z' } },
    direction: { metrics, orderBy: { metric: 'availability', direction: megabyte } },
    cursor: { metrics, cursor: megabyte },
    compare: { metrics, compare: megabyte },
    'compare.from': { metrics, compare: { from: megabyte, to: now } },
    availabilityBy: { metrics, availabilityBy: megabyte },
    quorum: { metrics, availabilityBy: 'time', quorum: megabyte },
    serviceHours: { metrics, availabilityBy: 'time', serviceHours: megabyte },
    degraded: { metrics, availabilityBy: 'time', degraded: megabyte },
  }

  test.each(Object.keys(places))('as %s is rejected with a short message', async (place) => {
    const answer = await post(places[place] ?? {})
    expect([place, answer.status]).toEqual([place, 400])
    expectShort(place, answer)
  })

  test.each([
    ['metrics', { metrics: Array.from({ length: 60_000 }, (_, i) => `m${i}`) }],
    ['duplicate metrics', { metrics: Array.from({ length: 60_000 }, () => 'availability') }],
    ['ids', { metrics, checks: { ids: Array.from({ length: 60_000 }, (_, i) => `i${i}`) } }],
    ['tags', { metrics, checks: { tags: Array.from({ length: 60_000 }, (_, i) => `t${i}`) } }],
    ['groups', { metrics, groupBy: Array.from({ length: 60_000 }, () => 'check') }],
    ['locations', { metrics, filter: { runLocation: Array.from({ length: 60_000 }, (_, i) => `l${i}`) } }],
    ['status codes', { metrics, filter: { statusCode: Array.from({ length: 60_000 }, () => 200) } }],
    ['bounds', { metrics, bounds: Array.from({ length: 60_000 }, (_, i) => i) }],
  ])('and 60,000 %s are rejected with a specific message', async (_, payload) => {
    const { status, body } = await post(payload)
    expect([status, body.code]).toEqual([400, 'INVALID_PARAMETER'])
    expect(body.message).toMatch(/must be a list of \d to \d+ items\.$/)
  })
})

describe('twelve kilobytes in a URL', () => {
  type Operation = { readonly parameters?: readonly { readonly name: string; readonly in: string }[] }
  const ids: Readonly<Record<string, string>> = { id: checks[0]?.id ?? '', tag: 'web', resultId: 'r', slo: 's', token: 't', bundle: 'b' }
  const withIds = (path: string) => path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'x')

  const paths = async (): Promise<readonly (readonly [string, Operation])[]> => {
    const { body } = await api.get('/openapi.json')
    return Object.entries(withoutReferences(body).paths).flatMap(([path, { get }]) => (get ? [[path, get]] : []))
  }
  const isEndless = (path: string) => path.endsWith('/stream')

  test('as any parameter of any route get a short response', async () => {
    for (const [path, { parameters = [] }] of await paths()) {
      if (isEndless(path)) continue
      for (const { name } of parameters.filter((one) => one.in === 'query')) {
        const what = `${path} ${name}`
        const answer = await api.get(`${withIds(path)}?${name}=${kilobytes}`)
        if (answer.status !== 200) expectShort(what, answer)
      }
    }
  })

  test('as the name of a parameter, or as a part of the path, get a short response', async () => {
    for (const [path] of await paths()) {
      if (isEndless(path)) continue
      const named = await api.get(`${withIds(path)}?${kilobytes}=1`)
      if (named.status !== 200) expectShort(`${path} ?name`, named)
      if (path.includes('{')) expectShort(path, await api.get(path.replace(/\{\w+\}/g, kilobytes)))
    }
  })

  test('of list items are rejected with a specific message', async () => {
    const many = Array.from({ length: 3000 }, (_, i) => i.toString(36)).join(',')
    for (const [path, name] of [
      ['/v1/checks', 'tag'],
      ['/v1/analytics/outages', 'tag'],
      ['/v1/analytics/outages', 'checkId'],
      ['/v1/analytics/failures', 'runLocation'],
      [`/v2/check-results/${checks[0]?.id}`, 'fields'],
      [`/v1/analytics/${checks[0]?.checkType.path}/${checks[0]?.id}`, 'metrics'],
      ['/v1/check-results/stream', 'tag'],
    ] as const) {
      const { status, body } = await api.get(`${path}?${name}=${many}`)
      expect([path, status, body.message]).toEqual([path, 400, `${name} must be a list of at most 1000 values.`])
    }
  })
})

test('a key of many kilobytes is rejected without being echoed or stored', async () => {
  const { status, body, text } = await api.get('/v1/checks', { ...credentials, authorization: `Bearer ${'k'.repeat(8000)}` })
  expect([status, body.code]).toEqual([401, 'UNKNOWN_KEY'])
  expect(text.length).toBeLessThan(300)
})
