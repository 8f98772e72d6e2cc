import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Check, ServiceSettings } from '../../src/catalogue/catalogue.ts'
import { wirePath } from '../../src/catalogue/wire/index.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, readKey, service, testCatalogue, testCheck, testKey, writeKey } from '../support/catalogue.ts'
import { anyRunType, exampleCheck } from '../support/example-config.ts'

const as = (key: string) => ({ authorization: `Bearer ${key}`, 'x-service-account': account })
const now = Date.UTC(2026, 10, 14, 12)
const checkType = checkTypes.find((one) => one.secrets && one.settings.properties.request) ?? anyRunType()

const allowed = { ...service, allowManagedLocations: true, runnerLocations: ['office'] }
let settings: ServiceSettings = allowed

/** The checks of the config file. */
let checks: Check[] = []

let api: TestApp
beforeEach(async () => {
  settings = allowed
  checks = [testCheck(anyRunType(), { id: 'in-file', locations: ['eu', 'lab'] })]
  api = await openTestApp({
    managed: true,
    now,
    catalogue: testCatalogue({
      service: () => settings,
      policies: { canaries: [{ location: 'depot', targets: [] }] },
      checks,
      keys: [
        testKey(readKey, account, ['read']),
        testKey(writeKey, account, ['read', 'write']),
        testKey('tdm_agent', account, ['agent:of-file']),
      ],
    }),
  })
})
afterEach(() => api.close())

const path = '/v1/private-locations'
const send = (method: 'POST' | 'PUT' | 'DELETE', url: string, body?: object, key = writeKey) =>
  api.call({ method, url, headers: as(key), ...(body && { payload: body }) })
/** As the Go SDK sends it. */
const dc2 = { id: '', name: 'Data centre 2', slugName: 'dc-2', icon: 'location', created_at: '', updated_at: '' }
const addCheck = (more: object = {}) =>
  send('POST', `/v1/checks/${wirePath(checkType)}`, {
    definition: { ...exampleCheck(checkType), id: 'shop', locations: ['dc-2'], ...more },
  })
const poll = (key: string, more = '') =>
  api.call({ url: `/v1/agents/checks?protocol=1&location=dc-2${more}`, headers: { authorization: `Bearer ${key}` } })

