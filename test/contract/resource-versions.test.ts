import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createVault } from '../../src/catalogue/managed/vault.ts'
import { wirePath } from '../../src/catalogue/wire/index.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { hourMs } from '../../src/time.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, readKey, service, testCatalogue, testKey, writeKey } from '../support/catalogue.ts'
import { exampleCheck } from '../support/example-config.ts'

const requestType = checkTypes.find(({ groupRequest }) => groupRequest)
if (!requestType) throw new Error('there is no such check type')
const as = (key: string) => ({ authorization: `Bearer ${key}`, 'x-service-account': account })
const otherKey = 'tdm_other'
const secret = 'hunter2-hunter2'

let now = 0
let managedVariables: string[] = []
let allowManagedLocations = true
let app: TestApp
beforeEach(async () => {
  now = Date.UTC(2026, 10, 14, 12)
  managedVariables = []
  allowManagedLocations = true
  const acme = {
    id: account,
    name: 'Acme',
    publicBadges: false,
    get managedVariables() {
      return managedVariables
    },
  }
  app = await openTestApp({
    managed: true,
    // Each version needs its own instant to be distinguishable.
    now: () => now++,
    vault: createVault(Buffer.alloc(32, 7)),
    catalogue: testCatalogue({
      accounts: [acme],
      service: () => ({ ...service, allowManagedLocations }),
      keys: [
        testKey(readKey, account, ['read']),
        testKey(writeKey, account, ['read', 'write']),
        testKey(otherKey, account, ['read', 'write']),
        testKey('tdm_agent', account, ['agent:of-file']),
      ],
      checks: [],
    }),
  })
})
afterEach(() => app.close())

const send = (method: 'POST' | 'PUT' | 'DELETE', url: string, body?: object, { key = writeKey, ...headers }: Record<string, string> = {}) =>
  app.call({ method, url, headers: { ...as(key), ...headers }, ...(body && { payload: body }) })
const add = async (path: string, body: object) => {
  const added = await send('POST', path, body)
  expect(added.status, added.text).toBe(201)
  return added.body
}
const versionsOf = async (url: string) => {
  const { body } = await app.get(`${url}/versions`)
  return body.versions.map(({ version, action }: { version: number; action: string }) => `${version} ${action}`)
}
const timeless = ({ updated_at: _, updatedAt: __, ...rest }: Record<string, unknown>) => rest

type Sample = { readonly path: string; readonly body: object; readonly changed: object; readonly key?: string }
const samples: Readonly<Record<string, Sample>> = {
  'check group': { path: '/v1/check-groups', body: { name: 'Shop', tags: ['a'] }, changed: { name: 'Shop 2', tags: ['b'] } },
  'check group, as its second version': { path: '/v2/check-groups', body: { name: 'Shop' }, changed: { name: 'Shop 2' } },
  variable: { path: '/v1/variables', key: 'key', body: { key: 'HOST', value: 'a.example' }, changed: { key: 'HOST', value: 'b.example' } },
  'maintenance window': {
    path: '/v1/maintenance-windows',
    body: { name: 'Night', startsAt: '2026-11-20T21:00:00Z', endsAt: '2026-11-20T22:00:00Z' },
    changed: { name: 'Day', startsAt: '2026-11-20T09:00:00Z', endsAt: '2026-11-20T22:00:00Z' },
  },
  'private location': {
    path: '/v1/private-locations',
    body: { name: 'Data centre 2', slugName: 'dc-2' },
    changed: { name: 'Data centre 3', slugName: 'dc-3' },
  },
  'alert channel': {
    path: '/v1/alert-channels',
    body: { type: 'WEBHOOK', config: { name: 'Ops', url: 'https://hooks.example/a' } },
    changed: { type: 'WEBHOOK', config: { name: 'Ops', url: 'https://hooks.example/b' } },
  },
}

