// @slow
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openTestApp } from '../../../test/support/app.ts'
import { account, service, testCatalogue, testCheck, testKey } from '../../../test/support/catalogue.ts'
import { anyRunType } from '../../../test/support/example-config.ts'

/** Fastify publishes here when a route handler starts. */
const fastifyHandler = 'tracing:fastify.request.handler:start'
const key = 'tdm_testread_00000000000000000000000000000000_000000'
const withKey = { authorization: `Bearer ${key}`, 'x-service-account': account }
const check = testCheck(anyRunType())
const badge = `/v1/badges/checks/${check.id}`

describe('a badge that was requested before', () => {
  test.each<[string, string, object?, object?]>([
    ['as it is', badge],
    ['with a look', `${badge}?style=plastic&theme=dark&label=Gr%C3%B6%C3%9Fe`],
    ['with the mean response time', `${badge}?responseTime=true`],
    ['of a named account', `${badge}?account=${account}`],
    ['for a client that accepts only JSON', badge, { accept: 'application/json' }],
    ['that the client has already', badge, { 'if-none-match': '*' }],
    ['for a page of an allowed origin', badge, { origin: 'https://a.example' }, { corsOrigins: ['https://a.example'] }],
    ['for a page of another origin', badge, { origin: 'https://b.example' }, { corsOrigins: ['https://a.example'] }],
    ['for any page', badge, { origin: 'https://b.example' }, { corsOrigins: ['*'] }],
    ['over a connection that closes', badge, { connection: 'close' }],
  ])('is served before the router, with the same bytes: %s', async (_, path, headers = {}, settings = {}) => {
    const { get, handledByFastify } = await open(settings)
    const first = await get(path, headers)
    expect(handledByFastify()).toBe(1)
    expect(await get(path, headers)).toEqual(first)
    expect(handledByFastify()).toBe(1)
  })

  test.each<[string, string, object?]>([
    ['a figure, which may be refused', `${badge}?metric=availability`],
    ['with a key', badge, withKey],
    ['with an account and no key', badge, { 'x-service-account': account }],
    ['with a header that is too long', badge, { 'if-none-match': '"a", '.repeat(2_000) }],
    ['for shields.io', `${badge}.json`],
    ['of an unknown check', '/v1/badges/checks/unknown'],
  ])('is served by the router instead: %s', async (_, path, headers = {}) => {
    const { get } = await open()
    await get(badge)
    const first = await get(path, headers)
    expect(withoutCount(await get(path, headers))).toEqual(withoutCount(first))
    const other = await open()
    expect(withoutCount(await other.get(path, headers))).toEqual(withoutCount(first))
  })

  test('is no longer served once its account is not public', async () => {
    const catalogue = { publicBadges: true, checks: [check] }
    const { get } = await open({}, catalogue)
    expect((await get(badge)).status).toBe(200)
    expect((await get(badge)).status).toBe(200)
    Object.assign(catalogue, { publicBadges: false, checks: [check] })
    expect((await get(badge)).status).toBe(401)
  })
})

type Answer = { readonly status: number | undefined; readonly headers: readonly string[]; readonly body: string }

const withoutCount = ({ headers, ...rest }: Answer) => ({ ...rest, headers: headers.filter((text) => !/^\d+$/.test(text)) })

async function open(settings: object = {}, accounts = { publicBadges: true, checks: [check] }) {
  const base = testCatalogue({ checks: [check], keys: [testKey(key, account, ['read'])], service: () => ({ ...service, ...settings }) })
  const owner = base.account(account)
  const catalogue = {
    ...base,
    account: (id: string) => (id === account && owner ? { ...owner, publicBadges: accounts.publicBadges } : undefined),
    allChecks: () => accounts.checks,
  }
  const { app, close } = await openTestApp({ catalogue })
  onTestFinished(close)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  let handled = 0
  const count = (message: unknown) => {
    if ((message as { readonly request: FastifyRequest }).request.socket.localPort === port) handled++
  }
  subscribe(fastifyHandler, count)
  onTestFinished(() => void unsubscribe(fastifyHandler, count))
  const get = (path: string, headers: object = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      request({ port, host: '127.0.0.1', path, headers: { ...headers } }, async (response) => {
        const body = (await response.toArray()).join('')
        const date = response.rawHeaders.indexOf('Date')
        resolve({ status: response.statusCode, headers: response.rawHeaders.toSpliced(date, 2), body })
      })
        .on('error', reject)
        .end()
    })
  return { get, handledByFastify: () => handled }
}
