import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { httpServer } from '../../../test/support/servers.ts'
import { createApi, Problem } from './client.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown
type Seen = { readonly method: string; readonly path: string; readonly headers: IncomingMessage['headers']; readonly body: string }

const signal = new AbortController().signal
let answer: Answer
let seen: Seen[]
let observed: string[]
let basePath: string | null

beforeEach(async () => {
  answer = (_, response) => response.end('null')
  seen = []
  observed = []
  basePath = null
  const port = await httpServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    seen.push({ method, path: url, headers, body: await text(request) })
    answer(request, response)
  })
  const browserFetch = globalThis.fetch
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => browserFetch(`http://127.0.0.1:${port}${path}`, init))
  vi.stubGlobal('document', { querySelector: () => (basePath === null ? null : { content: basePath }) })
})
afterEach(() => vi.unstubAllGlobals())

const api = createApi(
  { key: 'the-key', account: 'acme' },
  {
    onAnswer: () => observed.push('answer'),
    onNoAnswer: () => observed.push('no answer'),
    onUnknownZone: (zone) => observed.push(`unknown zone ${zone}`),
  },
)
const json = (status: number, body: unknown): Answer => {
  return (_, response) => response.writeHead(status, { 'Content-Type': 'application/json', 'X-Own': 'yes' }).end(JSON.stringify(body))
}
const problemOf = async (asked: Promise<unknown>) => {
  const fault = await asked.catch((error: unknown) => error)
  if (!(fault instanceof Problem)) throw new Error('there is no problem', { cause: fault })
  const { status, message, code, isOffline, faults } = fault
  return { status, message, code, isOffline, faults }
}

test('a request has key and account, and returns body and headers', async () => {
  answer = json(200, { a: 1 })
  const { data, headers } = await api.request({ path: '/v1/x?y=z' }, signal)
  expect([data, headers.get('X-Own')]).toEqual([{ a: 1 }, 'yes'])
  expect(seen).toMatchObject([
    { method: 'GET', path: '/v1/x?y=z', headers: { authorization: 'Bearer the-key', 'x-service-account': 'acme' }, body: '' },
  ])
  expect(seen[0]?.headers).not.toHaveProperty('if-match')
  expect(observed).toEqual(['answer'])
})

test('a request with a body is a JSON POST by default, with the version that it changes', async () => {
  await api.request({ path: '/v1/x', body: { a: 1 } }, signal)
  await api.request({ path: '/v1/x', method: 'PATCH', body: {}, ifMatch: '"7"' }, signal)
  await api.request({ path: '/v1/x', method: 'DELETE' }, signal)
  expect(seen.map(({ method, headers, body }) => [method, headers['content-type'], headers['if-match'], body])).toEqual([
    ['POST', 'application/json', undefined, '{"a":1}'],
    ['PATCH', 'application/json', '"7"', '{}'],
    ['DELETE', undefined, undefined, ''],
  ])
})

test('paths are below the base path of the page', async () => {
  basePath = '/tidemark'
  await api.request({ path: '/v1/x' }, signal)
  expect(seen[0]?.path).toBe('/tidemark/v1/x')
})

test('a response without content is null', async () => {
  answer = (_, response) => response.writeHead(204).end()
  expect((await api.request({ path: '/v1/x' }, signal)).data).toBeNull()
})

test('files, tables and streams are requested by media type', async () => {
  answer = (_, response) => response.writeHead(200, { 'X-Next-Cursor': 'next' }).end('a,b')
  expect(await (await api.file('/v1/x', 'image/png', signal)).text()).toBe('a,b')
  const { csv, next } = await api.table('/v1/x', signal)
  expect([await csv.text(), next]).toEqual(['a,b', 'next'])
  expect(await (await api.stream('/v1/x', signal)).text()).toBe('a,b')
  expect(seen.map(({ headers }) => [headers.accept, headers.authorization])).toEqual([
    ['image/png', 'Bearer the-key'],
    ['text/csv', 'Bearer the-key'],
    ['text/event-stream', 'Bearer the-key'],
  ])
  answer = (_, response) => response.end('')
  expect((await api.table('/v1/x', signal)).next).toBeNull()
})

