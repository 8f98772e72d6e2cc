import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openTestApp } from '../../test/support/app.ts'
import { account, service, testCatalogue, testCheck, testKey } from '../../test/support/catalogue.ts'
import { checkTypes } from '../checks/registry.ts'
import { type Store, StoreUnavailable } from '../store/store.ts'

const key = 'tdm_testfeed_00000000000000000000000000000000_000000'
const now = Date.UTC(2026, 10, 14, 12)
const checks = checkTypes.slice(0, 1).map((checkType) => testCheck(checkType))
const common = { host: 'x', authorization: `Bearer ${key}`, 'x-service-account': account }
const lines = { ...common, 'content-type': 'application/x-ndjson' }
/** A field that comes twice is not plain. */
const theLongWay = 'x-long: 1\r\nx-long: 1\r\n'

const row = (minute: number, more: object = {}) =>
  JSON.stringify({ checkId: checks[0]?.id, startedAt: now - 60_000 * minute, runLocation: 'here', hasFailures: false, ...more })

function post(body: string, headers: Readonly<Record<string, string>> = lines, more = ''): string {
  const fields = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body) }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST /v1/check-results HTTP/1.1\r\n${fields.join('')}${more}\r\n${body}`
}
const get = 'GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n'
const taken = /^HTTP\/1\.1 200 OK\r\n.*{"accepted":1,"duplicates":0,"rejected":\[\]}$/s

describe('a post of results', () => {
  test.each([
    ['a row', row(1)],
    ['rows', `${row(1)}\n${row(2)}\n`],
    ['a row that is known', `${row(1)}\n${row(1)}`],
    ['a row that is rejected, in letters beyond ASCII', row(1, { größe: 1 })],
    ['a row that is no JSON', `{\n${row(1)}`],
    ['an array', `[${row(1)}]`, { ...common, 'content-type': 'application/json' }],
  ])('is answered as on the long way, to the byte: %s', async (_, body, headers = lines) => {
    const short = await visit()
    const long = await visit()
    const [here, there] = await Promise.all([short.say(post(body, headers)), long.say(post(body, headers, theLongWay))])
    expect([short.wentLong(), long.wentLong()]).toEqual([0, 1])
    const undated = (answer: string) => answer.replace(/Date: .*/, 'Date:')
    expect(undated(here)).toBe(undated(there))
  })

  test('is answered whatever pieces it comes in', async () => {
    const { say, wentLong } = await visit()
    for (let cut = 1; cut < post(row(1)).length; cut += 17) {
      const text = post(row(cut))
      expect(await say(text.slice(0, cut), text.slice(cut))).toMatch(taken)
    }
    expect(wentLong()).toBe(0)
  })

  test('is answered in turn where several come at once', async () => {
    const { say, socket, wentLong } = await visit()
    socket.write(post(row(1)) + post(row(2)))
    expect(await say(post(row(3)))).toMatch(taken)
    expect(await say('')).toMatch(taken)
    expect(await say('')).toMatch(taken)
    expect(wentLong()).toBe(0)
  })

  test('is answered where its sender has closed its side', async () => {
    const { socket } = await visit()
    socket.end(post(row(1)) + post(row(2)))
    expect((await untilClosed(socket)).match(/"accepted":1/g)).toHaveLength(2)
  })
})

test('who does not read its answers is not read from either', async () => {
  const { app, connectToo } = await visit()
  const accepted = once(app.server, 'connection')
  const deaf = await connectToo()
  const [ours] = (await accepted) as [Socket]
  deaf.pause()
  for (let i = 0; i < 60; i++) deaf.write(post('7\n'.repeat(9000)))
  await expect.poll(() => ours.writableNeedDrain).toBe(true)
  await sleep(500)
  const answerBytes = 9000 * 100
  expect(ours.writableLength).toBeLessThan(3 * answerBytes)
  expect(ours.bytesWritten).toBeLessThan(50 * answerBytes)
})

describe('a connection goes the long way', () => {
  test.each([
    ['another request', get, 200],
    ['no key', post(row(1), { host: 'x', 'content-type': 'application/x-ndjson' }), 401],
    ['an unknown key', post(row(1), { ...lines, authorization: 'Bearer nobody' }), 401],
    ['another account', post(row(1), { ...lines, 'x-service-account': 'other' }), 403],
    ['another type', post(row(1), { ...common, 'content-type': 'text/csv' }), 415],
    ['a type with parameters', post(row(1), { ...common, 'content-type': 'application/x-ndjson; charset=utf-8' }), 200],
    ['no body', post(''), 400],
    ['a body that is no JSON', post('{', { ...common, 'content-type': 'application/json' }), 400],
    ['a body that is packed wrongly', post('x', { ...lines, 'content-encoding': 'gzip' }), 400],
    ['chunks', post('', lines, '').replace('content-length: 0', 'transfer-encoding: chunked') + chunk(row(9)), 200],
    ['a long body', post(`${row(1)}${' '.repeat(70_000)}`), 200],
    ['no HTTP at all', 'hello\r\n\r\n', 400],
  ])('with %s, and is served on where it stays open', async (_, text, status) => {
    const { say, wentLong } = await visit()
    expect(await say(post(row(1000)))).toMatch(taken)
    const answer = await say(text)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    if (/connection: close/i.test(answer)) return
    expect(wentLong()).toBe(1)
    expect(await say(post(row(2000)))).toMatch(taken)
    expect(await say(get)).toMatch(/^HTTP\/1.1 200 /)
  })

  test('with a request that comes too slowly', async () => {
    const { say, socket, wentLong } = await visit()
    const text = post(row(1))
    socket.write(text.slice(0, 30))
    await sleep(1100)
    expect(await say(...text.slice(30))).toMatch(taken)
    expect(wentLong()).toBe(1)
  })

  test('with one request too many', async () => {
    const { say } = await visit({ service: () => ({ ...service, rateLimit: { requests: 1, perMs: 60_000 } }) })
    expect(await say(post(row(1)))).toMatch(/ratelimit-remaining: 0\r\n/)
    expect(await say(post(row(2)))).toMatch(/^HTTP\/1.1 429 .*retry-after: \d+\r\n/s)
  })

  test('with a key that was taken back since its last post', async () => {
    let settings = service
    const { say, takeBackKeys } = await visit({ service: () => settings })
    expect(await say(post(row(1)))).toMatch(taken)
    takeBackKeys()
    settings = { ...service }
    expect(await say(post(row(2)))).toMatch(/^HTTP\/1.1 401 /)
  })

  test('with what the store cannot take, which is counted once', async () => {
    const full = (store: Store): Store => ({ ...store, append: () => Promise.reject(new StoreUnavailable('full', 30)) })
    const { say } = await visit({ instead: full })
    expect(await say(post(row(1)))).toMatch(/^HTTP\/1.1 503 .*ratelimit-remaining: 99999\r\n.*retry-after: 30\r\n/s)
  })
})

describe('a connection is closed', () => {
  test('when it says nothing for too long, before its first request or after one', async () => {
    const { app, socket, say, connectToo } = await visit()
    app.server.headersTimeout = 50
    app.server.keepAliveTimeout = 100
    expect(await untilClosed(await connectToo())).toBe('')
    expect(await say(post(row(1)))).toMatch(taken)
    expect(await untilClosed(socket)).toBe('')
  })

  test('when the server closes: at once where it is idle, with its answer where one is due', async () => {
    let go = () => {}
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    let isDue = false
    const slow = (store: Store): Store => ({
      ...store,
      append: async (results) => {
        isDue = true
        await gate
        return store.append(results)
      },
    })
    const { app, socket, connectToo } = await visit({ instead: slow })
    const idle = await connectToo()
    socket.write(post(row(1)))
    await expect.poll(() => isDue).toBe(true)
    const closed = app.close()
    expect(await untilClosed(idle)).toBe('')
    go()
    expect(await untilClosed(socket)).toMatch(/Connection: close\r\n.*"accepted":1/s)
    await closed
  })
})

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`

type Setting = { readonly instead?: (store: Store) => Store; readonly service?: () => typeof service }

/** A server of one check, and a connection to it; `say` sends pieces, one after the other, and hears one answer. */
async function visit({ instead, service }: Setting = {}) {
  const keys = [testKey(key, account, ['ingest'])]
  const catalogue = testCatalogue({ checks, keys, ...(service && { service }) })
  const { app, close } = await openTestApp({ catalogue, now, ...(instead && { instead }) })
  onTestFinished(close)
  await app.listen({ host: '127.0.0.1', port: 0 })
  let requests = 0
  app.server.on('request', () => {
    requests++
  })
  const connectToo = async () => {
    const socket = connect({ port: (app.server.address() as AddressInfo).port, host: '127.0.0.1', noDelay: true })
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  const socket = await connectToo()
  let heard = Buffer.alloc(0)
  socket.on('data', (piece) => {
    heard = Buffer.concat([heard, piece])
  })
  const say = async (...pieces: readonly string[]) => {
    for (const piece of pieces) {
      socket.write(piece)
      await sleep(5)
    }
    while (answerLength(heard) > heard.length) await once(socket, 'data')
    const length = answerLength(heard)
    const answer = heard.toString('utf8', 0, length)
    heard = heard.subarray(length)
    return answer
  }
  return { app, socket, say, connectToo, wentLong: () => requests, takeBackKeys: () => keys.splice(0) }
}

/** How long the first of the answers in some bytes is; infinite while its head is not whole. */
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
