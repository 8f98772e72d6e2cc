import { EventEmitter, once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { wirePath } from '../../src/catalogue/wire/index.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { hourMs } from '../../src/time.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { credentials, writeCredentials as write, writeKey } from '../support/catalogue.ts'
import { exampleCheck, pingKey, pingToken } from '../support/example-config.ts'
import { inFileDefinition, managedFile } from '../support/managed-file.ts'

const runs = checkTypes.filter(({ pingSettings }) => !pingSettings)
const [first, second] = runs
const waiting = checkTypes.find(({ pingSettings }) => pingSettings)
if (!first || !second || !waiting) throw new Error('there are too few check types')
const path = `/v1/checks/${wirePath(first)}`
const withFiles = checkTypes.filter(({ files }) => files)
const scripted = checkTypes.find(({ codeSettings }) => codeSettings) ?? first
const secretType = runs.find((checkType) => checkType.secrets && checkType.settings.properties.request) ?? first

let app: TestApp
/** Settings of the config file. */
let managedVariables = ['OPEN']
let allowUploadedCode = true
const fileListeners = new Set<() => void>()
let now = Date.UTC(2026, 10, 14, 12)

const variables: Record<string, string> = {}
const openApp = (more: Partial<Parameters<typeof openTestApp>[0]> = {}) =>
  openTestApp({
    managed: true,
    now: () => now,
    env: variables,
    fileListeners,
    catalogue: managedFile(first, { managedVariables: () => managedVariables, allowUploadedCode: () => allowUploadedCode }),
    ...more,
  })

beforeEach(async () => {
  now = Date.UTC(2026, 10, 14, 12)
  managedVariables = ['OPEN']
  allowUploadedCode = true
  Object.assign(variables, { OPEN: 'example.org', SHUT: 'hush' })
  app = await openApp()
})
afterEach(() => app.close())

const definition = (more: object = {}, checkType = first): Record<string, unknown> => ({
  ...exampleCheck(checkType),
  name: 'Shop',
  tags: ['web'],
  ...more,
})
const sameAsFile = inFileDefinition(first)
const send = (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: object, headers: Record<string, string> = {}) =>
  app.call({ method, url, headers: { ...write, ...headers }, ...(body && { payload: body }) })
const create = (more: object = {}) => send('POST', path, { definition: definition(more) })

describe('adding a check', () => {
  test.each(checkTypes)('of type $type: it is available immediately, with its whole definition', async (checkType) => {
    const added = await send('POST', `/v1/checks/${wirePath(checkType)}`, { definition: definition({ id: 'new' }, checkType) })
    expect([added.status, added.text]).toEqual([201, expect.anything()])
    expect(added.headers.etag).toBe('"v1"')
    const read = await app.get('/v1/checks/new', write)
    expect(read.body).toEqual(added.body)
    expect(read.headers.etag).toBe('"v1"')
    expect((await app.get('/v1/checks')).body.map(({ id }: { id: string }) => id).toSorted()).toEqual(['in-file', 'new'])
  })

  test('is rejected for its length before anything else is validated', async () => {
    const misshapen = definition({ description: 'x'.repeat(65_536), colour: 'red' })
    const message = 'the definition must have at most 65536 characters as JSON'
    for (const more of [{}, { name: 'Shop' }]) {
      const { body } = await send('POST', path, { definition: misshapen, ...more })
      expect(body.faults).toContainEqual({ pointer: '/definition', message })
      expect(body.faults).not.toContainEqual(expect.objectContaining({ pointer: '/definition/colour' }))
    }
  })

  test.each(checkTypes)('of type $type: a response can be sent back, in the format of other clients', async (checkType) => {
    const address = `/v1/checks/${wirePath(checkType)}`
    const { body } = await send('POST', address, { definition: definition({ id: 'new' }, checkType) })
    const { id, definition: sent, effective, created_at, updated_at, createdAt, updatedAt, heartbeat, ...rest } = body
    expect([id, sent.id, effective.id, createdAt, updatedAt]).toEqual(['new', 'new', 'new', created_at, updated_at])
    const { pingToken, pingUrl, ...schedule } = heartbeat ?? {}
    const copy = await send('POST', address, { ...rest, name: 'Copy', ...(heartbeat && { heartbeat: schedule }) })
    expect([copy.status, copy.body.faults]).toEqual([201, undefined])
    expect(copy.body).toMatchObject({ ...rest, name: 'Copy' })
    if (checkType.pingSettings) expect(copy.body.heartbeat.pingUrl).toContain(`/ping/${copy.body.heartbeat.pingToken}`)
    const same = await send('PUT', `${address}/new`, body)
    expect([same.status, same.headers.etag]).toEqual([200, '"v1"'])
    const renamed = await send('PUT', `${address}/new`, { ...body, name: 'Renamed' })
    expect([renamed.status, renamed.body.name, renamed.headers.etag]).toEqual([200, 'Renamed', '"v2"'])
  })

  test('the ping URL is shown only to keys that may write', async () => {
    await send('POST', `/v1/checks/${wirePath(waiting)}`, { definition: definition({ id: 'new' }, waiting) })
    expect((await app.get('/v1/checks/new')).text).not.toContain(pingToken)
    expect((await app.get('/v1/checks/new', write)).text).toContain(pingToken)
  })

  test('code is rejected unless the config file allows it', async () => {
    allowUploadedCode = false
    const { url: _, script: __, ...rest } = definition({ inlineScript: 'await page.goto("http://127.0.0.1")' }, scripted)
    const refused = await send('POST', `/v1/checks/${wirePath(scripted)}`, { definition: rest })
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('allowUploadedCode')])
  })

  test.each(withFiles)('of type $type: files next to the config file count as code, and so do variables', async (checkType) => {
    allowUploadedCode = false
    const address = `/v1/checks/${wirePath(checkType)}`
    const refused = await send('POST', address, { definition: definition({ environment: { SHOP: 'x' } }, checkType) })
    const places = refused.body.faults.map(({ pointer }: { pointer: string }) => pointer)
    expect([refused.status, places]).toEqual([400, [expect.stringMatching(/script|directory/), '/definition/environment']])
  })

  test.each(['NODE_OPTIONS', 'node_options', 'LD_PRELOAD', 'PATH', 'Http_Proxy', 'NO_PROXY', 'PWDEBUG', 'PATH=/tmp', ''])(
    'a script variable named %j is rejected, whatever the config file allows',
    async (name) => {
      const refused = await send('POST', `/v1/checks/${wirePath(scripted)}`, {
        definition: definition({ environment: { [name]: 'x', SHOP: 'y' } }, scripted),
      })
      expect([refused.status, refused.body.faults]).toEqual([
        400,
        [{ pointer: `/definition/environment/${name.replace('/', '~1')}`, message: expect.any(String) }],
      ])
    },
  )

  test('its id and its type are used verbatim, without variables', async () => {
    await create({ id: 'shop' })
    const id = await create({ id: `$\{X:-shop}` })
    expect([id.status, id.body.faults[0].pointer]).toEqual([400, '/definition/id'])
    const type = await create({ id: 'other', type: `$\{X:-${second.type}}` })
    expect([type.status, type.body.faults[0].pointer]).toEqual([400, '/definition/type'])
    expect((await app.get('/v1/checks')).body).toHaveLength(2)
  })

  test('without an id, it gets a generated one', async () => {
    const { body } = await create()
    expect(body.id).toMatch(/^[0-9a-f-]{36}$/)
    expect((await app.get(`/v1/checks/${body.id}`)).status).toBe(200)
  })

  test('an invalid definition changes nothing, and its faults have pointers', async () => {
    const { status, body } = await create({ id: 'new', frequency: '1s' })
    expect([status, body.code]).toEqual([400, 'INVALID_DEFINITION'])
    expect(body.faults).toEqual([{ pointer: expect.stringMatching(/frequency/i), message: expect.stringContaining('at least 10s') }])
    expect((await app.get('/v1/checks/new')).status).toBe(404)
    expect((await app.get('/v1/audit')).body.entries).toEqual([])
  })

  test('an id of the config file is rejected with its file and line, and adopted only on request', async () => {
    const refused = await create({ id: 'in-file' })
    expect([refused.status, refused.body.code]).toEqual([409, 'DEFINED_IN_FILE'])
    expect(refused.body.message).toContain('tidemark.yaml:12')
    const other = await send('POST', `${path}?adopt=true`, { definition: { ...sameAsFile, name: 'Mine now' } })
    expect([other.status, other.body.code, other.body.message]).toEqual([
      409,
      'DEFINED_IN_FILE',
      expect.stringContaining('with another definition'),
    ])
    const adopted = await send('POST', `${path}?adopt=true`, { definition: sameAsFile })
    expect([adopted.status, adopted.body.name, adopted.body.created_at]).toEqual([201, sameAsFile.name, '2026-01-01T00:00:00.000Z'])
    expect((await app.get('/v1/checks')).body).toHaveLength(1)
    for (const answer of [
      await send('PUT', '/v1/checks/in-file', { definition: { ...sameAsFile, name: 'Mine now' } }),
      await send('PATCH', '/v1/checks/in-file', { activated: false }),
    ])
      expect([answer.status, answer.body.code]).toEqual([409, 'DEFINED_IN_FILE'])
    expect((await send('PUT', '/v1/checks/in-file', { definition: sameAsFile })).headers.etag).toBe('"v1"')
    expect((await send('DELETE', '/v1/checks/in-file')).status).toBe(204)
    expect((await app.get('/v1/checks/in-file')).status).toBe(200)
  })

  test('an id that is already managed is rejected', async () => {
    await create({ id: 'new' })
    const again = await create({ id: 'new' })
    expect([again.status, again.body.code]).toEqual([409, 'CHECK_EXISTS'])
  })

  test('of many concurrent requests with one id, only one succeeds', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => create({ id: 'new' })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...new Array(9).fill(409)])
  })

  test('a job that is muted and renamed during a run keeps its run time', async () => {
    await send('POST', `/v1/checks/${wirePath(waiting)}`, { definition: definition({ id: 'job' }, waiting) })
    await app.get(`/ping/${pingToken}/start`)
    now += 700
    expect((await send('PATCH', '/v1/checks/job', { muted: true })).status).toBe(200)
    expect((await send('PUT', '/v1/checks/job', { definition: definition({ id: 'job', name: 'Renamed' }, waiting) })).status).toBe(200)
    now += 800
    expect((await app.get(`/ping/${pingToken}`)).text).toBe('OK')
    expect((await app.get('/v1/check-results/job/export')).text).toContain('"duration":1500')
  })

  test('it can be pinged by its id with the key of its account, until it is deleted', async () => {
    await send('POST', `/v1/checks/${wirePath(waiting)}`, { definition: definition({ id: 'nightly' }, waiting) })
    expect((await app.get(`/ping/${pingKey}/nightly`)).text).toBe('OK')
    expect((await app.get('/v1/check-results/nightly/export')).text).toContain('RECEIVED')
    await send('DELETE', '/v1/checks/nightly')
    expect((await app.get(`/ping/${pingKey}/nightly`)).body).toMatchObject({ code: 'PING_SLUG_NOT_FOUND' })
  })

  test('its token must not be the ping key of an account', async () => {
    const { heartbeat } = definition({}, waiting) as { heartbeat: object }
    const body = { definition: definition({ id: 'nightly', heartbeat: { ...heartbeat, token: pingKey } }, waiting) }
    expect((await send('POST', `/v1/checks/${wirePath(waiting)}`, body)).body.message).toContain('ping key of an account')
  })

  test('two checks never share a ping token', async () => {
    const given = (id: string) => send('POST', `/v1/checks/${wirePath(waiting)}`, { definition: definition({ id }, waiting) })
    const answers = await Promise.all([given('a'), given('b')])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400])
    expect((await given('c')).body.message).toContain('ping token')
  })

  test('it can use only the variables that the account allows, and no files', async () => {
    const tagged = (tag: string) => create({ tags: [tag] })
    expect((await tagged(`$\{OPEN}`)).status).toBe(201)
    expect((await tagged(`$\{SHUT}`)).body.message).toContain('managedVariables')
    expect((await tagged(`$\{file:secret.txt}`)).body.message).toContain('only in the config file')
  })

  test('it may depend on existing checks, without a cycle', async () => {
    await create({ id: 'a', dependsOn: ['in-file'] })
    await create({ id: 'b', dependsOn: ['a'] })
    expect((await create({ dependsOn: ['nobody'] })).body.faults).toEqual([
      { pointer: '/definition/dependsOn/0', message: expect.stringContaining('nobody') },
    ])
    const cycle = await send('PUT', '/v1/checks/a', { definition: definition({ dependsOn: ['in-file', 'b'] }) })
    expect(cycle.body.faults?.[0]?.message).toContain('cycle')
    const used = await send('DELETE', '/v1/checks/a')
    expect([used.status, used.body.code, used.body.message]).toEqual([409, 'CHECK_IN_USE', expect.stringContaining('check b')])
  })

  test('requires the scope write', async () => {
    const refused = await app.call({ method: 'POST', url: path, headers: credentials, payload: { definition: definition() } })
    expect([refused.status, refused.body.code]).toEqual([403, 'MISSING_SCOPE'])
  })
})

