import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, expectTypeOf, onTestFinished, test } from 'vitest'
import { openTestApp, type TestApp } from '../../test/support/app.ts'
import { account, readKey, testCatalogue, testCheck, testSlo } from '../../test/support/catalogue.ts'
import { anyRunType } from '../../test/support/example-config.ts'
import { testResult } from '../../test/support/results.ts'
import { type Client, type ClientOptions, createClient, type ReportPath, TidemarkError, UnreachableError } from './index.ts'

const minuteMs = 60_000
const now = Date.UTC(2026, 10, 14, 12)
const checkType = anyRunType()
const checks = Array.from({ length: 102 }, (_, i) => testCheck(checkType, { id: `check-${i}`, locations: ['eu'] }))
const [first = testCheck(checkType)] = checks
const reportPath = `/v1/analytics/${checkType.path}/{id}` as ReportPath

/** 250 runs of one check, every other minute down. */
const results = Array.from({ length: 250 }, (_, i) => testResult(first, now - i * minuteMs, { hasFailures: i % 2 === 1, error: null }))

let api: TestApp
let client: Client
beforeAll(async () => {
  const catalogue = testCatalogue({ checks, policies: { slos: [testSlo('web')] } })
  api = await openTestApp({ catalogue, results, now: () => now })
  client = createClient({ url: await api.app.listen({ port: 0, host: '127.0.0.1' }), key: readKey, account })
})
afterAll(() => api.close())

describe('a response', () => {
  test('has the type and data of its endpoint', async () => {
    const { data } = await client.GET('/v1/checks/{id}', { params: { path: { id: first.id } } })
    expectTypeOf(data.tags).toEqualTypeOf<string[]>()
    expect(data).toEqual((await api.get(`/v1/checks/${first.id}`)).body)
  })

  test('supports lists in parameters', async () => {
    const metrics = ['availability', 'retries'] as const
    const { data } = await client.GET(reportPath, { params: { path: { id: first.id }, query: { metrics: [...metrics] } } })
    expect(data.series[0]?.data).toEqual([{ total: 250, success: 125, availability: 50, retries: 0 }])
  })

  test('supports a query in the body', async () => {
    const { data } = await client.POST('/v1/analytics/query', { body: { metrics: ['availability'], checks: { ids: [first.id] } } })
    expect(data).toMatchObject({ checks: 1, series: [{ data: [{ total: 250 }] }] })
  })

  test('keeps its headers', async () => {
    const { response } = await client.GET('/v1/checks', { params: { query: { limit: 2 } } })
    expect(response.headers.get('content-range')).toBe('0-1/102')
  })
})

describe('pages', () => {
  const sizes = async (pages: AsyncIterable<{ length: number }>) => (await collect(pages)).map(({ length }) => length)

  test('follow page numbers to the end', async () => {
    expect(await sizes(client.pages('/v1/checks'))).toEqual([100, 2])
    expect(await sizes(client.pages('/v1/checks', { params: { query: { limit: 34 } } }))).toEqual([34, 34, 34, 0])
    expect(await sizes(client.pages('/v1/check-results/{id}', { params: { path: { id: first.id } } }))).toEqual([100, 100, 50])
  })

  test('of a report keep the window of the first one', async () => {
    const query = { metrics: ['availability' as const], aggregationInterval: 1, quickRange: 'last7Days' as const }
    const pages = await collect(client.pages(reportPath, { params: { path: { id: first.id }, query } }))
    expect(pages.map(({ series }) => series[0]?.data.length)).toEqual([100, 100, 50])
    expect(new Set(pages.map(({ from, to }) => `${from} ${to}`)).size).toBe(1)
    expect(new Set(pages.flatMap(({ series }) => series[0]?.data.map(({ period }) => period))).size).toBe(250)
  })

  test('follow cursors to the end', async () => {
    const outages = await collect(client.pages('/v1/analytics/outages', { params: { query: { checkId: [first.id], limit: 50 } } }))
    expect(outages.map((page) => page.outages.length)).toEqual([50, 50, 25])
    const path = { id: first.id }
    const found = await collect(client.pages('/v2/check-results/{id}', { params: { path } }))
    expect(found.map(({ length }) => length)).toEqual([100, 100, 50])
  })

  test('follow the cursor of a query of many checks', async () => {
    const question = { metrics: ['availability'], groupBy: ['check' as const], limit: 60 }
    const all = (await collect(client.queryPages(question))).flatMap(({ series }) => series)
    const { body } = await api.call({
      method: 'POST',
      url: '/v1/analytics/query',
      headers: { authorization: `Bearer ${readKey}`, 'x-service-account': account, 'content-type': 'application/json' },
      payload: JSON.stringify({ ...question, limit: 1000 }),
    })
    expect(all).toEqual(body.series)
  })
})

test('results are streamed row by row, oldest first, and iteration can stop early', async () => {
  const rows = await collect(client.results(first.id))
  expect(rows).toHaveLength(250)
  expect(rows.at(-1)).toMatchObject({ startedAt: new Date(now).toISOString() })
  for await (const row of client.results(first.id, { from: '2026-11-14T11:00:00Z' })) {
    expect(row).toMatchObject({ startedAt: '2026-11-14T11:00:00.000Z' })
    break
  }
})

