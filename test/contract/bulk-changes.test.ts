import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { wirePath } from '../../src/catalogue/wire/index.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { hourMs } from '../../src/time.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, credentials, writeCredentials as write, writeKey } from '../support/catalogue.ts'
import { exampleCheck } from '../support/example-config.ts'
import { inFileDefinition, managedFile } from '../support/managed-file.ts'

const checkType = checkTypes.find(({ pingSettings }) => !pingSettings)
const secretType = checkTypes.find((type) => type.secrets && type.settings.properties.request)
if (!checkType || !secretType) throw new Error('there are too few check types')
const path = `/v1/checks/${wirePath(checkType)}`

let app: TestApp
let managedVariables: readonly string[] = []
const fileListeners = new Set<() => void>()
let now = 0

beforeEach(async () => {
  now = Date.UTC(2026, 10, 14, 12)
  managedVariables = ['OPEN']
  app = await openTestApp({
    managed: true,
    now: () => now,
    env: { OPEN: 'shop' },
    fileListeners,
    catalogue: managedFile(checkType, { managedVariables: () => managedVariables }),
  })
})
afterEach(() => app.close())

const definition = (more: object = {}) => ({ ...exampleCheck(checkType), name: 'Shop', tags: ['web'], ...more })
const send = (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: object) =>
  app.call({ method, url, headers: write, ...(body && { payload: body }) })
const create = (more: object = {}) => send('POST', path, { definition: definition(more) })
const patch = (body: object) => send('PATCH', '/v1/checks', body)
const checkOf = async (id: string) => (await app.get(`/v1/checks/${id}`)).body
const sameAsFile = inFileDefinition(checkType)

describe('changing checks by their ids', () => {
  test('changes the given checks, and reports what happened to the others', async () => {
    for (const id of ['a', 'b', 'c']) await create({ id })
    const { status, body } = await patch({ ids: ['a', 'b', 'in-file', 'nobody'], activated: false })
    expect([status, body]).toEqual([
      200,
      {
        changed: 2,
        unchanged: 0,
        definedInFile: 1,
        failed: [{ id: 'nobody', faults: [{ pointer: '', message: expect.stringContaining('no such check') }] }],
      },
    ])
    expect([(await checkOf('a')).activated, (await checkOf('b')).activated, (await checkOf('c')).activated]).toEqual([false, false, true])
    expect((await patch({ ids: ['a'], activated: false })).body).toMatchObject({ changed: 0, unchanged: 1 })
  })

  test('adds and removes tags', async () => {
    for (const id of ['a', 'b']) await create({ id })
    await patch({ ids: ['a', 'b'], addTags: ['new', 'web'] })
    await patch({ ids: ['a'], removeTags: ['web', 'never'] })
    expect([(await checkOf('a')).tags, (await checkOf('b')).tags]).toEqual([['new'], ['web', 'new']])
  })

  test.each([
    [{ muted: true }, 'MISSING_PARAMETER'],
    [{ ids: ['a'] }, 'INVALID_PARAMETER'],
    [{ ids: [], muted: true }, 'INVALID_PARAMETER'],
    [{ ids: Array.from({ length: 101 }, (_, index) => `id-${index}`), muted: true }, 'INVALID_PARAMETER'],
    [{ ids: ['no id!'], muted: true }, 'INVALID_ID'],
    [{ ids: ['a'], name: 'x' }, 'UNKNOWN_PROPERTY'],
  ])('%j is rejected', async (body, code) => expect((await patch(body)).body.code).toBe(code))

  test('by tags as well as ids is rejected', async () => {
    expect((await send('PATCH', '/v1/checks?tag=web', { ids: ['a'], muted: true })).body.code).toBe('INVALID_PARAMETER')
  })

  test('leaves a check unchanged that is also in the config file, by ids and by tags', async () => {
    expect((await send('POST', `${path}?adopt=true`, { definition: sameAsFile })).status).toBe(201)
    for (const answer of [await patch({ ids: ['in-file'], muted: true }), await send('PATCH', '/v1/checks?tag=web', { muted: true })])
      expect(answer.body).toEqual({ changed: 0, unchanged: 0, definedInFile: 1, failed: [] })
    expect((await checkOf('in-file')).muted).toBe(false)
  })

  test('can pause a check whose definition has become invalid', async () => {
    await create({ id: 'a', tags: [`$\{OPEN}`] })
    await revoke(1)
    expect((await patch({ ids: ['a'], muted: true })).body.failed).toHaveLength(1)
    expect((await patch({ ids: ['a'], activated: false })).body).toMatchObject({ changed: 1, failed: [] })
  })
})

