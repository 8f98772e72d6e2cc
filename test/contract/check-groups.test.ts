import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createVault } from '../../src/catalogue/managed/vault.ts'
import { wirePath } from '../../src/catalogue/wire/index.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, readKey, service, testCatalogue, testKey } from '../support/catalogue.ts'
import { exampleCheck, runTypes } from '../support/example-config.ts'

const writeKey = 'tdm_testwrit_00000000000000000000000000000000_000000'
const otherKey = 'tdm_testothr_00000000000000000000000000000000_000000'
const write = { authorization: `Bearer ${writeKey}`, 'x-service-account': account }
const other = { authorization: `Bearer ${otherKey}`, 'x-service-account': 'other' }
const requestType = checkTypes.find(({ groupRequest }) => groupRequest)
const plainType = runTypes.find(({ groupRequest }) => !groupRequest)
if (!requestType?.groupRequest || !plainType) throw new Error('there are too few check types')
const { field } = requestType.groupRequest
const checkPath = `/v1/checks/${wirePath(requestType)}`
const plainPath = `/v1/checks/${wirePath(plainType)}`

let app: TestApp
let now = Date.UTC(2026, 10, 14, 12)
const vault = createVault(Buffer.alloc(32, 7))
const openApp = (more: Partial<Parameters<typeof openTestApp>[0]> = {}) =>
  openTestApp({
    managed: true,
    now: () => now,
    env: { OPEN: 'open.example', SHUT: 'hush' },
    vault,
    catalogue: testCatalogue({
      accounts: [
        { id: account, name: 'Acme', publicBadges: false, managedVariables: ['OPEN'] },
        { id: 'other', name: 'Other', publicBadges: false },
      ],
      service: () => ({ ...service, allowUploadedCode: true }),
      keys: [
        testKey(readKey, account, ['read']),
        testKey(writeKey, account, ['read', 'write']),
        testKey(otherKey, 'other', ['read', 'write']),
      ],
      checks: [],
    }),
    ...more,
  })

beforeEach(async () => {
  now = Date.UTC(2026, 10, 14, 12)
  app = await openApp()
})
afterEach(() => app.close())

const send = (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: object, headers: Record<string, string> = {}) =>
  app.call({ method, url, headers: { ...write, ...headers }, ...(body && { payload: body }) })
const read = (url: string) => app.get(url, write)
async function addGroup(body: object = {}): Promise<number> {
  const { status, body: group, text } = await send('POST', '/v1/check-groups', { name: 'Shop', ...body })
  expect(status, text).toBe(201)
  return group.id
}
/** A check with only the required settings. */
const definition = (more: object = {}) => {
  const { tags: _, ...rest } = exampleCheck(requestType)
  return { ...rest, name: 'Cart', ...more }
}
async function addCheck(groupId: number, more: object = {}): Promise<string> {
  const { status, body, text } = await send('POST', checkPath, { definition: definition({ groupId, ...more }) })
  expect(status, text).toBe(201)
  return body.id
}
const listed = async (id: string) => (await read('/v1/checks?limit=100')).body.find((check: { id: string }) => check.id === id)

test('a check of a group shows its own settings, and separately the effective ones', async () => {
  const groupId = await addGroup({ tags: ['shop'], locations: ['eu-west-1'], activated: false })
  const { body } = await read(`/v1/checks/${await addCheck(groupId)}`)
  expect(body).toMatchObject({ activated: true, locations: [], tags: [], groupId })
  expect(body.effective).toMatchObject({ activated: false, locations: ['eu-west-1'], tags: ['shop'], groupId })
  expect(body.effective).toEqual(await listed(body.id))
})

