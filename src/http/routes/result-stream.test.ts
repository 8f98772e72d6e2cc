// @slow
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openTestApp } from '../../../test/support/app.ts'
import { account, credentials, readKey, service, testCatalogue, testCheck, testKey } from '../../../test/support/catalogue.ts'
import { openEvents } from '../../../test/support/event-stream.ts'
import { anyRunType } from '../../../test/support/example-config.ts'
import { testResult } from '../../../test/support/results.ts'
import type { Key } from '../../catalogue/catalogue.ts'

const shop = testCheck(anyRunType(), { id: 'shop', tags: ['web', 'money'] })
const blog = testCheck(anyRunType(), { id: 'blog', tags: ['web'] })
const foreign = testCheck(anyRunType(), { id: 'foreign', account: 'other' })
const otherKey = 'tdm_testmore_00000000000000000000000000000000_000000'
const path = '/v1/check-results/stream'

async function openApp(limits: Partial<typeof service.limits> = {}) {
  const keys: Key[] = [readKey, otherKey].map((key) => testKey(key, account, ['read']))
  const accounts = [account, 'other'].map((id) => ({ id, name: id, publicBadges: false }))
  const settings = { ...service, limits: { ...service.limits, ...limits } }
  const catalogue = testCatalogue({ accounts, keys, checks: [shop, blog, foreign], service: () => settings })
  const api = await openTestApp({ catalogue })
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(api.close)
  const open = async (query = '', headers: Readonly<Record<string, string>> = {}) => {
    const stream = await openEvents(`${url}${path}?${query}`, headers)
    onTestFinished(stream.close)
    return stream
  }
  let startedAt = 0
  const append = async (check = shop, more: Parameters<typeof testResult>[2] = {}) => {
    const filed = testResult(check, ++startedAt, more)
    await api.store.append([filed])
    return filed.result.id
  }
  return { ...api, url, keys, open, append }
}

describe('the stream of results', () => {
  test('has an event for each result once it is stored, with its entry of check-results', async () => {
    const { open, append, get } = await openApp()
    const { status, headers, events } = await open()
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      'no-store',
    ])
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    const id = await append()
    await expect.poll(() => events).toHaveLength(1)
    const { body: entries } = await get('/v1/check-results/shop')
    expect(events[0]).toMatchObject({ event: 'result', data: entries[0] })
    expect(events[0]?.data.id).toBe(id)
  })

  test('has each result once, even if it is sent again', async () => {
    const { open, store } = await openApp()
    const { events } = await open()
    const first = testResult(shop, 1)
    await store.append([first, first])
    await store.append([first, testResult(shop, 2)])
    await store.append([first])
    await store.append([testResult(shop, 3)])
    await expect.poll(() => events.map(({ data }) => data.startedAt)).toHaveLength(3)
    expect(events.map(({ data }) => Date.parse(String(data.startedAt)))).toEqual([1, 2, 3])
  })

  test('resumes after the last event id, by header or parameter, without losses or duplicates', async () => {
    const { open, append } = await openApp()
    const first = await open()
    const ids = [await append(), await append()]
    await expect.poll(() => first.events).toHaveLength(2)
    first.close()
    ids.push(await append(), await append())
    const byHeader = await open('lastEventId=ignored', { 'last-event-id': first.lastId() })
    const byParameter = await open(`lastEventId=${first.lastId()}`)
    ids.push(await append())
    for (const { events } of [byHeader, byParameter]) {
      await expect.poll(() => events).toHaveLength(3)
      expect([...first.events, ...events].map(({ data }) => data.id)).toEqual(ids)
    }
  })

  test('begins with a reset for an unknown id', async () => {
    const { open, append } = await openApp()
    const { events } = await open('', { 'last-event-id': 'another-1' })
    await append()
    await expect.poll(() => events.map(({ event }) => event)).toEqual(['reset', 'result'])
  })

  test.each([
    ['checkId=shop', ['shop', 'shop']],
    ['checkId=shop,blog&location=us-east-1', ['shop']],
    ['tag=money', ['shop', 'shop']],
    ['tag=money,web&hasFailures=true', ['blog']],
    ['hasFailures=false', ['shop', 'shop']],
    ['checkId=blog&tag=money', []],
  ])('with %s has the results of %j', async (query, expected) => {
    const { open, append } = await openApp()
    const [filtered, all] = [await open(query), await open()]
    await append(shop)
    await append(foreign)
    await append(shop, { runLocation: 'us-east-1' })
    await append(blog, { hasFailures: true })
    await expect.poll(() => all.events).toHaveLength(3)
    await expect.poll(() => filtered.events.map(({ data }) => data.checkId)).toEqual(expected)
  })

  test('is rejected with a message', async () => {
    const { get } = await openApp()
    expect((await get(path, {})).status).toBe(401)
    expect((await get(path, { ...credentials, 'x-service-account': 'other' })).status).toBe(403)
    expect(await get(`${path}?checkId=nobody`)).toMatchObject({ status: 404, body: { code: 'CHECK_NOT_FOUND' } })
    expect(await get(`${path}?checkId=foreign`)).toMatchObject({ status: 404, body: { code: 'CHECK_NOT_FOUND' } })
    expect(await get(`${path}?chekId=shop`)).toMatchObject({ status: 400, body: { code: 'UNKNOWN_PARAMETER' } })
    expect(await get(`${path}?hasFailures=perhaps`)).toMatchObject({ status: 400, body: { code: 'INVALID_PARAMETER' } })
  })

  test('responds to a HEAD request at once', async () => {
    const { call } = await openApp()
    const { status, headers, text } = await call({ method: 'HEAD', url: path, headers: credentials })
    expect([status, headers['content-type'], text]).toEqual([200, 'text/event-stream; charset=utf-8', ''])
  })
})