describe('a private location', () => {
  test('can be created, read, updated and deleted as Terraform does it; its key is shown once', async () => {
    const added = await send('POST', path, dc2)
    expect(added.status).toBe(201)
    const { id, keys } = added.body
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-/)
    expect(keys).toEqual([expect.objectContaining({ rawKey: expect.stringMatching(/^tdm_/), maskedKey: expect.stringContaining('•••') })])
    const read = await api.get(`${path}/${id}`)
    expect(read.text).not.toContain(keys[0].rawKey)
    expect(read.body).toMatchObject({ name: 'Data centre 2', slugName: 'dc-2', icon: 'location', lastSeen: null, agentCount: 0 })
    expect(read.body.keys).toEqual([expect.not.objectContaining({ rawKey: expect.anything() })])
    const renamed = await send('PUT', `${path}/${id}`, { ...dc2, name: 'DC 2' })
    expect([renamed.status, renamed.body.name, renamed.body.keys]).toEqual([200, 'DC 2', read.body.keys])
    expect((await poll(keys[0].rawKey)).status).toBe(200)
    expect((await send('DELETE', `${path}/${id}`)).status).toBe(204)
    expect((await api.get(`${path}/${id}`)).status).toBe(404)
    expect((await poll(keys[0].rawKey)).status).toBe(401)
  })

  test('is run only by agents with its key', async () => {
    const { body } = await send('POST', path, dc2)
    expect((await addCheck()).body).toMatchObject({ privateLocations: ['dc-2'], locations: [] })
    const [{ rawKey }] = body.keys
    expect((await poll(rawKey)).body).toMatchObject({ account, location: 'dc-2', checks: [{ id: 'shop' }] })
    expect((await api.get(path)).body).toContainEqual(expect.objectContaining({ slugName: 'dc-2' }))
    expect((await api.get('/v1/locations')).body).toContainEqual(expect.objectContaining({ location: 'dc-2', runBy: 'agents' }))
    const elsewhere = await api.call({ url: '/v1/checks', headers: { authorization: `Bearer ${rawKey}` } })
    expect([elsewhere.status, elsewhere.body.code]).toEqual([403, 'AGENT_KEY'])
  })

  test('cannot be deleted or renamed while a check runs there', async () => {
    const { body } = await send('POST', path, dc2)
    await addCheck()
    const deleted = await send('DELETE', `${path}/${body.id}`)
    expect([deleted.status, deleted.body.code, deleted.body.message]).toEqual([
      409,
      'RESOURCE_IN_USE',
      expect.stringContaining('check shop'),
    ])
    expect((await send('PUT', `${path}/${body.id}`, { ...dc2, slugName: 'dc-3' })).status).toBe(409)
    await send('DELETE', '/v1/checks/shop')
    expect((await send('PUT', `${path}/${body.id}`, { ...dc2, slugName: 'dc-3' })).body.slugName).toBe('dc-3')
  })

  test('has a unique name', async () => {
    await send('POST', path, dc2)
    for (const query of ['', '?dryRun=true']) {
      const { status, body } = await send('POST', `${path}${query}`, dc2)
      expect([status, body.code]).toEqual([409, 'RESOURCE_EXISTS'])
    }
    const { id } = (await send('POST', path, { ...dc2, slugName: 'dc-3' })).body
    expect((await send('PUT', `${path}/${id}`, dc2)).body.code).toBe('RESOURCE_EXISTS')
  })

  test('never runs checks of the config file, also those added later, nor stores their results', async () => {
    const [{ rawKey }] = (await send('POST', path, dc2)).body.keys
    checks.push(testCheck(anyRunType(), { id: 'later', locations: ['dc-2'] }))
    await addCheck()
    expect((await poll(rawKey)).body.checks).toEqual([expect.objectContaining({ id: 'shop' })])
    expect(api.check('later').agentLocations).toEqual([])
    const row = { startedAt: now - 1000, runLocation: 'dc-2', hasFailures: false }
    const stored = await api.call({
      method: 'POST',
      url: '/v1/check-results',
      headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
      payload: JSON.stringify([
        { ...row, checkId: 'shop' },
        { ...row, checkId: 'later' },
      ]),
    })
    expect(stored.body).toMatchObject({ accepted: 1, rejected: [{ index: 1, code: 'UNKNOWN_CHECK' }] })
  })

  test('of the config file is listed, and cannot be changed over the API', async () => {
    expect((await send('POST', path, { ...dc2, slugName: 'of-file' })).body.code).toBe('RESOURCE_EXISTS')
    const [location] = (await api.get(path)).body
    expect(location).toMatchObject({ name: 'of-file', slugName: 'of-file', keys: [], created_at: null })
    expect((await api.get(`${path}/${location.id}`)).body).toEqual(location)
    for (const method of ['PUT', 'DELETE'] as const) {
      const { status, body } = await send(method, `${path}/${location.id}`, method === 'PUT' ? dc2 : undefined)
      expect([status, body.code]).toEqual([409, 'DEFINED_IN_FILE'])
    }
  })

  test.each([
    [{ slugName: 'lab' }, '/slugName', 'lab is a location of the config file'],
    [{ slugName: 'default' }, '/slugName', 'default is a location of the config file'],
    [{ slugName: 'office' }, '/slugName', 'office is a location of the config file'],
    [{ slugName: 'depot' }, '/slugName', 'depot is a location of the config file'],
    [{ slugName: 'a,b' }, '/slugName', 'without commas'],
    [{ slugName: '' }, '/slugName', 'slugName must be'],
    [{ name: '' }, '/name', 'name is missing'],
    [{ proxyUrl: 'http://proxy' }, '/proxyUrl', 'HTTPS_PROXY'],
  ])('with %j is a 400 that points to %s', async (more, pointer, message) => {
    const { status, body } = await send('POST', path, { ...dc2, ...more })
    expect([status, body.faults]).toEqual([400, [{ pointer, message: expect.stringContaining(message) }]])
  })
})