describe('deleting many checks', () => {
  const remove = (ids: readonly string[], query = '') => send('POST', `/v1/checks/delete${query}`, { ids })

  test('deletes dependents first, so that all can be restored in the reverse order', async () => {
    await create({ id: 'a' })
    await create({ id: 'b', dependsOn: ['a'] })
    await create({ id: 'c', dependsOn: ['b', 'a'] })
    expect((await remove(['a', 'b', 'c'], '?dryRun=true')).body.deleted).toHaveLength(3)
    const { body } = await remove(['a', 'b', 'c'])
    expect(body).toEqual({ deleted: ['c', 'b', 'a'], definedInFile: 0, failed: [] })
    const listed = (await app.get('/v1/deleted-checks')).body.map(({ id }: { id: string }) => id)
    expect(listed).toEqual(body.deleted.toReversed())
    for (const id of listed) expect((await send('POST', `/v1/checks/${id}/restore`, {})).status).toBe(200)
    expect((await app.get('/v1/deleted-checks')).body).toEqual([])
  })

  test('keeps what another check depends on, and what that depends on', async () => {
    for (const [id, dependsOn] of Object.entries({ a: [], b: ['a'], other: ['b'], free: [] })) await create({ id, dependsOn })
    const { body } = await remove(['a', 'b', 'free', 'in-file', 'nobody'])
    expect([body.deleted, body.definedInFile]).toEqual([['free'], 1])
    const reasons = Object.fromEntries(
      body.failed.map(({ id, faults: [{ message }] }: { id: string; faults: [{ message: string }] }) => [id, message]),
    )
    expect(reasons).toEqual({
      a: expect.stringContaining('check b'),
      b: expect.stringContaining('check other'),
      nobody: expect.stringContaining('no such check'),
    })
    expect((await checkOf('a')).id).toBe('a')
  })

  test('requires the scope write, and ids', async () => {
    const refused = await app.call({ method: 'POST', url: '/v1/checks/delete', headers: credentials, payload: { ids: ['a'] } })
    expect(refused.body.code).toBe('MISSING_SCOPE')
    for (const body of [{}, { ids: [] }, { ids: 'a' }])
      expect((await send('POST', '/v1/checks/delete', body)).body.code).toBe('INVALID_PARAMETER')
  })
})

describe('a deleted check', () => {
  test('is listed for an hour, with its name and who deleted it', async () => {
    await create({ id: 'a', name: 'Shop' })
    await create({ id: 'b', name: 'Checkout' })
    await send('DELETE', '/v1/checks/a')
    now += 60_000
    await send('DELETE', '/v1/checks/b')
    const { body, headers } = await app.get('/v1/deleted-checks?limit=1')
    expect(body).toEqual([
      {
        id: 'b',
        name: 'Checkout',
        checkType: checkType.type,
        deletedAt: '2026-11-14T12:01:00.000Z',
        restorableUntil: '2026-11-14T13:01:00.000Z',
        by: { id: writeKey.slice(0, 12), name: writeKey.slice(0, 12) },
      },
    ])
    expect(headers['content-range']).toBe('0-0/2')
    now = Date.UTC(2026, 10, 14, 13)
    expect((await app.get('/v1/deleted-checks')).body).toHaveLength(2)
    now += 1
    expect((await app.get('/v1/deleted-checks')).body.map(({ id }: { id: string }) => id)).toEqual(['b'])
    now += hourMs
    expect((await app.get('/v1/deleted-checks')).body).toEqual([])
  })

  test('shows no secret in the audit log', async () => {
    const request = { ...(exampleCheck(secretType).request as object), headers: { 'x-api-key': 'very-secret-one' } }
    const secret = { ...exampleCheck(secretType), id: 'a', name: 'Shop', request }
    expect((await send('POST', `/v1/checks/${wirePath(secretType)}`, { definition: secret })).status).toBe(201)
    await send('DELETE', '/v1/checks/a')
    const { text } = await app.get('/v1/audit')
    expect(text).toContain('/request')
    expect(text).not.toContain('very-secret')
    expect((await send('POST', '/v1/checks/a/restore', {})).status).toBe(200)
    expect((await app.get('/v1/audit')).text).not.toContain('very-secret')
  })
})

describe('the origin of a check', () => {
  const home = async (id: string) => {
    const { managedVersion, place } = (await app.get(`/v1/checks/${id}/definition`)).body
    return { managedVersion, place }
  }

  test('is shown, with the line of the config file', async () => {
    await create({ id: 'a' })
    expect(await home('a')).toEqual({ managedVersion: 1, place: null })
    expect(await home('in-file')).toEqual({ managedVersion: null, place: 'tidemark.yaml:12' })
    await send('POST', `${path}?adopt=true`, { definition: sameAsFile })
    expect(await home('in-file')).toEqual({ managedVersion: 1, place: 'tidemark.yaml:12' })
  })
})