describe.each(Object.entries(samples))('a %s', (_noun, { path, body, changed, key = 'id' }) => {
  /** Reads it again, since the response to the POST contains location keys. */
  const made = async () => {
    const url = `${path}/${(await add(path, body))[key]}`
    return { url, first: (await app.get(url, as(writeKey))).body }
  }

  test('can be sent as it is read, which changes nothing', async () => {
    const { url, first } = await made()
    const { status, headers, text } = await send('PUT', url, first)
    expect([status, headers.etag], text).toEqual([200, '"v1"'])
  })

  test('has versions, and each can be restored', async () => {
    const { url, first } = await made()
    const second = (await send('PUT', url, changed)).body
    const undone = await send('POST', `${url}/restore`, {})
    expect([undone.status, undone.headers.etag, timeless(undone.body)]).toEqual([200, '"v3"', timeless(first)])
    expect(timeless((await send('POST', `${url}/restore`, { version: 2 })).body)).toEqual(timeless(second))
    expect((await send('POST', `${url}/restore`, { version: 2 })).headers.etag).toBe('"v4"')
    expect(await versionsOf(url)).toEqual(['4 restore', '3 restore', '2 update', '1 create'])
    const page = (await app.get(`${url}/versions?limit=3`)).body
    expect((await app.get(`${url}/versions?cursor=${page.pagination.next}`)).body.versions).toHaveLength(1)
    expect((await send('POST', `${url}/restore`, { version: 99 })).body.code).toBe('VERSION_NOT_FOUND')
    expect((await send('POST', `${url}/restore`, { version: 1 }, { 'if-match': '"v3"' })).status).toBe(412)
    const tried = await send('POST', `${url}/restore?dryRun=true`, { version: 1 })
    expect(tried.body).toMatchObject({ valid: true, action: 'restore' })
    expect((await app.get(url)).headers.etag).toBe('"v4"')
  })

  test('that was deleted can be restored unchanged for an hour', async () => {
    const { url, first } = await made()
    await send('PUT', url, changed)
    expect((await send('DELETE', url)).status).toBe(204)
    expect((await app.get(url)).status).toBe(404)
    expect(await versionsOf(url)).toEqual(['3 delete', '2 update', '1 create'])
    expect(timeless((await send('POST', `${url}/restore`, { version: 1 })).body)).toEqual(timeless(first))
    expect(timeless((await app.get(url, as(writeKey))).body)).toEqual(timeless(first))
    await send('DELETE', url)
    now += hourMs
    expect((await send('POST', `${url}/restore`, {})).body.code).toBe('VERSION_NOT_FOUND')
  })

  test('that does not exist has no versions', async () => {
    expect((await app.get(`${path}/4711/versions`)).body.code).toBe('RESOURCE_NOT_FOUND')
    expect((await send('POST', `${path}/4711/restore`, {})).body.code).toBe('RESOURCE_NOT_FOUND')
  })
})

test('a location of the config file has no versions and cannot be restored', async () => {
  const [location] = (await app.get('/v1/private-locations')).body
  expect((await app.get(`/v1/private-locations/${location.id}/versions`)).body.versions).toEqual([])
  expect((await send('POST', `/v1/private-locations/${location.id}/restore`, {})).body.code).toBe('DEFINED_IN_FILE')
})

test('a variable that was replaced by a new one cannot be restored', async () => {
  await add('/v1/variables', { key: 'HOST', value: 'a' })
  await send('DELETE', '/v1/variables/HOST')
  await add('/v1/variables', { key: 'HOST', value: 'b' })
  expect((await send('POST', '/v1/variables/HOST/restore', { version: 1 })).body.code).toBe('VERSION_NOT_FOUND')
})

test('a version that would break a check, or that is no longer allowed, cannot be restored', async () => {
  await add('/v1/variables', { key: 'PORT', value: '80' })
  await send('PUT', '/v1/variables/PORT', { value: 'x' })
  await send('PUT', '/v1/variables/PORT', { value: '81' })
  const request = { url: `http://shop.example:\${PORT}/`, method: 'GET' }
  await add(`/v1/checks/${wirePath(requestType)}`, { definition: { ...exampleCheck(requestType), id: 'cart', request } })
  const refused = await send('POST', '/v1/variables/PORT/restore', { version: 2 })
  expect([refused.body.code, refused.text]).toEqual(['INVALID_DEFINITION', expect.stringContaining('check cart')])
  expect((await send('POST', '/v1/variables/PORT/restore', { version: 1 })).status).toBe(200)
  managedVariables = ['PORT']
  expect((await send('POST', '/v1/variables/PORT/restore', { version: 3 })).body.code).toBe('INVALID_DEFINITION')
})