describe('without allowManagedLocations in the config file', () => {
  test('creating a private location or its keys is rejected with a message that says how to allow it', async () => {
    const { id, keys } = (await send('POST', path, dc2)).body
    settings = service
    const refused = [
      await send('POST', path, { ...dc2, slugName: 'dc-3' }),
      await send('PUT', `${path}/${id}`, { ...dc2, name: 'Renamed' }),
      await send('POST', `${path}/${id}/keys`),
    ]
    for (const { status, body } of refused)
      expect([status, body.code, body.message]).toEqual([
        400,
        'INVALID_DEFINITION',
        expect.stringContaining('the config file says allowManagedLocations: true'),
      ])
    expect((await send('POST', `${path}?dryRun=true`, { ...dc2, slugName: 'dc-3' })).body.valid).toBe(false)
    expect((await api.get(path)).body).toContainEqual(expect.objectContaining({ slugName: 'dc-2', name: 'Data centre 2' }))
    expect((await send('DELETE', `${path}/${id}/keys/${keys[0].id}`)).status).toBe(204)
    expect((await send('DELETE', `${path}/${id}`)).status).toBe(204)
  })

  test('an existing one becomes inactive: requests of its agents end, and they get no checks', async () => {
    const { id, keys } = (await send('POST', path, dc2)).body
    const [{ rawKey }] = keys
    await addCheck()
    const agent = '&instance=probe-1&session=1'
    const first = await poll(rawKey, agent)
    expect(first.body.checks).toHaveLength(1)
    const waiting = api.call({
      url: `/v1/agents/checks?protocol=1&location=dc-2&wait=30${agent}`,
      headers: { authorization: `Bearer ${rawKey}`, 'if-none-match': String(first.headers.etag) },
    })
    await expect.poll(async () => (await api.get(`${path}/${id}`)).body.agentCount).toBe(1)
    settings = service
    expect((await waiting).status).toBe(401)
    expect((await poll(rawKey)).status).toBe(401)
    expect((await api.get('/v1/checks/shop')).body).toMatchObject({ locations: ['dc-2'], privateLocations: [] })
    settings = allowed
    expect((await poll(rawKey)).body.checks).toHaveLength(1)
    settings = service
    expect((await send('DELETE', `${path}/${id}`)).status).toBe(204)
  })
})

describe('keys of a private location', () => {
  test('can be added and revoked, and revoking one ends its waiting requests', async () => {
    const { id, keys } = (await send('POST', path, dc2)).body
    const added = await send('POST', `${path}/${id}/keys`)
    expect([added.status, added.body.rawKey]).toEqual([201, expect.stringMatching(/^tdm_/)])
    const first = await poll(keys[0].rawKey)
    const waiting = api.call({
      url: '/v1/agents/checks?protocol=1&location=dc-2&wait=30',
      headers: { authorization: `Bearer ${keys[0].rawKey}`, 'if-none-match': String(first.headers.etag) },
    })
    expect((await send('DELETE', `${path}/${id}/keys/${keys[0].id}`)).status).toBe(204)
    expect((await waiting).status).toBe(401)
    expect((await poll(added.body.rawKey)).status).toBe(200)
    expect((await send('DELETE', `${path}/${id}/keys/${keys[0].id}`)).status).toBe(404)
    expect((await api.get('/v1/audit')).text).not.toContain('sha256')
  })

  test('are ten at most', async () => {
    const { id } = (await send('POST', path, dc2)).body
    const add = () => send('POST', `${path}/${id}/keys`)
    for (let keys = 1; keys < 10; keys++) expect((await add()).status).toBe(201)
    const { status, body } = await add()
    expect([status, body.message]).toEqual([400, expect.stringContaining('at most 10 keys: delete one first')])
    expect((await api.get(`${path}/${id}`)).body.keys).toHaveLength(10)
  })

  test('give agents access to the secrets of checks moved there, which is why the config file has to allow it', async () => {
    const request = { ...(exampleCheck(checkType).request as object), headers: { authorization: 'Bearer hush-hush' } }
    const { body } = await addCheck({ locations: ['eu'], request })
    expect(JSON.stringify(body)).not.toContain('hush-hush')
    const { keys } = (await send('POST', path, dc2)).body
    expect((await send('PUT', '/v1/checks/shop', { ...body, privateLocations: ['dc-2'] })).status).toBe(200)
    expect((await poll(keys[0].rawKey)).text).toContain('hush-hush')
  })
})