describe('checks that are stored but not run', () => {
  test('are listed with their faults until they are fixed or deleted', async () => {
    await create({ id: 'a', name: 'Shop', tags: [`$\{OPEN}`] })
    await create({ id: 'b', tags: [`$\{OPEN}`] })
    await create({ id: 'c' })
    expect((await app.get('/v1/faulty-checks')).body).toEqual([])
    await revoke(2)
    const { body, headers } = await app.get('/v1/faulty-checks')
    expect(body.map(({ id }: { id: string }) => id)).toEqual(['a', 'b'])
    expect([body[0], headers['content-range']]).toEqual([
      {
        id: 'a',
        name: 'Shop',
        checkType: checkType.type,
        activated: true,
        faults: expect.arrayContaining([{ pointer: '/tags/0', message: expect.stringContaining('managedVariables') }]),
      },
      '0-1/2',
    ])
    await send('PUT', '/v1/checks/a', { definition: definition() })
    await send('DELETE', '/v1/checks/b')
    expect((await app.get('/v1/faulty-checks')).body).toEqual([])
    expect((await app.get('/v1/deleted-checks')).body).toMatchObject([{ id: 'b', name: 'Shop' }])
  })
})

describe('the audit log', () => {
  const told = async (query: string) => {
    const { entries, pagination } = (await app.get(`/v1/audit?${query}`)).body
    return { ids: entries.map(({ id, action }: { id: string; action: string }) => `${action} ${id}`), next: pagination.next }
  }

  test('can be filtered by check, action and key', async () => {
    for (const id of ['a', 'b']) await create({ id })
    await patch({ ids: ['a', 'b'], muted: true })
    await send('DELETE', '/v1/checks/b')
    expect((await told('checkId=a')).ids).toEqual(['update a', 'create a'])
    expect((await told('action=create')).ids).toEqual(['create b', 'create a'])
    expect((await told('checkId=b&action=delete')).ids).toEqual(['delete b'])
    expect((await told(`keyId=${writeKey.slice(0, 12)}`)).ids).toHaveLength(5)
    expect((await told('keyId=other')).ids).toEqual([])
    expect((await app.get('/v1/audit?action=burn')).body.code).toBe('INVALID_PARAMETER')
    expect((await app.get('/v1/audit?checkId=no id')).body.code).toBe('INVALID_ID')
    expect((await app.get('/v1/audit?checkId=a')).body.entries[0].name).toBe('Shop')
  })

  test('is paged, whatever the filter', async () => {
    for (const id of ['a', 'b', 'c']) await create({ id })
    for (const muted of [true, false]) await patch({ ids: ['a', 'b', 'c'], muted })
    const first = await told('action=create&limit=2')
    expect(first.ids).toEqual(['create c', 'create b'])
    expect(await told(`action=create&limit=2&cursor=${first.next}`)).toEqual({ ids: ['create a'], next: null })
    expect((await told('action=create&limit=3')).next).toBeNull()
  })

  test('scans a thousand writes per page, and continues from there', async () => {
    await create({ id: 'a' })
    const { documents } = app.store
    const ref = { kind: 'check', account, id: 'b' }
    const author = { keyId: 'other', keyName: 'other' }
    for (let version = 0; version < 1000; version++)
      await documents.write([{ ...ref, expected: version, action: 'update', changes: '[]', body: null }], author)
    const first = await told('action=create')
    expect(first.ids).toEqual([])
    expect((await told(`action=create&cursor=${first.next}`)).ids).toEqual(['create a'])
  })
})

describe('checks that depend on each other', () => {
  test('cannot form a cycle: of two concurrent writes that would, one is rejected', async () => {
    for (const id of ['a', 'b']) await create({ id })
    const answers = await Promise.all([
      send('PUT', '/v1/checks/a', { definition: definition({ dependsOn: ['b'] }) }),
      send('PUT', '/v1/checks/b', { definition: definition({ dependsOn: ['a'] }) }),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
    expect(answers.find(({ status }) => status === 400)?.body.faults).toEqual([
      { pointer: '/definition/dependsOn/0', message: expect.stringContaining('cycle') },
    ])
  })

  test('cannot be deleted concurrently with the write of a dependent: one of the two is rejected', async () => {
    for (const id of ['a', 'b']) await create({ id })
    const [changed, deleted] = await Promise.all([
      send('PUT', '/v1/checks/a', { definition: definition({ dependsOn: ['b'] }) }),
      send('DELETE', '/v1/checks/b'),
    ])
    expect([
      [200, 409],
      [400, 204],
    ]).toContainEqual([changed.status, deleted.status])
  })
})

async function revoke(faulty: number): Promise<void> {
  managedVariables = []
  for (const listener of fileListeners) listener()
  await expect.poll(async () => (await app.get('/v1/faulty-checks')).body.length).toBe(faulty)
}