describe('secrets', () => {
  test('of variables and groups are restored, and never shown', async () => {
    await add('/v1/variables', { key: 'TOKEN', value: secret, secret: true })
    await send('PUT', '/v1/variables/TOKEN', { value: 'another-secret', secret: true })
    const restored = await send('POST', '/v1/variables/TOKEN/restore', {})
    expect(restored.body).toMatchObject({ value: null, secret: true })
    const variables = [{ key: 'PASSWORD', value: secret, secret: true }]
    const { id } = await add('/v1/check-groups', { name: 'Shop', environmentVariables: variables })
    await send('DELETE', `/v1/check-groups/${id}`)
    const group = await send('POST', `/v1/check-groups/${id}/restore`, {})
    expect(group.status).toBe(200)
    const request = { url: 'http://shop.example/', method: 'GET', headers: { a: `\${TOKEN}`, b: `\${PASSWORD}` } }
    await add(`/v1/checks/${wirePath(requestType)}`, { definition: { ...exampleCheck(requestType), id: 'cart', groupId: id, request } })
    for (const url of ['/v1/variables/TOKEN/versions', `/v1/check-groups/${id}/versions`, '/v1/audit'])
      expect((await app.get(url)).text).not.toContain(secret)
    for (const { text } of [restored, group]) expect(text).not.toContain(secret)
  })

  test('of a channel still belong to the key that sent them, whoever restores it', async () => {
    const channel = (webhookSecret: string) => ({
      type: 'WEBHOOK',
      config: { name: 'Ops', url: 'https://hooks.example/', webhookSecret: `whsec_${Buffer.from(webhookSecret).toString('base64')}` },
    })
    const { id } = await add('/v1/alert-channels', channel(`${secret}-${secret}`))
    await send('PUT', `/v1/alert-channels/${id}`, channel(`other-${secret}-${secret}`), { key: otherKey })
    const restored = await send('POST', `/v1/alert-channels/${id}/restore`, { version: 1 }, { key: otherKey })
    expect([restored.status, restored.body.config.webhookSecret]).toEqual([200, '•••'])
    const own = (await app.get(`/v1/alert-channels/${id}`, as(writeKey))).body
    expect(own.config).toEqual(channel(`${secret}-${secret}`).config)
  })

  test('of a location: a revoked key stays revoked, and any other works again', async () => {
    const path = '/v1/private-locations'
    const { id, keys } = await add(path, { name: 'Data centre 2', slugName: 'dc-2' })
    const kept = (await send('POST', `${path}/${id}/keys`)).body
    await send('DELETE', `${path}/${id}/keys/${keys[0].id}`)
    const poll = async (key: string) =>
      (await app.call({ url: '/v1/agents/checks?protocol=1&location=dc-2', headers: { authorization: `Bearer ${key}` } })).status
    const restored = await send('POST', `${path}/${id}/restore`, { version: 1 })
    expect(restored.body.keys.map((key: { readonly id: string }) => key.id)).toEqual([kept.id])
    expect([await poll(keys[0].rawKey), await poll(kept.rawKey)]).toEqual([401, 200])
    await send('DELETE', `${path}/${id}`)
    expect(await poll(kept.rawKey)).toBe(401)
    expect((await send('POST', `${path}/${id}/restore`, { version: 1 })).status).toBe(200)
    expect([await poll(keys[0].rawKey), await poll(kept.rawKey)]).toEqual([401, 200])
  })

  test('are not restored for a location that the config file no longer allows, or whose name is taken', async () => {
    const path = '/v1/private-locations'
    const { id } = await add(path, { name: 'Data centre 2', slugName: 'dc-2' })
    await send('DELETE', `${path}/${id}`)
    allowManagedLocations = false
    expect((await send('POST', `${path}/${id}/restore`, {})).body.code).toBe('INVALID_DEFINITION')
    allowManagedLocations = true
    await add(path, { name: 'Another', slugName: 'dc-2' })
    expect((await send('POST', `${path}/${id}/restore`, {})).body.code).toBe('RESOURCE_EXISTS')
  })
})
