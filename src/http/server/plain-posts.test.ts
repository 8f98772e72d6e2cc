// @slow
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openTestApp } from '../../../test/support/app.ts'
import { account, service, testCatalogue, testCheck, testKey } from '../../../test/support/catalogue.ts'
import { refusingChecks } from '../../../test/support/refusing-store.ts'
import { checkTypes } from '../../checks/registry.ts'
import { type Store, StoreUnavailable } from '../../store/store.ts'

/** Fastify publishes here when a route handler starts. */
const fastifyHandler = 'tracing:fastify.request.handler:start'
const key = 'tdm_testfeed_00000000000000000000000000000000_000000'
const now = Date.UTC(2026, 10, 14, 12)
const checks = checkTypes.slice(0, 1).flatMap((checkType) => [testCheck(checkType), testCheck(checkType, { id: 'refused' })])
const common = { host: 'x', authorization: `Bearer ${key}`, 'x-service-account': account }
const json = { ...common, 'content-type': 'application/json' }
const lines = { ...common, 'content-type': 'application/x-ndjson' }
/** Sends a post to Fastify's route. */
const unusual = 'content-encoding: identity\r\n'

const row = (minute: number, more: object = {}) =>
  JSON.stringify({ checkId: checks[0]?.id, startedAt: now - 60_000 * minute, runLocation: 'here', hasFailures: false, ...more })