describe('streams', () => {
  test('of a key are limited, until one has ended', async () => {
    const { open, url } = await openApp({ streamsPerKey: 2 })
    const [first] = [await open(), await open()]
    const refused = await fetch(url + path, { headers: credentials })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    expect(await refused.json()).toMatchObject({
      code: 'TOO_MANY_STREAMS',
      message: expect.stringContaining('2 streams are open with this API key'),
    })
    expect((await open('', { authorization: `Bearer ${otherKey}` })).status).toBe(200)
    first?.close()
    await expect.poll(async () => (await open()).status).toBe(200)
  })

  test('of all keys are limited', async () => {
    const { open } = await openApp({ streams: 1 })
    expect((await open()).status).toBe(200)
    expect((await open('', { authorization: `Bearer ${otherKey}` })).status).toBe(429)
  })

  test('are ended when the server closes, without delaying it', async () => {
    const { open, app } = await openApp()
    const { ended } = await open()
    await app.close()
    await expect.poll(ended).toBe(true)
  })

  test('are ended even if their request arrives while the server closes', async () => {
    const { app, url } = await openApp()
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write('GET /health/live HTTP/1.1\r\nHost: test\r\n\r\n')
    await once(socket, 'data')
    const head = Object.entries({ host: 'test', ...credentials }).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`GET ${path} HTTP/1.1\r\n`)
    await fetch(`${url}/health/live`)
    const closed = app.close()
    await expect.poll(() => app.server.listening).toBe(false)
    socket.write(`${head.join('')}\r\n`)
    await closed
  })

  test('are ended when their key is removed', async () => {
    const { open, keys, append } = await openApp()
    const { ended, events } = await open()
    keys.shift()
    await append()
    await expect.poll(ended).toBe(true)
    expect(events).toEqual([])
  })

  test('of a client that does not read buffer a limited number of results', { timeout: 40_000 }, async () => {
    const { app, store, url } = await openApp()
    const { port } = new URL(url)
    const socket = connect({ host: '127.0.0.1', port: Number(port) })
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    const headers = Object.entries({ host: 'localhost', ...credentials }).map(([name, value]) => `${name}: ${value}\r\n`)
    const responding = once(app.server, 'request')
    socket.write(`GET ${path} HTTP/1.1\r\n${headers.join('')}\r\n`)
    socket.pause()
    const [, response] = await responding
    const error = 'e'.repeat(1000)
    for (let i = 0; i < 10; i++) await store.append(Array.from({ length: 1000 }, (_, j) => testResult(shop, i * 1000 + j + 1, { error })))
    await expect.poll(() => response.writableNeedDrain, { timeout: 20_000 }).toBe(true)
    expect(response.writableLength).toBeLessThan(2 ** 20)
  })
})
