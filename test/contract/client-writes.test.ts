import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wirePath } from '../../src/catalogue/wire/index.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { asGo } from '../support/as-go.ts'
import { account, service, testCatalogue, testKey } from '../support/catalogue.ts'
import { clientRequests } from '../support/client-requests.ts'

const writeKey = 'tdm_testwrit_00000000000000000000000000000000_000000'
const readKey = 'tdm_testread_00000000000000000000000000000000_000000'
const headersOf = (key: string) => ({ authorization: `Bearer ${key}`, 'x-checkly-account': account, 'x-checkly-source': 'TF' })
const headers = headersOf(writeKey)

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({
    managed: true,
    now: () => Date.UTC(2026, 10, 14, 12),
    catalogue: testCatalogue({
      keys: [testKey(writeKey, account, ['read', 'write']), testKey(readKey, account, ['read'])],
      service: () => ({ ...service, accountHeaders: ['x-checkly-account'], allowUploadedCode: true }),
    }),
  })
})
afterAll(() => app.close())

const send = (method: 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) =>
  app.call({ method, url, headers, ...(payload && { payload }) })
const read = (id: string) => app.get(`/v1/checks/${id}`, headers)

describe.each(checkTypes.map(wirePath))('the requests of the SDK for Go for %s', (path) => {
  const { create, update, updatePath } = clientRequests(path)
  const make = () => send('POST', `/v1/checks/${path}?autoAssignAlerts=false`, create)

  test('make a check, read it, change it, read it again and delete it, each with its status', async () => {
    const made = await make()
    expect([made.status, made.body.message]).toEqual([201, undefined])
    const { id, heartbeat } = made.body
    expect(asGo((await read(id)).body)).toMatchObject(asGo(create) as object)
    const change = JSON.parse(
      JSON.stringify(update)
        .replaceAll('{id}', id)
        .replaceAll('{pingToken}', heartbeat?.pingToken ?? ''),
    )
    const changed = await send('PUT', `${updatePath.replace('{id}', id)}?autoAssignAlerts=false`, change)
    expect([changed.status, changed.body.message]).toEqual([200, undefined])
    const { status, body } = await read(id)
    expect([status, body]).toEqual([200, changed.body])
    expect(asGo(body)).toMatchObject(asGo(change) as object)
    expect(body.id).toBe(id)
    const deleted = await send('DELETE', `/v1/checks/${id}`)
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    expect((await read(id)).status).toBe(404)
  })

  test('change nothing where they are sent a second time', async () => {
    const { body: made } = await make()
    const dryRun = await send('PUT', `${updatePath.replace('{id}', made.id)}?autoAssignAlerts=false&dryRun=true`, made)
    expect(dryRun.body).toMatchObject({ valid: true, action: 'none', changes: [] })
    await send('DELETE', `/v1/checks/${made.id}`)
  })
})

test('whoever may write reads the address of pings, and whoever may only read does not', async () => {
  const { body } = await send('POST', '/v1/checks/heartbeat', clientRequests('heartbeat').create)
  const { pingToken, pingUrl } = (await read(body.id)).body.heartbeat
  expect(pingUrl).toMatch(new RegExp(`^https?://.+/ping/${pingToken}$`))
  expect((await app.call({ method: 'POST', url: new URL(pingUrl).pathname })).status).toBe(200)
  expect((await app.get(`/v1/checks/${body.id}`, headersOf(readKey))).text).not.toContain(pingToken)
})

test('what there is none of is refused by its name, and nothing is made', async () => {
  const { status, body } = await send('POST', '/v1/checks/url', { ...clientRequests('url').create, name: 'Refused', setupSnippetId: 7 })
  expect([status, body.faults]).toEqual([400, [{ pointer: '/setupSnippetId', message: 'setupSnippetId is not supported here' }]])
  expect((await app.get('/v1/checks?search=refused', headers)).body).toEqual([])
})

test('faults that show only with variables in place are named by their place in the body', async () => {
  const create = clientRequests('browser').create
  const environmentVariables = [{ key: 'A', value: '{{NOT_OPEN}}', locked: false, secret: false }]
  const { status, body } = await send('POST', '/v1/checks/browser', { ...create, environmentVariables })
  expect([status, body.faults]).toEqual([400, [{ pointer: '/environmentVariables', message: expect.stringContaining('NOT_OPEN') }]])
})