function post(body: string, headers: Readonly<Record<string, string>> = lines, more = ''): string {
  const fields = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body) }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST /v1/check-results HTTP/1.1\r\n${fields.join('')}${more}\r\n${body}`
}
const tooMany = '1\n'.repeat(10_001)
const get = 'GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n'
const accepted = /^HTTP\/1\.1 200 OK\r\n.*{"accepted":1,"duplicates":0,"rejected":\[\]}$/s

describe('a plain post of results', () => {
  test.each([
    ['a row', row(1)],
    ['rows', `${row(1)}\n${row(2)}\n`],
    ['a row that is stored already', `${row(1)}\n${row(1)}`],
    ['a row that is rejected, in letters beyond ASCII', row(1, { größe: 1 })],
    ['a row that is not JSON', `{\n${row(1)}`],
    ['an array', `[${row(1)}]`, json],
    ['an array that is not JSON', '{', json],
    ['too many rows', tooMany],
  ])('gets the same bytes as from the route: %s', async (_, body, headers = lines) => {
    const [fast, routed] = [await open(), await open()]
    const answers = await Promise.all([fast.send(post(body, headers)), routed.send(post(body, headers, unusual))])
    expect([fast.handledByFastify(), routed.handledByFastify()]).toEqual([0, 1])
    const [here, there] = answers.map((answer) => answer.replace(/Date: .*/, 'Date:'))
    expect(here).toBe(there)
  })

  test.each([
    ['that the config file names', ['https://a.example', 'https://b.example'], { origin: 'https://b.example' }],
    ['that it does not name', ['https://a.example'], { origin: 'https://c.example' }],
    ['none, where it names some', ['https://a.example'], {}],
    ['any, where all are allowed', ['*'], { origin: 'https://c.example' }],
    ['any, where none is', [], { origin: 'https://c.example' }],
  ])('gets the same bytes as from the route, for an origin: %s', async (_, corsOrigins, origin) => {
    const settings = { service: () => ({ ...service, corsOrigins }) }
    for (const body of [row(1), tooMany]) {
      const [fast, routed] = [await open(settings), await open(settings)]
      const headers = { ...lines, ...origin }
      const answers = await Promise.all([fast.send(post(body, headers)), routed.send(post(body, headers, unusual))])
      expect([fast.handledByFastify(), routed.handledByFastify()]).toEqual([0, 1])
      const [here, there] = answers.map((answer) => answer.replace(/Date: .*/, 'Date:'))
      expect(here).toBe(there)
      expect(/access-control-allow-origin/.test(String(here))).toBe(
        corsOrigins.some((allowed) => allowed === '*' || allowed === headers.origin),
      )
    }
  })

  test.each([
    ['the store is overloaded', () => new StoreUnavailable('full', 30), 503],
    ['the store fails', () => new Error('broken'), 500],
  ])('gets the same error as from the route when %s, and is counted once', async (_, problem, status) => {
    const failing = (store: Store): Store => ({ ...store, append: () => Promise.reject(problem()) })
    const { send } = await open({ instead: failing })
    const answers = [await send(post(row(1))), await send(post(row(1), lines, unusual))]
    const [here, there] = answers.map((answer, i) => answer.replace(/Date: .*|id: [\w-]+/g, '').replace(`remaining: ${99_999 - i}`, ''))
    expect(here).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(here).toBe(there)
  })

  test('is handled for the path with a trailing slash', async () => {
    const { send, handledByFastify } = await open()
    expect(await send(post(row(1)).replace('check-results', 'check-results/'))).toMatch(accepted)
    expect(handledByFastify()).toBe(0)
  })

  test('is handled however it is split into packets', async () => {
    const { send, handledByFastify } = await open()
    for (let cut = 1; cut < post(row(1)).length; cut += 17) {
      const text = post(row(cut))
      expect(await send(text.slice(0, cut), text.slice(cut))).toMatch(accepted)
    }
    expect(handledByFastify()).toBe(0)
  })

  test('is handled in order if several are pipelined', async () => {
    const { send, socket, handledByFastify } = await open()
    socket.write(post(row(1)) + post(`${row(2)}\n${row(3)}`) + post(row(1)))
    expect(await send('')).toMatch(accepted)
    expect(await send('')).toMatch(/"accepted":2,"duplicates":0/)
    expect(await send('')).toMatch(/"accepted":0,"duplicates":1/)
    expect(handledByFastify()).toBe(0)
  })

  test('gets its own outcome if many arrive together', async () => {
    const { connectToo } = await open()
    const sockets = await Promise.all(Array.from({ length: 20 }, connectToo))
    const answers = sockets.map(untilClosed)
    sockets.forEach(
      (socket, i) => void socket.end(post(i % 3 === 0 ? tooMany : Array.from({ length: i }, (_, at) => row(100 * i + at)).join('\n'))),
    )
    for (const [i, answer] of (await Promise.all(answers)).entries())
      expect(answer).toMatch(i % 3 === 0 ? /^HTTP\/1.1 413 .*10,000 rows/s : new RegExp(`"accepted":${i},"duplicates":0`))
  })
})

test('posts that arrive together with a rejected one get the outcome of their own results', async () => {
  const calls: number[] = []
  const instead = (store: Store): Store => ({
    ...store,
    append(results) {
      calls.push(results.length)
      return refusingChecks(store.append, new Set(['refused']))(results)
    },
  })
  const { connectToo } = await open({ instead })
  const sockets = await Promise.all(Array.from({ length: 20 }, connectToo))
  const answers = sockets.map(untilClosed)
  const refused = (i: number) => row(i, { checkId: 'refused' })
  sockets.forEach((socket, i) => void socket.end(post(`${row(i)}\n${row(i)}\n${i % 3 === 0 ? refused(i) : row(20 + i)}`)))
  for (const [i, answer] of (await Promise.all(answers)).entries())
    expect(answer).toMatch(i % 3 === 0 ? /^HTTP\/1.1 503 .*retry-after: 5\r\n.*UNAVAILABLE"}$/is : /"accepted":2,"duplicates":1/)
  expect(Math.max(...calls)).toBeGreaterThan(3)
})

describe('a client that closes its sending side', () => {
  test('gets the responses to its posts', async () => {
    const { socket } = await open()
    socket.end(post(row(1)) + post(row(2)))
    expect((await untilClosed(socket)).match(/"accepted":1/g)).toHaveLength(2)
  })
  test('gets the response to any other request', async () => {
    const { socket } = await open()
    socket.end(post(row(1), lines, unusual))
    expect(await untilClosed(socket)).toMatch(/"accepted":1/)
  })
  test('gets a 400 if the request is incomplete', async () => {
    const { socket } = await open()
    socket.end(post(row(1)).slice(0, -5))
    expect(await untilClosed(socket)).toMatch(/^HTTP\/1.1 400 .*MALFORMED_REQUEST/s)
  })
  test('stores nothing if it disconnects within a request, without affecting others', async () => {
    const { app, connectToo, store } = await open()
    const connected = once(app.server, 'connection')
    const socket = await connectToo()
    const [ours] = (await connected) as [Socket]
    const half = post(row(1)).slice(0, -5)
    socket.write(half)
    await expect.poll(() => ours.bytesRead).toBe(half.length)
    socket.resetAndDestroy()
    const other = await connectToo()
    other.end(post(row(2)))
    expect(await untilClosed(other)).toMatch(accepted)
    const [latest] = await store.latest([{ account, checkId: checks[0]?.id ?? '' }])
    expect(latest?.byLocation).toMatchObject([{ startedAt: now - 120_000 }])
  })
})

test('back-pressure: requests of a client that does not read its responses are not read', async () => {
  const { app, send, connectToo } = await open()
  const connected = once(app.server, 'connection')
  const deaf = await connectToo()
  const [ours] = (await connected) as [Socket]
  let requests = 0
  app.server.on('request', () => {
    requests++
  })
  deaf.pause()
  const big = post('7\n'.repeat(5000))
  while (!ours.writableNeedDrain) {
    deaf.write(big)
    await sleep(20)
  }
  const before = requests
  for (let i = 0; i < 100; i++) deaf.write(big)
  for (let i = 0; i < 20; i++) await send(get) // Long enough for the server to have read all of them.
  expect(requests).toBeLessThan(before + 50)
})

describe('a request is passed to Fastify', () => {
  test.each([
    ['that is another', get, 200],
    ['without a key', post(row(1), { host: 'x', 'content-type': 'application/x-ndjson' }), 401],
    ['with an unknown key', post(row(1), { ...lines, authorization: 'Bearer nobody' }), 401],
    ['of another account', post(row(1), { ...lines, 'x-service-account': 'other' }), 403],
    ['of another media type', post(row(1), { ...common, 'content-type': 'text/csv' }), 415],
    ['with parameters of its media type', post(row(1), { ...common, 'content-type': 'application/x-ndjson; charset=utf-8' }), 200],
    ['without a body', post(''), 400],
    ['with invalid gzip', post('x', { ...lines, 'content-encoding': 'gzip' }), 400],
    ['in chunks', post('', lines, '').replace('content-length: 0', 'transfer-encoding: chunked') + chunk(row(9)), 200],
    ['with a long body', post(`${row(1)}${' '.repeat(70_000)}`), 200],
    ['with a query', post(row(1)).replace('check-results', 'check-results?a=1'), 200],
    ['of HTTP/1.0', post(row(1)).replace('HTTP/1.1', 'HTTP/1.0'), 200],
    ['without a host', post(row(1)).replace('host: x\r\n', ''), 400],
    ['that is not HTTP', 'hello\r\n\r\n', 400],
  ])('%s, and the connection is used further if it stays open', async (_, text, status) => {
    const { send, handledByFastify } = await open()
    expect(await send(post(row(1000)))).toMatch(accepted)
    expect(handledByFastify()).toBe(0)
    const answer = await send(text)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    if (status === 200) expect(handledByFastify()).toBe(1)
    if (/connection: close/i.test(answer)) return
    expect(await send(post(row(2000)))).toMatch(accepted)
    expect(await send(get)).toMatch(/^HTTP\/1.1 200 /)
  })

  test('that expects a 100 Continue', async () => {
    const { send, handledByFastify } = await open()
    expect(await send(post(row(1), { ...lines, expect: '100-continue' }))).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    expect(await send('')).toMatch(accepted)
    expect(handledByFastify()).toBe(1)
  })

  test('that exceeds the rate limit', async () => {
    const { send } = await open({ service: () => ({ ...service, rateLimit: { requests: 1, perMs: 60_000 } }) })
    expect(await send(post(row(1)))).toMatch(/ratelimit-remaining: 0\r\n/)
    expect(await send(post(row(2)))).toMatch(/^HTTP\/1.1 429 .*retry-after: \d+\r\n/s)
  })

  test('whose key was revoked since its last post', async () => {
    const { send, revokeKeys } = await open()
    expect(await send(post(row(1)))).toMatch(accepted)
    revokeKeys()
    expect(await send(post(row(2)))).toMatch(/^HTTP\/1.1 401 /)
  })
})

describe('a connection is closed', () => {
  test('when it is idle for too long after a post', async () => {
    const { app, socket, send } = await open()
    app.server.keepAliveTimeout = 100
    expect(await send(post(row(1)))).toMatch(accepted)
    expect(await untilClosed(socket)).toBe('')
  })

  test.each([
    ['a plain post', ''],
    ['any other request', unusual],
  ])('when the server closes: at once if it is idle, after the response if %s is pending', async (_, more) => {
    let proceed = () => {}
    const gate = new Promise<void>((resolve) => {
      proceed = resolve
    })
    let isPending = false
    const slow = (store: Store): Store => ({
      ...store,
      append: async (results) => {
        isPending = true
        await gate
        return store.append(results)
      },
    })
    const { app, socket, connectToo } = await open({ instead: slow })
    const unused = await connectToo()
    socket.write(post(row(1), lines, more))
    await expect.poll(() => isPending).toBe(true)
    const closed = app.close()
    expect(await untilClosed(unused)).toBe('')
    proceed()
    expect(await untilClosed(socket)).toMatch(/Connection: close\r\n.*"accepted":1/s)
    await closed
  })
})

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`

type Setting = { readonly instead?: (store: Store) => Store; readonly service?: () => typeof service }

/** A server with one check, and a connection to it; `send` writes pieces one after the other and reads one response. */
async function open({ instead, service }: Setting = {}) {
  const keys = [testKey(key, account, ['ingest'])]
  const catalogue = testCatalogue({ checks, keys, ...(service && { service }) })
  const { app, store, close } = await openTestApp({ catalogue, now, ...(instead && { instead }) })
  onTestFinished(close)
  await app.listen({ host: '127.0.0.1', port: 0 })
  let handled = 0
  const { port } = app.server.address() as AddressInfo
  const count = (message: unknown) => {
    if ((message as { readonly request: FastifyRequest }).request.socket.localPort === port) handled++
  }
  subscribe(fastifyHandler, count)
  onTestFinished(() => void unsubscribe(fastifyHandler, count))
  const connectToo = async () => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  const socket = await connectToo()
  let received = Buffer.alloc(0)
  socket.on('data', (piece) => {
    received = Buffer.concat([received, piece])
  })
  const send = async (...pieces: readonly string[]) => {
    for (const piece of pieces) {
      socket.write(piece)
      await sleep(5)
    }
    while (answerLength(received) > received.length) await once(socket, 'data')
    const length = answerLength(received)
    const answer = received.toString('utf8', 0, length)
    received = received.subarray(length)
    return answer
  }
  return { app, store, socket, send, connectToo, handledByFastify: () => handled, revokeKeys: () => keys.splice(0) }
}

/** The length of the first response in these bytes; infinite while its head is incomplete. */
function answerLength(bytes: Buffer): number {
  const end = bytes.indexOf('\r\n\r\n')
  const length = Number(/content-length: (\d+)/i.exec(bytes.toString('latin1', 0, end))?.[1] ?? 0)
  return end === -1 ? Number.POSITIVE_INFINITY : end + 4 + length
}

async function untilClosed(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (piece) => {
    text += piece
  })
  await once(socket, 'close')
  return text
}