describe('a dry run', () => {
  test('reports faults and changes, and changes nothing', async () => {
    const faulty = await send('POST', `${path}?dryRun=true`, { definition: definition({ frequency: '1s' }) })
    expect([faulty.status, faulty.body.valid, faulty.body.faults.length]).toEqual([200, false, 1])
    const added = await send('POST', `${path}?dryRun=true`, { definition: definition({ id: 'new' }) })
    expect(added.body).toMatchObject({ valid: true, action: 'create' })
    expect((await app.get('/v1/checks/new')).status).toBe(404)
    await create({ id: 'new' })
    const changed = await send('PUT', '/v1/checks/new?dryRun=true', { definition: definition({ name: 'Other' }) })
    expect(changed.body).toEqual({
      valid: true,
      faults: [],
      action: 'update',
      changes: [{ pointer: '/name', before: 'Shop', after: 'Other' }],
    })
    const same = await send('PUT', '/v1/checks/new?dryRun=true', { definition: definition() })
    expect(same.body).toMatchObject({ action: 'none', changes: [] })
    expect((await app.get('/v1/checks/new')).headers.etag).toBe('"v1"')
  })
})

describe('changing a check', () => {
  test('works at both paths; an update without changes creates no version', async () => {
    await create({ id: 'new' })
    const changed = await send('PUT', '/v1/checks/new', { definition: definition({ name: 'Second' }) })
    expect([changed.status, changed.body.name, changed.headers.etag]).toEqual([200, 'Second', '"v2"'])
    const again = await send('PUT', `${path}/new`, { definition: definition({ name: 'Second' }) })
    expect([again.status, again.headers.etag]).toEqual([200, '"v2"'])
  })

  test('with the same ETag from two writers gives one of them 412', async () => {
    await create({ id: 'new' })
    const answers = await Promise.all(
      ['A', 'B'].map((name) => send('PUT', '/v1/checks/new', { definition: definition({ name }) }, { 'if-match': '"v1"' })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412])
    const late = await send('DELETE', '/v1/checks/new', undefined, { 'if-match': '"v1"' })
    expect([late.status, late.body.code]).toEqual([412, 'VERSION_CONFLICT'])
  })

  test('without an ETag, each update is written', async () => {
    await create({ id: 'new' })
    const answers = await Promise.all(['A', 'B', 'C'].map((name) => send('PUT', '/v1/checks/new', { definition: definition({ name }) })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await app.get('/v1/checks/new')).headers.etag).toBe('"v4"')
  })

  test('is rejected for one of the config file', async () => {
    for (const answer of [
      await send('PUT', '/v1/checks/in-file', { definition: definition() }),
      await send('PATCH', '/v1/checks/in-file', { muted: true }),
      await send('DELETE', '/v1/checks/in-file'),
    ])
      expect([answer.status, answer.body.code]).toEqual([409, 'DEFINED_IN_FILE'])
  })

  test('cannot change its type', async () => {
    await create({ id: 'new' })
    const other = await send('PUT', `/v1/checks/${wirePath(second)}/new`, { definition: definition() })
    expect([other.status, other.body.code]).toEqual([400, 'INVALID_DEFINITION'])
  })

  test('can pause or mute one, or all with a tag', async () => {
    await create({ id: 'a' })
    await create({ id: 'b', tags: ['other'] })
    const paused = await send('PATCH', '/v1/checks/a', { activated: false })
    expect([paused.status, paused.body.activated, paused.body.muted]).toEqual([200, false, false])
    expect((await send('PATCH', '/v1/checks?tag=web,other', { muted: true })).body).toEqual({
      changed: 2,
      unchanged: 0,
      definedInFile: 1,
      failed: [],
    })
    expect((await send('PATCH', '/v1/checks?tag=web', { muted: true })).body).toEqual({
      changed: 0,
      unchanged: 1,
      definedInFile: 1,
      failed: [],
    })
    expect((await app.get('/v1/checks/b')).body.muted).toBe(true)
    for (const body of [{}, { name: 'x' }]) expect((await send('PATCH', '/v1/checks/a', body)).status).toBe(400)
    expect((await send('PATCH', '/v1/checks', { muted: true })).body.code).toBe('MISSING_PARAMETER')
  })

  test('by tag skips those that have become invalid, and names them', async () => {
    await create({ id: 'a' })
    await create({ id: 'b', tags: ['web', `$\{OPEN}`] })
    await create({ id: 'c' })
    delete variables.OPEN
    const { status, body } = await send('PATCH', '/v1/checks?tag=web', { muted: true })
    expect([status, body]).toEqual([
      200,
      {
        changed: 2,
        unchanged: 0,
        definedInFile: 1,
        failed: [{ id: 'b', faults: expect.arrayContaining([{ pointer: '/tags/1', message: expect.stringContaining('OPEN') }]) }],
      },
    ])
  })

  test('by tag is limited to one request at a time', async () => {
    for (const id of ['a', 'b']) await create({ id })
    const { documents } = app.store
    const write = documents.write
    const steps = new EventEmitter()
    const begun = once(steps, 'begun')
    const released = once(steps, 'released')
    Object.assign(documents, {
      write: async (...args: Parameters<typeof write>) => {
        steps.emit('begun')
        await released
        return write(...args)
      },
    })
    const earlier = send('PATCH', '/v1/checks?tag=web', { muted: true })
    await begun
    const refused = await send('PATCH', '/v1/checks?tag=web', { muted: false })
    expect([refused.status, refused.body.code]).toEqual([429, 'BULK_CHANGE_UNDER_WAY'])
    steps.emit('released')
    expect((await earlier).body.changed).toBe(2)
    expect((await send('PATCH', '/v1/checks?tag=web', { muted: true })).status).toBe(200)
  })

  test('without one of the two places of a secret does not reveal it', async () => {
    const request = { ...(exampleCheck(secretType).request as object), method: 'POST', body: 'token=very-secret-one' }
    const both = { ...definition({ id: 'new' }, secretType), request: { ...request, headers: { 'x-api-key': 'very-secret-one' } } }
    await send('POST', `/v1/checks/${wirePath(secretType)}`, { definition: both })
    const shown = (await app.get('/v1/checks/new')).body.definition
    expect(JSON.stringify(shown)).not.toContain('very-secret')
    const { headers: _, ...without } = shown.request
    const refused = await send('PUT', '/v1/checks/new', { definition: { ...shown, request: without } })
    expect(refused).toMatchObject({ status: 400, body: { faults: [{ pointer: expect.stringContaining('/body') }] } })
    expect((await send('PUT', '/v1/checks/new', { definition: shown })).status).toBe(200)
    expect((await app.get('/v1/checks/new')).text).not.toContain('very-secret')
  })

  test('with placeholders for secrets keeps those of the replaced version', async () => {
    const withSecret = (secret: string) => ({
      definition: {
        ...definition({ id: 'new' }, secretType),
        request: { ...(exampleCheck(secretType).request as object), headers: { 'x-api-key': secret } },
      },
    })
    const address = `/v1/checks/${wirePath(secretType)}`
    await send('POST', address, withSecret('very-secret-one'))
    const { body: shown } = await app.get('/v1/checks/new')
    const answers = await Promise.all([
      send('PUT', '/v1/checks/new', withSecret('very-secret-two')),
      send('PUT', '/v1/checks/new', { definition: { ...shown.definition, name: 'Renamed' } }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const { body } = await app.get('/v1/audit')
    const written = body.entries.map(({ changes }: { changes: { pointer: string }[] }) => changes.map(({ pointer }) => pointer))
    expect(written).toContainEqual(['/name'])
  })

  test('rejects more than 200 headers', async () => {
    const withHeaders = (count: number) => ({
      definition: {
        ...definition({ id: 'new' }, secretType),
        request: {
          ...(exampleCheck(secretType).request as object),
          headers: Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-secret-${index}`, `secret-of-${index}`])),
        },
      },
    })
    const address = `/v1/checks/${wirePath(secretType)}`
    const refused = await send('POST', address, withHeaders(201))
    expect(refused.body.faults).toEqual([{ pointer: '/definition/request/headers', message: expect.stringContaining('at most 200') }])
    expect((await send('POST', address, withHeaders(200))).status).toBe(201)
    expect((await app.get('/v1/checks/new')).text).not.toContain('secret-of')
  })

  test('rejects definitions that are nested too deeply', async () => {
    const nested = `${'['.repeat(60_000)}${']'.repeat(60_000)}`
    for (const payload of [`{"definition":{"type":"${first.type}","tags":${nested}}}`, `{"tags":${nested}}`]) {
      const headers = { ...write, 'content-type': 'application/json' }
      const { status, body } = await app.call({ method: 'POST', url: path, headers, payload })
      expect([status, body.faults?.[0]?.message]).toEqual([400, expect.stringContaining('64 levels')])
    }
  })

  test('rejects definitions that are too large', async () => {
    const large = await create({ tags: Array.from({ length: 9000 }, (_, index) => `tag-${index}`) })
    expect([large.status, large.body.code]).toEqual([400, 'INVALID_DEFINITION'])
    expect((await send('POST', path, { definition: definition({ name: 'x'.repeat(300_000) }) })).status).toBe(413)
  })
})

describe('deleting and restoring', () => {
  test('a deleted check is gone, and can be restored unchanged for an hour', async () => {
    const added = await create({ id: 'new' })
    expect((await send('DELETE', '/v1/checks/new')).status).toBe(204)
    expect((await app.get('/v1/checks/new')).status).toBe(404)
    expect((await send('DELETE', '/v1/checks/new')).status).toBe(404)
    const restored = await send('POST', '/v1/checks/new/restore', {})
    expect(restored.status).toBe(200)
    expect({ ...restored.body, updated_at: '', updatedAt: '' }).toEqual({ ...added.body, updated_at: '', updatedAt: '' })
    await send('DELETE', '/v1/checks/new')
    now += hourMs + 1
    const late = await send('POST', '/v1/checks/new/restore', {})
    expect([late.status, late.body.code]).toEqual([404, 'VERSION_NOT_FOUND'])
    expect((await create({ id: 'new' })).headers.etag).toBe('"v5"')
  })

  test('a version of an earlier check with the same id cannot be restored', async () => {
    await create({ id: 'new' })
    await send('DELETE', '/v1/checks/new')
    await send('POST', `/v1/checks/${wirePath(second)}`, { definition: definition({ id: 'new' }, second) })
    const otherType = await send('POST', '/v1/checks/new/restore', { version: 1 })
    expect([otherType.status, otherType.body.code]).toEqual([404, 'VERSION_NOT_FOUND'])
    await send('DELETE', '/v1/checks/new')
    now += 2 * hourMs
    await create({ id: 'new' })
    expect((await send('POST', '/v1/checks/new/restore', { version: 1 })).body.code).toBe('VERSION_NOT_FOUND')
    await send('DELETE', '/v1/checks/new')
    expect((await send('POST', '/v1/checks/new/restore', { version: 1 })).body.code).toBe('VERSION_NOT_FOUND')
    expect((await send('POST', '/v1/checks/new/restore', {})).status).toBe(200)
  })

  test('a dry run reports the faults that an old version has now', async () => {
    await create({ id: 'new', tags: [`$\{OPEN}`] })
    await send('DELETE', '/v1/checks/new')
    delete variables.OPEN
    const tried = await send('POST', '/v1/checks/new/restore?dryRun=true', {})
    expect([tried.status, tried.body]).toMatchObject([200, { valid: false, faults: [{ pointer: '/tags/0' }, {}], action: 'none' }])
    expect((await send('POST', '/v1/checks/new/restore', {})).body.code).toBe('INVALID_DEFINITION')
  })

  test('an earlier version is restored as a new one', async () => {
    await create({ id: 'new' })
    for (const name of ['Second', 'Third']) await send('PUT', '/v1/checks/new', { definition: definition({ name }) })
    const undone = await send('POST', '/v1/checks/new/restore', {})
    expect([undone.body.name, undone.headers.etag]).toEqual(['Second', '"v4"'])
    expect((await send('POST', '/v1/checks/new/restore', { version: 1 })).body.name).toBe('Shop')
    expect((await send('POST', '/v1/checks/new/restore', { version: 99 })).body.code).toBe('VERSION_NOT_FOUND')
    const { body } = await app.get('/v1/checks/new/versions?limit=3')
    expect(body.versions.map(({ version, action }: { version: number; action: string }) => `${version} ${action}`)).toEqual([
      '5 restore',
      '4 restore',
      '3 update',
    ])
    const rest = await app.get(`/v1/checks/new/versions?cursor=${body.pagination.next}`)
    expect(rest.body.versions.map(({ version }: { version: number }) => version)).toEqual([2, 1])
  })

  test('a check of the config file has no versions', async () => {
    expect((await app.get('/v1/checks/in-file/versions')).body).toEqual({ versions: [], pagination: { limit: 20, next: null } })
    expect((await app.get('/v1/checks/nobody/versions')).status).toBe(404)
  })
})

describe('a revoked permission', () => {
  const fileChanges = () => {
    for (const listener of fileListeners) listener()
  }
  const codeOf = async (id: string) => (await app.get(`/v1/checks/${id}`)).body.code

  test('to use a variable makes a check that uses it faulty, and the check can be paused, replaced and deleted', async () => {
    await create({ id: 'new', tags: [`$\{OPEN}`] })
    await create({ id: 'gone', tags: [`$\{OPEN}`] })
    managedVariables = []
    fileChanges()
    for (const id of ['new', 'gone']) await expect.poll(() => codeOf(id)).toBe('CHECK_FAULTY')
    const read = await app.get('/v1/checks/new')
    expect([read.status, read.body.faults[0]]).toEqual([409, { pointer: '/tags/0', message: expect.stringContaining('managedVariables') }])
    const { headers, body } = await app.get('/v1/checks/new/definition')
    expect([headers.etag, body.definition.tags, body.faults]).toEqual(['"v1"', [`$\{OPEN}`], read.body.faults])
    expect((await app.get('/v1/checks')).body.map(({ id }: { id: string }) => id)).toEqual(['in-file'])
    expect((await create({ id: 'new' })).body.code).toBe('CHECK_EXISTS')
    expect((await send('PATCH', '/v1/checks/new', { muted: true })).body.code).toBe('INVALID_DEFINITION')
    const paused = await send('PATCH', '/v1/checks/new', { activated: false })
    expect([paused.status, paused.headers.etag, paused.body]).toEqual([
      200,
      '"v2"',
      { id: 'new', activated: false, faults: read.body.faults },
    ])
    expect((await send('PATCH', '/v1/checks/new', { activated: false })).headers.etag).toBe('"v2"')
    const replaced = await send('PUT', '/v1/checks/new', { definition: definition() })
    expect([replaced.status, replaced.headers.etag]).toEqual([200, '"v3"'])
    expect((await app.get('/v1/checks/new')).status).toBe(200)
    expect((await send('POST', '/v1/checks/new/restore', { version: 1 })).body.code).toBe('INVALID_DEFINITION')
    expect((await send('DELETE', '/v1/checks/gone')).status).toBe(204)
  })

  test('to upload code makes a check with code faulty until it is granted again', async () => {
    await send('POST', `/v1/checks/${wirePath(scripted)}`, { definition: definition({ id: 'coded' }, scripted) })
    allowUploadedCode = false
    fileChanges()
    await expect.poll(() => codeOf('coded')).toBe('CHECK_FAULTY')
    allowUploadedCode = true
    fileChanges()
    await expect.poll(async () => (await app.get('/v1/checks/coded')).status).toBe(200)
  })

  test('does not prevent restoring an earlier version that is still allowed', async () => {
    await create({ id: 'new' })
    await send('PUT', '/v1/checks/new', { definition: definition({ tags: [`$\{OPEN}`] }) })
    managedVariables = []
    fileChanges()
    await expect.poll(() => codeOf('new')).toBe('CHECK_FAULTY')
    const restored = await send('POST', '/v1/checks/new/restore', {})
    expect([restored.status, restored.body.tags]).toEqual([200, ['web']])
  })
})

describe('the audit log', () => {
  test('shows who wrote what, newest first, in pages', async () => {
    await create({ id: 'new' })
    now += 1000
    await send('PATCH', '/v1/checks/new', { muted: true })
    await send('DELETE', '/v1/checks/new')
    const first = await app.get('/v1/audit?limit=2')
    expect(first.body.entries).toMatchObject([
      {
        kind: 'check',
        id: 'new',
        name: null,
        version: 3,
        action: 'delete',
        changes: expect.arrayContaining([{ pointer: '/name', before: 'Shop' }]),
      },
      { version: 2, action: 'update', at: '2026-11-14T12:00:01.000Z', changes: [{ pointer: '/muted', after: true }] },
    ])
    expect(first.body.entries[0].by).toEqual({ id: writeKey.slice(0, 12), name: writeKey.slice(0, 12) })
    const rest = await app.get(`/v1/audit?cursor=${first.body.pagination.next}`)
    expect(rest.body.entries).toMatchObject([{ version: 1, action: 'create' }])
    expect(rest.body.pagination.next).toBeNull()
    expect((await app.get('/v1/audit?cursor=abc')).body.code).toBe('INVALID_CURSOR')
  })

  test('shows that a secret was changed, but not the secret', async () => {
    const withSecret = (secret: string) => ({
      definition: {
        ...definition({ id: 'new' }, secretType),
        request: { ...(exampleCheck(secretType).request as object), headers: { 'x-api-key': secret } },
      },
    })
    const address = `/v1/checks/${wirePath(secretType)}`
    expect((await send('POST', address, withSecret('very-secret-one'))).status).toBe(201)
    expect((await send('PUT', `${address}/new`, withSecret('very-secret-two'))).status).toBe(200)
    const { text, body } = await app.get('/v1/audit')
    expect(text).not.toMatch(/very-secret/)
    expect(body.entries[0].changes.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/request/headers/x-api-key'])
    expect((await app.get('/v1/checks/new')).text).not.toMatch(/very-secret/)
  })
})

describe('the limit of an account', () => {
  const reopen = async (managedLimit: { count: number; characters: number }) => {
    await app.close()
    app = await openApp({ managedLimit })
  }

  test('on the number of checks holds for concurrent requests and for restoring', async () => {
    await reopen({ count: 2, characters: 100_000 })
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((id) => create({ id })))
    expect(answers.map(({ body }) => body.code ?? 201).toSorted()).toEqual([201, 201, 'TOO_MANY_CHECKS', 'TOO_MANY_CHECKS'])
    await send('DELETE', '/v1/checks/a')
    await create({ id: 'e' })
    for (const query of ['', '?dryRun=true'])
      expect((await send('POST', `/v1/checks/a/restore${query}`, {})).body.code).toBe('TOO_MANY_CHECKS')
    expect((await send('POST', `${path}?dryRun=true`, { definition: definition() })).body.code).toBe('TOO_MANY_CHECKS')
  })

  test('on the length of all definitions holds for creating and updating', async () => {
    await reopen({ count: 100, characters: 4000 })
    const long = (id: string) => create({ id, tags: ['x'.repeat(60)], description: 'x'.repeat(900) })
    const answers = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(long))
    expect(new Set(answers.map(({ body }) => body.code ?? 201))).toEqual(new Set([201, 'DEFINITIONS_TOO_LONG']))
    const kept = answers.find(({ status }) => status === 201)?.body.id
    const grown = await send('PUT', `/v1/checks/${kept}`, { definition: definition({ description: 'x'.repeat(3000) }) })
    expect([grown.status, grown.body.code]).toEqual([400, 'DEFINITIONS_TOO_LONG'])
    expect((await send('PUT', `/v1/checks/${kept}`, { definition: definition() })).status).toBe(200)
  })
})
