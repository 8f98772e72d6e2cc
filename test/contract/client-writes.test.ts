import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wirePath } from '../../src/catalogue/wire/index.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { asGo } from '../support/as-go.ts'
import { account, service, testCatalogue, testKey } from '../support/catalogue.ts'
import { clientRequests } from '../support/client-requests.ts'
import { tarGz } from '../support/tar.ts'

const writeKey = 'tdm_testwrit_00000000000000000000000000000000_000000'
const readKey = 'tdm_testread_00000000000000000000000000000000_000000'
/** The SDK sets the JSON content type on every request, even without a body. */
const headersOf = (key: string) => ({
  authorization: `Bearer ${key}`,
  'x-checkly-account': account,
  'x-checkly-source': 'TF',
  'content-type': 'application/json',
})
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

describe.each(checkTypes.map(wirePath))('the requests of the Go SDK for %s', (path) => {
  const { create, update, updatePath } = clientRequests(path)
  const make = () => send('POST', `/v1/checks/${path}?autoAssignAlerts=false`, create)

  test('create, read, update and delete a check, with the expected status codes', async () => {
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

  test('change nothing when a response is sent back', async () => {
    const { id } = (await make()).body
    const found = await read(id)
    const again = await send('PUT', `${updatePath.replace('{id}', id)}?autoAssignAlerts=false`, found.body)
    expect([again.status, again.headers.etag], again.text).toEqual([200, found.headers.etag])
    await send('DELETE', `/v1/checks/${id}`)
  })

  test('create the same check when an older client sends the type in the body', async () => {
    const checkType = checkTypes.find((one) => wirePath(one) === path)?.type
    const made = await send('POST', '/v1/checks?autoAssignAlerts=false', { ...create, checkType })
    expect([made.status, made.body.checkType]).toEqual([201, checkType])
    expect(asGo((await read(made.body.id)).body)).toMatchObject(asGo(create) as object)
    const { heartbeat, ...definition } = made.body.definition
    const copied = { ...definition, ...(heartbeat && { heartbeat: { ...heartbeat, token: 'a-token-of-its-own' } }), id: 'copied' }
    const tried = await send('POST', '/v1/checks?dryRun=true', { definition: copied })
    expect(tried.body).toMatchObject({ valid: true, action: 'create', changes: [{ after: { type: checkType } }] })
    await send('DELETE', `/v1/checks/${made.body.id}`)
  })

  test('change nothing when they are repeated', async () => {
    const { body: made } = await make()
    const dryRun = await send('PUT', `${updatePath.replace('{id}', made.id)}?autoAssignAlerts=false&dryRun=true`, made)
    expect(dryRun.body).toMatchObject({ valid: true, action: 'none', changes: [] })
    await send('DELETE', `/v1/checks/${made.id}`)
  })
})

test('a key that may write can read the ping URL, and a key that may only read cannot', async () => {
  const { body } = await send('POST', '/v1/checks/heartbeat', clientRequests('heartbeat').create)
  const { pingToken, pingUrl } = (await read(body.id)).body.heartbeat
  expect(pingUrl).toMatch(new RegExp(`^https?://.+/ping/${pingToken}$`))
  expect((await app.call({ method: 'POST', url: new URL(pingUrl).pathname })).status).toBe(200)
  expect((await app.get(`/v1/checks/${body.id}`, headersOf(readKey))).text).not.toContain(pingToken)
})

test.each([
  ['/v1/checks', { name: 'Shop' }, '/checkType'],
  ['/v1/checks', { checkType: 'GRPC', name: 'Shop' }, '/checkType'],
  ['/v1/checks', [], '/checkType'],
  ['/v1/checks/url', { checkType: 'NOPE', name: 'Shop' }, '/checkType'],
  ['/v1/checks/url', { checkType: 'NOPE', definition: { name: 'Shop' } }, '/checkType'],
  ['/v1/checks/url', { definition: { type: 'NOPE', name: 'Shop' } }, '/definition/type'],
])('at %s, %j is rejected for its type', async (url, body, pointer) => {
  const { status, body: answer } = await send('POST', url, body)
  expect([status, answer.faults.map((fault: { pointer: string }) => fault.pointer)]).toEqual([400, [pointer]])
})

test('an unsupported setting is rejected by name, and nothing is created', async () => {
  const { status, body } = await send('POST', '/v1/checks/url', { ...clientRequests('url').create, name: 'Refused', setupSnippetId: 7 })
  expect([status, body.faults]).toEqual([400, [{ pointer: '/setupSnippetId', message: 'setupSnippetId is not supported here' }]])
  expect((await app.get('/v1/checks?search=refused', headers)).body).toEqual([])
})

test.each([
  ['checks/grpc', 'Checks of type grpc are not supported'],
  ['checks/traceroute', 'Checks of type traceroute are not supported'],
  ['checks/ssl', 'Checks of type ssl are not supported'],
  ['snippets', 'Snippets are not supported'],
  ['dashboards', 'Dashboards are not supported'],
  ['client-certificates', 'Client certificates are not supported'],
  ['status-pages', 'Status pages are not supported'],
  ['status-pages/services', 'Services of status pages are not supported'],
  ['triggers/checks/shop', 'Triggers are not supported'],
  ['triggers/check-groups/7', 'Triggers are not supported'],
])('POST to %s is rejected with a specific message', async (path, message) => {
  const { status, body } = await send('POST', `/v1/${path}?autoAssignAlerts=false`, { name: 'Refused' })
  expect([status, body.message]).toEqual([400, expect.stringContaining(message)])
})

test('a runtime is found by its name, which Terraform looks up before it creates a multi-step check', async () => {
  expect((await app.get('/v1/runtimes/2025.04', headers)).body).toMatchObject({ name: '2025.04', multiStepSupport: true })
  expect((await app.get('/v1/runtimes/1999.01', headers)).status).toBe(404)
})

test('a suite uploaded by Terraform is read back as it was sent, so that a plan shows no changes', async () => {
  const archive = tarGz([{ path: 'playwright.config.ts', text: 'export default {}' }])
  const octets = { ...headers, 'content-type': 'application/octet-stream' }
  const upload = await app.call({ method: 'POST', url: '/next/checkly-storage/upload-code-bundle', headers: octets, payload: archive })
  const { key } = upload.body
  expect((await send('POST', '/next/checkly-storage/peek-code-bundle', { key })).status).toBe(200)
  const sent = {
    ...clientRequests('playwright').create,
    codeBundlePath: key,
    testCommand: 'npx playwright test',
    workingDir: '.',
    browsers: ['chromium', 'firefox'],
    cacheHash: '1f2e3d',
    playwrightVersion: '1.56.0',
    engine: 'node',
    engineVersion: '22',
  }
  const { body } = await send('POST', '/v1/checks/playwright?autoAssignAlerts=false', sent)
  expect((await read(body.id)).body).toMatchObject({ ...sent, alertSettings: expect.anything() })
})

test('faults that appear only after variables are substituted point to their place in the body', async () => {
  const create = clientRequests('browser').create
  const environmentVariables = [{ key: 'A', value: '{{NOT_OPEN}}', locked: false, secret: false }]
  const { status, body } = await send('POST', '/v1/checks/browser', { ...create, environmentVariables })
  expect([status, body.faults]).toEqual([400, [{ pointer: '/environmentVariables', message: expect.stringContaining('NOT_OPEN') }]])
})
