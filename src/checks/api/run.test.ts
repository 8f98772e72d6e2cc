import type { IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { runContext } from '../../../test/support/run-context.ts'
import { httpServer } from '../../../test/support/servers.ts'
import { api } from './index.ts'
import { run } from './run.ts'

type Request = Parameters<typeof run>[0]['request']
type Received = { readonly method: string; readonly url: string; readonly headers: IncomingMessage['headers']; readonly body: string }

/** The request as received by a server. */
async function received(request: Omit<Request, 'url'>, path = '/', user = ''): Promise<Received> {
  let kept: Received | undefined
  const port = await httpServer(async (message, answer) => {
    const body = (await message.toArray()).join('')
    kept = { method: message.method ?? '', url: message.url ?? '', headers: message.headers, body }
    answer.end()
  })
  const { failure } = await run({ request: { ...request, url: `http://${user}127.0.0.1:${port}${path}` } }, runContext())
  expect(failure).toBeNull()
  if (!kept) throw new Error('nothing was received')
  return kept
}

/** Evaluates assertions against a response. */
async function answered(
  { status = 200, headers = {}, body = '' }: { status?: number; headers?: Record<string, string | string[]>; body?: string | Buffer },
  assertions: Request['assertions'],
  request: Partial<Request> = {},
) {
  const port = await httpServer((_, answer) => answer.writeHead(status, headers).end(body))
  return run({ request: { ...request, url: `http://127.0.0.1:${port}/`, ...(assertions && { assertions }) } }, runContext())
}

describe('a request has', () => {
  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const)('the method %s', async (method) => {
    expect((await received({ method })).method).toBe(method)
  })

  test('the query of the settings after that of the URL', async () => {
    expect((await received({ query: { q: 'a b&c', ä: '1' } }, '/path?x=1')).url).toBe('/path?x=1&q=a+b%26c&%C3%A4=1')
  })

  test('headers of the settings, which override the defaults', async () => {
    const { headers } = await received({ headers: { 'user-agent': 'mine', 'X-Trace': '7', HOST: 'example.test' } })
    expect(headers).toMatchObject({ 'user-agent': 'mine', 'x-trace': '7', host: 'example.test', accept: '*/*' })
  })

  test.each([
    ['json', '{"a":1}', '{"a":1}', 'application/json'],
    ['form', 'a=1&b=2', 'a=1&b=2', 'application/x-www-form-urlencoded'],
    ['raw', 'grüße', 'grüße', undefined],
    ['graphql', '{ me { id } }', '{"query":"{ me { id } }"}', 'application/json'],
    ['graphql', '{"query":"{ me }","variables":{}}', '{"query":"{ me }","variables":{}}', 'application/json'],
  ] as const)('a body of the kind %s', async (bodyType, body, sent, contentType) => {
    const got = await received({ method: 'POST', bodyType, body })
    expect(got.body).toBe(sent)
    expect(got.headers['content-type']).toBe(contentType)
    expect(got.headers['content-length']).toBe(String(Buffer.byteLength(sent)))
  })

  test('a content type in the settings overrides the default of the body type', async () => {
    const { headers } = await received({ method: 'PUT', bodyType: 'json', body: '[]', headers: { 'content-type': 'application/ld+json' } })
    expect(headers['content-type']).toBe('application/ld+json')
  })

  test('a body with any method', async () => {
    expect((await received({ method: 'DELETE', body: 'x' })).body).toBe('x')
  })

  test('basic authentication, from the settings or from the URL', async () => {
    const expected = `Basic ${Buffer.from('me:pä:ss').toString('base64')}`
    expect((await received({ basicAuth: { username: 'me', password: 'pä:ss' } })).headers.authorization).toBe(expected)
    expect((await received({}, '/', 'me:p%C3%A4:ss@')).headers.authorization).toBe(expected)
  })
})

describe('redirects', () => {
  async function redirected(status: number, request: Partial<Request>, elsewhere = false) {
    const kept: Received[] = []
    const keep = async (message: IncomingMessage) => {
      const body = (await message.toArray()).join('')
      kept.push({ method: message.method ?? '', url: message.url ?? '', headers: message.headers, body })
    }
    const other = await httpServer((message, answer) => void keep(message).then(() => answer.end()))
    const port = await httpServer((message, answer) => {
      if (message.url === '/next') return void keep(message).then(() => answer.end())
      answer.writeHead(status, { location: elsewhere ? `http://127.0.0.1:${other}/next` : '/next' }).end()
    })
    await run({ request: { url: `http://127.0.0.1:${port}/`, ...request } }, runContext())
    return kept[0]
  }
  const post = { method: 'POST', body: 'x', bodyType: 'json', headers: { 'X-Api-Key': 'secret', 'Accept-Language': 'de' } } as const

  test.each([
    [301, 'GET', ''],
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', 'x'],
    [308, 'POST', 'x'],
  ])('after status %i, a POST is followed by a %s', async (status, method, body) => {
    const next = await redirected(status, post)
    expect(next).toMatchObject({ method, body })
    expect(next?.headers['content-type']).toBe(body ? 'application/json' : undefined)
    expect(next?.headers['x-api-key']).toBe('secret')
  })

  test('do not send secrets to another server', async () => {
    const next = await redirected(307, { ...post, basicAuth: { username: 'me', password: 'secret' } }, true)
    expect(next?.headers).not.toHaveProperty('authorization')
    expect(next?.headers).not.toHaveProperty('x-api-key')
    expect(next?.headers['accept-language']).toBe('de')
  })
})