test('an error response becomes a problem with the message, code and faults of the API', async () => {
  const faults = [{ pointer: '/name', message: 'is missing' }]
  answer = json(422, { message: 'The check has faults.', code: 'FAULTS', faults })
  const expected = { status: 422, message: 'The check has faults.', code: 'FAULTS', isOffline: false, faults }
  expect(await problemOf(api.request({ path: '/v1/x' }, signal))).toEqual(expected)
  expect(await problemOf(api.file('/v1/x', 'image/png', signal))).toEqual(expected)
  expect(await problemOf(api.stream('/v1/x', signal))).toEqual(expected)
  answer = json(503, { message: 'The store is busy.' })
  expect(await problemOf(api.request({ path: '/v1/x' }, signal))).toMatchObject({
    message: 'The store is busy.',
    code: '',
    isOffline: false,
  })
  expect(observed).toEqual([])
})

test('a response from something else than the API is reported by its status, and only a gateway error means that the server is unreachable', async () => {
  answer = (_, response) => response.writeHead(500).end('<html>')
  expect(await problemOf(api.request({ path: '/v1/x' }, signal))).toEqual({
    status: 500,
    message: 'Tidemark returned 500.',
    code: '',
    isOffline: false,
    faults: [],
  })
  for (const status of [502, 503, 504]) {
    answer = (_, response) => response.writeHead(status).end('<html>')
    expect(await problemOf(api.request({ path: '/v1/x' }, signal))).toMatchObject({ status, isOffline: true })
  }
  expect(observed).toEqual(['no answer', 'no answer', 'no answer'])
})

test('an unreachable server, or a connection lost during a response, becomes a problem with a message', async () => {
  const offline = {
    status: 0,
    message: 'Cannot reach Tidemark. Is it running, and is this computer online?',
    code: '',
    isOffline: true,
    faults: [],
  }
  answer = (_, response) => response.destroy()
  expect(await problemOf(api.request({ path: '/v1/x' }, signal))).toEqual(offline)
  answer = (_, response) => {
    response.writeHead(200, { 'Content-Length': 100 }).write('{"a":')
    setImmediate(() => response.destroy())
  }
  expect(await problemOf(api.request({ path: '/v1/x' }, signal))).toEqual(offline)
  expect(observed).toEqual(['no answer', 'no answer'])
})

test('redirects are not followed', async () => {
  answer = (_, response) => response.writeHead(302, { Location: '/other' }).end()
  expect(await problemOf(api.request({ path: '/v1/x' }, signal))).toMatchObject({ isOffline: true })
  expect(seen.map(({ path }) => path)).toEqual(['/v1/x'])
})

test('an aborted request is not a problem, and says nothing about the server', async () => {
  const abort = new AbortController()
  answer = () => abort.abort()
  await expect(api.request({ path: '/v1/x' }, abort.signal)).rejects.toMatchObject({ name: 'AbortError' })
  expect(observed).toEqual([])
})

test('invalid JSON is a SyntaxError', async () => {
  answer = (_, response) => response.end('<html>')
  await expect(api.request({ path: '/v1/x' }, signal)).rejects.toThrow(SyntaxError)
})

test('an unknown time zone is reported by its name, from the body or the query', async () => {
  answer = json(400, { message: 'x', code: 'UNKNOWN_TIMEZONE' })
  await problemOf(api.request({ path: '/v1/x', body: { timezone: 'Asia/Bygone' } }, signal))
  await problemOf(api.request({ path: '/v1/x?timezone=Etc/GMT%2B5' }, signal))
  await problemOf(api.table('/v1/x?timezone=Asia/Bygone', signal))
  await problemOf(api.request({ path: '/v1/x' }, signal))
  expect(observed).toEqual(['unknown zone Asia/Bygone', 'unknown zone Etc/GMT+5', 'unknown zone Asia/Bygone', 'unknown zone '])
})

test('an API without observer works, too', async () => {
  answer = json(200, 7)
  expect((await createApi({ key: 'k', account: 'a' }).request({ path: '/v1/x' }, signal)).data).toBe(7)
  answer = (_, response) => response.destroy()
  expect(await problemOf(createApi({ key: 'k', account: 'a' }).request({ path: '/v1/x' }, signal))).toMatchObject({ isOffline: true })
})