describe('an error', () => {
  test('has the status, code and message of the response', async () => {
    const asked = client.GET('/v1/checks/{id}', { params: { path: { id: 'nowhere' } } })
    const error = await asked.catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(TidemarkError)
    const { code, message } = (await api.get('/v1/checks/nowhere')).body
    expect(error).toMatchObject({ status: 404, code, message })
  })

  test('of another server has its status', async () => {
    const url = await listen((_, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'))
    const error = { status: 502, code: null, message: 'The server returned 502 without a message.' }
    await expect(clientOf(url).GET('/v1/slos')).rejects.toMatchObject(error)
  })

  test('of a page, as of a proxy that asks for a login, says so', async () => {
    const url = await listen(({ url: path }, response) => {
      if (path === '/login') response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<h1>Log in</h1>')
      else response.writeHead(302, { location: '/login' }).end()
    })
    const error = await clientOf(url)
      .GET('/v1/slos')
      .catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(TidemarkError)
    expect(error).toMatchObject({ code: null, message: expect.stringContaining(`${url}/login is an HTML page and not an answer`) })
  })

  test('of a redirect names its target, because a post would become another request', async () => {
    const seen: (string | undefined)[] = []
    const url = await listen(({ method }, response) => {
      seen.push(method)
      response.writeHead(301, { location: 'https://tidemark.example/v1/silences' }).end()
    })
    const asked = clientOf(url).POST('/v1/analytics/query', { body: { metrics: ['availability'] } })
    await expect(asked).rejects.toMatchObject({
      status: 301,
      message: expect.stringContaining('redirects to https://tidemark.example/v1/'),
    })
    expect(seen).toEqual(['POST'])
  })

  test('after a redirect to another origin, which does not get the key, names the target', async () => {
    const other = await listen(({ headers }, response) => response.writeHead(headers.authorization ? 200 : 401).end('{}'))
    const url = await listen((request, response) => response.writeHead(308, { location: `${other}${request.url}` }).end())
    const asked = clientOf(url).GET('/v1/slos')
    await expect(asked).rejects.toMatchObject({ status: 401, message: expect.stringContaining(`redirects to ${other}/v1/slos`) })
  })

  test('of an unreachable server names the address', async () => {
    const asked = clientOf('http://127.0.0.1:9/monitoring').GET('/v1/slos')
    await expect(asked).rejects.toThrow(UnreachableError)
    await expect(asked).rejects.toThrow('No Tidemark server responds at http://127.0.0.1:9/ (')
  })

  test('of a timeout says so', async () => {
    const url = await listen(() => {})
    await expect(clientOf(url, { timeoutMs: 50 }).GET('/v1/slos')).rejects.toThrow('(no answer within 0.05 s)')
  })

  test('of an abort is an AbortError', async () => {
    await expect(client.GET('/v1/slos', { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('a request that is refused temporarily', () => {
  /** Rejects the first `times` requests. */
  async function refusing(times: number, status: number, retryAfter: string) {
    const bodies: string[] = []
    const url = await listen(async (request, response) => {
      bodies.push((await request.setEncoding('utf8').toArray()).join(''))
      if (bodies.length <= times) response.writeHead(status, { 'retry-after': retryAfter }).end('{"code": "BUSY", "message": "Later."}')
      else response.end('[]')
    })
    return { url, bodies }
  }

  test.each([429, 503])('with %i is retried, with its body', async (status) => {
    const { url, bodies } = await refusing(2, status, '0')
    const body = { checkIds: ['home'] }
    expect((await clientOf(url).POST('/v1/analytics/checks', { body })).data).toEqual([])
    expect(bodies).toEqual(Array(3).fill(JSON.stringify(body)))
  })

  test('fails after the number of retries of the client', async () => {
    const { url, bodies } = await refusing(9, 429, '0')
    await expect(clientOf(url, { retries: 1 }).GET('/v1/slos')).rejects.toMatchObject({ status: 429, code: 'BUSY', retryAfterSeconds: 0 })
    expect(bodies).toHaveLength(2)
  })

  test('fails at once if the delay is too long', async () => {
    const { url, bodies } = await refusing(9, 503, '3600')
    await expect(clientOf(url).GET('/v1/slos')).rejects.toMatchObject({ message: 'Later.', retryAfterSeconds: 3600 })
    expect(bodies).toHaveLength(1)
  })

  test('is aborted while it waits', async () => {
    const { url, bodies } = await refusing(9, 503, '60')
    const controller = new AbortController()
    const asked = clientOf(url).GET('/v1/slos', { signal: controller.signal })
    await expect.poll(() => bodies).toHaveLength(1)
    controller.abort()
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' })
  })
})

test('a base path of the URL is kept', async () => {
  const paths: (string | undefined)[] = []
  const url = await listen((request, response) => {
    paths.push(request.url)
    response.end('[]')
  })
  await clientOf(`${url}/monitoring/`).GET('/v1/slos')
  expect(paths).toEqual(['/monitoring/v1/slos'])
})

const clientOf = (url: string, options: Partial<ClientOptions> = {}) => createClient({ url, key: 'k', account: 'a', ...options })

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await expect.poll(() => server.listening).toBe(true)
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