describe('assertions can be about', () => {
  const json = { headers: { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] }, body: '{"status":"ok","items":[1,2,3]}' }

  test('status, headers, text, JSON and time', async () => {
    const { failure, assertions } = await answered(json, [
      { source: 'statusCode', comparison: 'lessThan', target: 300 },
      { source: 'headers', property: 'Content-Type', comparison: 'contains', target: 'json' },
      { source: 'headers', comparison: 'hasKey', target: 'content-type' },
      { source: 'headers', property: 'set-cookie', comparison: 'equals', target: 'a=1, b=2' },
      { source: 'headers', property: 'x-absent', comparison: 'isNull' },
      { source: 'textBody', comparison: 'matches', target: '"status":\\s*"ok"' },
      { source: 'jsonBody', property: '$.items[*]', comparison: 'hasValue', target: 3 },
      { source: 'jsonBody', property: '$.items.length', comparison: 'equals', target: 3 },
      { source: 'jsonBody', comparison: 'hasKey', target: 'status' },
      { source: 'responseTime', comparison: 'lessThan', target: 10_000 },
    ])
    expect(failure).toBeNull()
    expect(assertions?.map(({ passed }) => passed)).toEqual(Array(10).fill(true))
  })

  test('several values, and the first failed one is the failure', async () => {
    const { failure, broken } = await answered(json, [
      { source: 'jsonBody', property: '$.status', comparison: 'equals', target: 'ok' },
      { source: 'jsonBody', property: '$.items[0]', comparison: 'greaterThan', target: 5 },
      { source: 'textBody', comparison: 'contains', target: 'absent' },
    ])
    expect({ failure, broken }).toEqual({ failure: 'JSON body $.items[0] 1, expected more than 5', broken: false })
  })

  test('JSON, and fail if the body is not JSON', async () => {
    const { failure } = await answered({ body: '<html>' }, [{ source: 'jsonBody', property: '$.a', comparison: 'isNull' }])
    expect(failure).toBe('JSON body $.a: the body is not JSON')
  })

  test('JSON, and fail if it is nested too deeply to traverse', async () => {
    const body = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const { failure } = await answered({ body }, [{ source: 'jsonBody', property: '$..a', comparison: 'notNull' }])
    expect(failure).toMatch(/^JSON body \$\.\.a/)
  })

  test('JSON up to a size limit, so that a long response does not block other runs', async () => {
    const asked = [{ source: 'jsonBody', property: '$.length', comparison: 'greaterThan', target: 2 }] as const
    const ofBytes = (bytes: number) => `[1,2,"${'x'.repeat(bytes - 8)}"]`
    expect((await answered({ body: ofBytes(1024 * 1024) }, [...asked])).failure).toBeNull()
    expect((await answered({ body: ofBytes(1024 * 1024 + 1) }, [...asked])).failure).toBe(
      'JSON body $.length: the body is longer than the 1,048,576 bytes that can be parsed as JSON',
    )
  })

  test('a compressed body, which is decompressed up to the limit', async () => {
    const asked = [{ source: 'textBody', comparison: 'contains', target: 'hello' }] as const
    const packed = (body: string) => ({ headers: { 'content-encoding': 'gzip' }, body: gzipSync(body) })
    expect((await answered(packed('hello world'), [...asked])).failure).toBeNull()
    expect((await answered(packed(`hello${' '.repeat(20_000_000)}`), [...asked])).failure).toContain('expected to contain "hello"')
  })

  test('other values, and an error status still fails the check', async () => {
    const { failure } = await answered({ status: 500, body: 'ok' }, [{ source: 'textBody', comparison: 'equals', target: 'ok' }])
    expect(failure).toBe('status 500, expected less than 400')
  })
})

test('nothing reported of a run contains a secret, even if the server repeats it', async () => {
  const port = await httpServer((message, answer) => answer.end(JSON.stringify({ url: message.url, ...message.headers })))
  const settings: Parameters<typeof run>[0] = {
    request: {
      url: `http://127.0.0.1:${port}/?token=tell-nobody`,
      query: { apiKey: 'nor anybody' },
      headers: { 'X-Api-Key': 'sesame-4711', Cookie: 'session=abcdef; theme=dark' },
      basicAuth: { username: 'admin', password: 'correct horse' },
      assertions: [
        { source: 'textBody', comparison: 'contains', target: 'sesame-4712' },
        { source: 'jsonBody', property: '$.authorization', comparison: 'isNull' },
        { source: 'jsonBody', property: '$.cookie', comparison: 'equals', target: 'session=abcdef' },
      ],
    },
  }
  const measured = await run(settings, runContext({ secrets: api.secrets?.(settings) ?? [] }))
  const reported = JSON.stringify(measured)
  expect(measured.failure).toContain('•••')
  for (const secret of [
    'sesame-4711',
    'abcdef',
    'nobody',
    'anybody',
    'correct horse',
    Buffer.from('admin:correct horse').toString('base64'),
  ]) {
    expect(reported).not.toContain(secret)
  }
})

test('invalid headers are a failure that does not quote their values', async () => {
  const port = await httpServer((_, answer) => answer.end())
  const { failure } = await run({ request: { url: `http://127.0.0.1:${port}/`, headers: { 'X-Key': 'secret\nvalue' } } }, runContext())
  expect(failure).toBe('a request header has an invalid character')
})