describe('the original API format', () => {
  const body = {
    name: 'test',
    activated: true,
    muted: false,
    runParallel: false,
    tags: ['auto'],
    locations: ['eu-west-1'],
    privateLocations: [],
    concurrency: 3,
    [field]: {
      url: 'https://example.com/api',
      headers: [{ key: 'Accept', value: 'text/html', locked: false }],
      queryParameters: [{ key: 'query', value: 'foo', locked: false }],
      assertions: [{ source: 'STATUS_CODE', property: '', comparison: 'EQUALS', target: '200' }],
      basicAuth: { username: '', password: '' },
    },
    environmentVariables: [{ key: 'ENVTEST', value: 'Hello world', locked: false }],
    retryStrategy: { type: 'FIXED', baseBackoffSeconds: 0, maxRetries: 1, maxDurationSeconds: 600, sameRegion: true },
    doubleCheck: false,
    useGlobalAlertSettings: true,
    alertSettings: {
      escalationType: 'RUN_BASED',
      runBasedEscalation: { failedRunThreshold: 1 },
      timeBasedEscalation: { minutesFailingThreshold: 5 },
      reminders: { amount: 0, interval: 5 },
      parallelRunFailureThreshold: { enabled: false, percentage: 10 },
    },
    runtimeId: null,
  }

  test.each([1, 2])('the request of a version %i client is accepted, and read back as it was sent', async (version) => {
    const created = await send('POST', `/v${version}/check-groups?autoAssignAlerts=false`, body)
    expect(created.status, created.text).toBe(201)
    expect(Number.isSafeInteger(created.body.id) && created.body.id > 0).toBe(true)
    const sent = { ...body, retryStrategy: { type: 'FIXED', maxRetries: 1, baseBackoffSeconds: 0 } }
    const got = await read(`/v${version}/check-groups/${created.body.id}`)
    expect(got.body).toMatchObject(sent)
    expect(got.headers.etag).toBe('"v1"')
    const put = await send('PUT', `/v${version}/check-groups/${created.body.id}`, { ...body, name: 'renamed' })
    expect([put.status, put.body.name, put.headers.etag]).toEqual([200, 'renamed', '"v2"'])
    const deleted = await send('DELETE', `/v${version}/check-groups/${created.body.id}`)
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    expect((await read(`/v${version}/check-groups/${created.body.id}`)).body).toMatchObject({ code: 'RESOURCE_NOT_FOUND', statusCode: 404 })
  })

  test('a client of version 2 reads null for settings that the group leaves to its checks', async () => {
    const silent = { name: 'v2', runParallel: null, useGlobalAlertSettings: null, alertSettings: null, retryStrategy: 'FALLBACK' }
    const { body: group } = await send('POST', '/v2/check-groups', silent)
    expect(group).toMatchObject(silent)
    expect((await read(`/v1/check-groups/${group.id}`)).body).toMatchObject({ runParallel: false, useGlobalAlertSettings: true })
  })

  test('unsupported settings are rejected by name', async () => {
    const refused = { localSetupScript: 'x', localTearDownScript: 'x', setupSnippetId: 1, tearDownSnippetId: 2, doubleCheck: true }
    const { status, body: error } = await send('POST', '/v1/check-groups', { ...body, ...refused })
    expect(status).toBe(400)
    expect(error.faults.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual(
      Object.keys(refused)
        .sort()
        .map((name) => `/${name}`),
    )
  })

  test('sending a response back changes nothing, even for settings that the format does not have', async () => {
    const { body: group } = await send('POST', '/v1/check-groups', { definition: { name: 'G', defaults: { timeout: '7s', tags: ['a'] } } })
    const again = await send('PUT', `/v1/check-groups/${group.id}?dryRun=true`, group)
    expect(again.body).toEqual({ valid: true, faults: [], action: 'none', changes: [] })
  })

  test('lists are paged as in the original API', async () => {
    for (const name of ['a', 'b', 'c']) {
      now += 1000
      await addGroup({ name })
    }
    const page = await read('/v1/check-groups?limit=2&page=1')
    expect(page.body.map(({ name }: { name: string }) => name)).toEqual(['a', 'b'])
    expect(page.headers['content-range']).toBe('0-1/3')
    expect((await app.get('/v1/check-groups', other)).body).toEqual([])
  })
})

describe('faults', () => {
  test.each([
    ['assertions', { a: `$\{X}` }],
    ['assertions', `$\{X}`],
    ['headers', `$\{X}`],
    ['headers', { a: { b: `$\{X}` } }],
    ['query', [`$\{X}`]],
    ['basicAuth', `$\{X}`],
  ])('point to %s of the wrong type, in a group and in a check of one', async (part, value) => {
    const pointer = expect.stringContaining(`/request/${part}`)
    const request = { url: 'https://shop.example/', [part]: value }
    const group = await send('POST', '/v1/check-groups', { definition: { name: 'Shop', request } })
    expect([group.status, group.body.faults[0].pointer]).toEqual([400, pointer])
    const id = await addGroup({ [field]: { url: 'https://shop.example', headers: [{ key: 'a', value: 'b' }] } })
    const check = await send('POST', checkPath, { definition: definition({ groupId: id, request }) })
    expect([check.status, check.body.faults.map((one: { pointer: string }) => one.pointer)]).toEqual([
      400,
      expect.arrayContaining([pointer]),
    ])
  })

  const token = 'hunter2-hunter2('
  const matching = [{ source: 'textBody', comparison: 'matches', target: `$\{TARGET}` }]

  test.each([
    'https://user:hunter2-hunter2@shop.example',
    'https:\\hunter2-hunter2@shop.example',
    `https://$\{USER}:$\{PASS:-hunter2-hunter2}@shop.example`,
    `https://$\{HOST}/?api_key=hunter2-hunter2`,
  ])('are reported for credentials in the URL of a group, which any of its checks could send anywhere: %s', async (url) => {
    for (const body of [{ name: 'Shop', [field]: { url } }, { definition: { name: 'Shop', request: { url } } }]) {
      const { status, body: problem, text } = await send('POST', '/v1/check-groups', body)
      expect([status, problem.faults[0].pointer, text.includes('hunter2')]).toEqual([400, expect.stringMatching(/url$/), false])
    }
  })

  test('are not reported for variables in the URL, or for parts that are not credentials', async () => {
    for (const url of [`https://$\{USER}:$\{PASS}@shop.example`, 'https://shop.example/a@b?page=2', `https://$\{HOST}/?token=$\{TOKEN}`])
      await addGroup({ [field]: { url } })
  })

  test('do not show the secrets of a check or a group', async () => {
    const request = {
      url: 'https://shop.example/',
      headers: { Authorization: token },
      assertions: [{ source: 'textBody', comparison: 'equals', target: token }],
    }
    const { body: check } = await send('POST', checkPath, { definition: definition({ request }) })
    const { body: group } = await send('POST', '/v1/check-groups', { definition: { name: 'Shop', request } })
    for (const [url, { definition: shown }] of [
      [`${checkPath}/${check.id}`, check],
      [`/v1/check-groups/${group.id}`, (await read(`/v1/check-groups/${group.id}`)).body],
    ]) {
      expect(shown.request.assertions[0].target).toBe(`$\{TARGET}`)
      const changed = { ...shown, request: { ...shown.request, assertions: matching } }
      const { status, text } = await send('PUT', url, { definition: changed })
      expect([url, status, text.includes('regular expression'), text.includes('hunter2')]).toEqual([url, 400, true, false])
    }
  })
})

describe('writes', () => {
  test('are not stored in a dry run, and If-Match accepts only one of two writers', async () => {
    const tried = await send('POST', '/v1/check-groups?dryRun=true', { name: 'Shop' })
    expect([tried.status, tried.body]).toMatchObject([200, { valid: true, action: 'create' }])
    expect((await read('/v1/check-groups')).body).toEqual([])
    const id = await addGroup()
    expect((await send('PUT', `/v1/check-groups/${id}`, { name: 'A' }, { 'if-match': '"v1"' })).status).toBe(200)
    expect((await send('PUT', `/v1/check-groups/${id}`, { name: 'B' }, { 'if-match': '"v1"' })).body).toMatchObject({
      code: 'VERSION_CONFLICT',
    })
    expect((await send('DELETE', `/v1/check-groups/${id}`, undefined, { 'if-match': '"v1"' })).status).toBe(412)
    expect((await read(`/v1/check-groups/${id}`)).body.name).toBe('A')
  })

  test('are all in the audit log', async () => {
    const id = await addGroup()
    await send('PUT', `/v1/check-groups/${id}`, { name: 'Other' })
    await send('DELETE', `/v1/check-groups/${id}`)
    const { entries } = (await read('/v1/audit')).body
    expect(entries.map(({ kind, id: of, action }: Record<string, string>) => [kind, of, action])).toEqual([
      ['check-group', String(id), 'delete'],
      ['check-group', String(id), 'update'],
      ['check-group', String(id), 'create'],
    ])
    expect(entries[1].changes).toEqual([{ pointer: '/name', before: 'Shop', after: 'Other' }])
  })

  test('to a group of another account or to an unknown one get a 404', async () => {
    const id = await addGroup()
    for (const url of [`/v1/check-groups/${id}`, '/v1/check-groups/1', '/v1/check-groups/x'])
      expect([url, (await app.get(url, other)).status]).toEqual([url, 404])
    expect((await app.call({ method: 'DELETE', url: `/v1/check-groups/${id}`, headers: other })).status).toBe(404)
    expect(
      (await app.call({ method: 'POST', url: '/v1/check-groups', headers: { ...write, authorization: `Bearer ${readKey}` }, payload: {} }))
        .status,
    ).toBe(403)
  })
})

describe('a check of a group', () => {
  test('inherits what it does not set itself, and follows changes of the group', async () => {
    const id = await addGroup({ tags: ['shop'], locations: ['eu'], muted: true, retryStrategy: { type: 'SINGLE_RETRY' } })
    const check = await addCheck(id)
    expect(await listed(check)).toMatchObject({ tags: ['shop'], locations: ['eu'], muted: true, groupId: id })
    await send('PUT', `/v1/check-groups/${id}`, { name: 'Shop', tags: ['other'], activated: false })
    expect(await listed(check)).toMatchObject({ tags: ['other'], locations: ['default'], muted: false, activated: false })
  })

  test('is read back as it was written: inherited settings are not listed as its own', async () => {
    const id = await addGroup({ tags: ['shop'], locations: ['eu'], activated: false, retryStrategy: { type: 'SINGLE_RETRY' } })
    const check = await addCheck(id)
    const { body } = await read(`/v1/checks/${check}`)
    expect(body).toMatchObject({ groupId: id, tags: [], locations: [], activated: true, retryStrategy: 'FALLBACK' })
    const again = await send('PUT', `/v1/checks/${check}?dryRun=true`, body)
    expect(again.body).toMatchObject({ valid: true, action: 'none' })
    const own = { tags: ['own'], locations: ['us'], muted: true, frequency: 7, runParallel: true }
    const withOwn = await addCheck(id, { ...own, frequency: '7m' })
    expect((await read(`/v1/checks/${withOwn}`)).body).toMatchObject(own)
    const { definition: _, ...alone } = body
    expect((await send('PUT', `/v1/checks/${check}`, { ...alone, retryStrategy: null, groupOrder: 3 })).status).toBe(200)
    expect((await read(`/v1/checks/${check}`)).body).toMatchObject({ retryStrategy: null, groupOrder: 3, groupId: id })
  })

  test('uses the changed group if it is written while the group changes', async () => {
    const id = await addGroup({ tags: ['before'] })
    const { documents } = app.store
    const write = documents.write
    Object.assign(documents, {
      write: async (...args: Parameters<typeof write>) => {
        Object.assign(documents, { write })
        await send('PUT', `/v1/check-groups/${id}`, { name: 'Shop', tags: ['after'] })
        return write(...args)
      },
    })
    const check = await addCheck(id, { id: 'cart' })
    await vi.waitUntil(async () => (await listed(check))?.tags.includes('after'))
  })

  test('is rejected if its group does not exist', async () => {
    const { status, body } = await send('POST', checkPath, { definition: definition({ groupId: 12 }) })
    expect([status, body.faults[0].message]).toEqual([400, 'there is no check group with the id 12'])
    const inOther = await app.call({ method: 'POST', url: '/v1/check-groups', headers: other, payload: { name: 'Theirs' } })
    expect((await send('POST', checkPath, { definition: definition({ groupId: inOther.body.id }) })).status).toBe(400)
  })

  test('prevents the deletion of its group', async () => {
    const id = await addGroup()
    const check = await addCheck(id)
    const { status, body } = await send('DELETE', `/v1/check-groups/${id}`)
    expect([status, body.code]).toEqual([409, 'RESOURCE_IN_USE'])
    expect(body.message).toContain(check)
    await send('DELETE', `/v1/checks/${check}`)
    expect((await send('DELETE', `/v1/check-groups/${id}`)).status).toBe(204)
  })

  test('prevents a change of its group that would make it invalid, and is named in the error', async () => {
    const id = await addGroup({ [field]: { url: 'https://a.example' } })
    const request = { ...(exampleCheck(requestType).request as object), url: `$\{GROUP_BASE_URL}/cart` }
    const check = await addCheck(id, { request })
    const { status, body } = await send('PUT', `/v1/check-groups/${id}`, { name: 'Shop', tags: ['new'] })
    expect(status).toBe(400)
    expect(body.faults[0].message).toContain(`check ${check}`)
    expect((await read(`/v1/check-groups/${id}`)).body.tags).toEqual([])
    expect((await listed(check)).request.url).toBe('https://a.example/cart')
  })

  test('inherits headers, parameters and assertions, and uses the variables of its group', async () => {
    const id = await addGroup({
      [field]: {
        url: 'https://a.example',
        headers: [{ key: 'accept', value: 'text/plain' }],
        queryParameters: [{ key: 'q', value: '{{WORD}}' }],
        assertions: [{ source: 'STATUS_CODE', comparison: 'LESS_THAN', target: '500' }],
      },
      environmentVariables: [{ key: 'WORD', value: 'tea' }],
    })
    const assertions = [{ source: 'statusCode', comparison: 'equals', target: 200 }]
    const check = await addCheck(id, { request: { url: `$\{GROUP_BASE_URL}/x`, assertions } })
    const { settings } = app.check(check)
    expect(settings).toEqual({
      request: {
        url: 'https://a.example/x',
        headers: { accept: 'text/plain' },
        query: { q: 'tea' },
        assertions: [{ source: 'statusCode', comparison: 'lessThan', target: 500 }, ...assertions],
      },
    })
  })
})

describe('secrets of a group', () => {
  const secret = 'hunter2-hunter2'
  const withSecret = (url: string, value = `Bearer ${secret}`) => ({ [field]: { url, headers: [{ key: 'Authorization', value }] } })

  test('are never shown, and are kept as long as the URL has the same origin', async () => {
    const id = await addGroup({
      ...withSecret('https://a.example'),
      environmentVariables: [
        { key: 'PIN', value: 'hush-hush-1', locked: true },
        { key: 'DEEP', value: 'hush-hush-2', secret: true },
      ],
    })
    const { body, text } = await read(`/v1/check-groups/${id}`)
    expect(text).not.toMatch(/hunter2|hush-hush/)
    expect((await read('/v1/audit')).text).not.toMatch(/hunter2|hush-hush/)
    expect(JSON.stringify(app.store.documents.heads())).not.toContain('hush-hush-2')
    expect((await send('PUT', `/v1/check-groups/${id}`, { ...body, name: 'Renamed' })).status).toBe(200)
    const request = { url: 'https://a.example/x', query: { pin: `$\{PIN}`, deep: `$\{DEEP}` } }
    const check = await addCheck(id, { request })
    expect(app.check(check).settings).toMatchObject({
      request: { headers: { Authorization: `Bearer ${secret}` }, query: { pin: 'hush-hush-1', deep: 'hush-hush-2' } },
    })
    expect((await read(`/v1/checks/${check}`)).text).not.toMatch(/hunter2|hush-hush/)
    const moved = { ...body, [field]: { ...body[field], url: 'https://evil.example' } }
    const { status, body: error } = await send('PUT', `/v1/check-groups/${id}`, { ...moved, definition: undefined })
    expect([status, JSON.stringify(error.faults)]).toEqual([400, expect.stringContaining('send it again')])
    const opened = body.environmentVariables.map((variable: object) => ({ ...variable, locked: false, secret: false }))
    expect((await send('PUT', `/v1/check-groups/${id}`, { ...body, environmentVariables: opened, definition: undefined })).status).toBe(400)
  })

  test('cannot be sent to another address by a new check', async () => {
    const id = await addGroup(withSecret('https://a.example'))
    const { status, body } = await send('POST', checkPath, {
      definition: definition({ groupId: id, request: { url: 'https://evil.example/' } }),
    })
    expect([status, body.faults[0].pointer]).toEqual([400, '/definition/groupId'])
    expect((await send('POST', plainPath, { definition: { ...exampleCheck(plainType), groupId: id } })).status).toBe(201)
  })

  test('cannot be sent to another address by a variable in its URL', async () => {
    await send('POST', '/v1/variables', { key: 'HOST', value: 'a.example' })
    for (const url of [`https://$\{HOST}`, `https://$\{HOST}.a.example/x`, `$\{HOST}`, `https://a.example$\{HOST}`]) {
      const { status, body } = await send('POST', '/v1/check-groups', { name: 'Shop', ...withSecret(url) })
      expect([url, status, body.faults?.[0].pointer]).toEqual([url, 400, `/${field}/url`])
    }
    await addGroup(withSecret(`https://a.example/$\{HOST}`))
    const basicAuth = { username: 'shop', password: `$\{HOST}` }
    await addGroup({ [field]: { url: `https://$\{HOST}`, headers: [{ key: 'X-Key', value: `$\{HOST}` }], basicAuth } })
  })

  test('of its checks cannot be sent to another address by its URL', async () => {
    const id = await addGroup({ [field]: { url: 'https://a.example' } })
    const headers = { Authorization: `Bearer ${secret}` }
    const check = await addCheck(id, { request: { url: `$\{GROUP_BASE_URL}/x`, headers } })
    const { status, body } = await send('PUT', `/v1/check-groups/${id}`, { name: 'Shop', [field]: { url: 'https://evil.example' } })
    expect([status, body.faults[0].message]).toEqual([400, expect.stringContaining(`check ${check}`)])
    expect((await send('PUT', `/v1/check-groups/${id}`, { name: 'Shop', [field]: { url: 'https://a.example/v2' } })).status).toBe(200)
    const elsewhere = await addGroup({ [field]: { url: 'https://evil.example' } })
    const { body: shown } = await read(`/v1/checks/${check}`)
    expect((await send('PUT', `/v1/checks/${check}`, { ...shown, groupId: elsewhere, definition: undefined })).status).toBe(400)
  })

  test('require a key of the server', async () => {
    const keyless = await openApp({ vault: null })
    const payload = { name: 'Shop', environmentVariables: [{ key: 'DEEP', value: 'x', secret: true }] }
    const { status, body } = await keyless.call({ method: 'POST', url: '/v1/check-groups', headers: write, payload })
    expect([status, body.faults[0].message]).toEqual([400, expect.stringContaining('TIDEMARK_SECRET_KEY')])
    await keyless.close()
  })
})
