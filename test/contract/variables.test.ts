import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createVault } from '../../src/catalogue/managed/vault.ts'
import { wirePath } from '../../src/catalogue/wire/index.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { manageChecks, openTestApp, type TestApp } from '../support/app.ts'
import { account, writeCredentials as write } from '../support/catalogue.ts'
import { exampleCheck } from '../support/example-config.ts'
import { accountOpening, variablesApps, vault } from '../support/variables-app.ts'

const requestType = checkTypes.find(({ groupRequest }) => groupRequest)
if (!requestType) throw new Error('there is no such check type')
const groupField = requestType.groupRequest?.field ?? ''
const checkPath = `/v1/checks/${wirePath(requestType)}`
const secret = 'hunter2-hunter2'
const acme = accountOpening('OPEN', 'UNSET')
const env = { OPEN: 'open.example', SHUT: 'hush' }
const { catalogue, openApp } = variablesApps(acme, env)

let app: TestApp
beforeEach(async () => {
  app = await openApp()
})
afterEach(() => app.close())

const send = (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: object) =>
  app.call({ method, url, headers: write, ...(body && { payload: body }) })
const read = (url: string) => app.get(url, write)
const add = async (key: string, value: string, more: object = {}) => {
  const added = await send('POST', '/v1/variables', { key, value, ...more })
  expect(added.status, added.text).toBe(201)
  return added
}
const addCheck = (request: object, more: object = {}) =>
  send('POST', checkPath, { definition: { ...exampleCheck(requestType), name: 'Cart', id: 'cart', request, ...more } })

describe('the original API format', () => {
  test('a variable can be created, read, updated and deleted', async () => {
    const { body, headers } = await add('HOST', 'shop.example', { locked: false, secret: false })
    expect(body).toMatchObject({ key: 'HOST', value: 'shop.example', locked: false, secret: false })
    expect(headers.etag).toBe('"v1"')
    expect((await read('/v1/variables')).body).toEqual([body])
    expect((await send('PUT', '/v1/variables/HOST', { value: 'other.example', locked: false, secret: false })).status).toBe(200)
    expect((await read('/v1/variables/HOST')).body).toMatchObject({ value: 'other.example' })
    expect((await send('DELETE', '/v1/variables/HOST')).status).toBe(204)
    expect((await read('/v1/variables/HOST')).body).toMatchObject({ code: 'RESOURCE_NOT_FOUND' })
    expect((await add('HOST', '')).headers.etag).toBe('"v4"')
  })

  test('a duplicate key is rejected, and so is a change of the key', async () => {
    await add('HOST', 'a')
    expect((await send('POST', '/v1/variables', { key: 'HOST', value: 'b' })).body).toMatchObject({ code: 'RESOURCE_EXISTS' })
    expect((await send('PUT', '/v1/variables/HOST', { key: 'OTHER', value: 'b' })).status).toBe(400)
    expect((await send('PUT', '/v1/variables/NONE', { value: 'b' })).status).toBe(404)
  })

  test.each([
    ['an invalid name', { key: 'a-b', value: '' }, '/key'],
    ['a name that can load code', { key: 'NODE_OPTIONS', value: '' }, '/key'],
    ['a name that the config file allows', { key: 'OPEN', value: 'evil.example' }, '/key'],
    ['the reserved name of the group URL', { key: 'GROUP_BASE_URL', value: '' }, '/key'],
    ['no value', { key: 'A' }, '/value'],
    ['a value that is not text', { key: 'A', value: 7 }, '/value'],
    ['a value that is too long', { key: 'A', value: 'x'.repeat(32_769) }, '/value'],
    ['an unknown field', { key: 'A', value: '', scope: 'x' }, '/scope'],
  ])('%s is rejected', async (_, body, pointer) => {
    const { status, body: error } = await send('POST', '/v1/variables', body)
    expect([status, error.faults[0].pointer]).toEqual([400, pointer])
  })
})

describe('checks', () => {
  test('use variables of the account, and follow their changes', async () => {
    await add('HOST', 'shop.example')
    expect((await addCheck({ url: `https://$\{HOST}/` })).status).toBe(201)
    expect(app.check('cart').settings).toEqual({ request: { url: 'https://shop.example/' } })
    await send('PUT', '/v1/variables/HOST', { value: 'other.example' })
    expect(app.check('cart').settings).toEqual({ request: { url: 'https://other.example/' } })
  })

  test('of clients that write braces use them, too', async () => {
    await add('HOST', 'shop.example')
    const { status, body } = await send('POST', checkPath, { name: 'Cart', request: { url: 'https://{{HOST}}/' } })
    expect([status, body.request.url]).toEqual([201, 'https://{{HOST}}/'])
    expect(app.check(body.id).settings).toMatchObject({ request: { url: 'https://shop.example/' } })
  })

  test('get only those environment variables of the server that the account allows, whatever is added', async () => {
    expect((await addCheck({ url: `https://$\{SHUT}.example/` })).status).toBe(400)
    await add('SHUT', 'mine')
    expect((await addCheck({ url: `https://$\{SHUT}.example/` })).status).toBe(201)
    expect(app.check('cart').settings).toEqual({ request: { url: 'https://mine.example/' } })
    expect((await addCheck({ url: `https://$\{OPEN}/` }, { id: 'open' })).status).toBe(201)
    expect(app.check('open').settings).toEqual({ request: { url: 'https://open.example/' } })
  })

  test('prevent the deletion and invalid changes of a variable that they use', async () => {
    await add('HOST', 'shop.example')
    await addCheck({ url: `https://$\{HOST}/` })
    const { status, body } = await send('DELETE', '/v1/variables/HOST')
    expect([status, body.code]).toEqual([409, 'RESOURCE_IN_USE'])
    expect(body.message).toContain('cart')
    const faulty = await send('PUT', '/v1/variables/HOST', { value: 'no host' })
    expect([faulty.status, faulty.body.faults[0].message]).toEqual([400, expect.stringContaining('check cart')])
    expect(app.check('cart').settings).toEqual({ request: { url: 'https://shop.example/' } })
  })

  test('can use a long variable only as often as their size limit allows, also if their group uses it', async () => {
    await add('LONG', 'x'.repeat(32_768))
    const body = `$\{LONG}`
    expect((await addCheck({ url: 'https://shop.example/', body: body.repeat(2) })).status).toBe(201)
    const refused = await addCheck({ url: 'https://shop.example/', body: body.repeat(6000) }, { id: 'large' })
    expect([refused.status, refused.body.faults]).toEqual([
      400,
      [{ pointer: '/definition/request/body', message: expect.stringContaining('65536 characters') }],
    ])
    const url = `https://shop.example/${'x'.repeat(60_000)}`
    const { body: group } = await send('POST', '/v1/check-groups', { definition: { name: 'Shop', request: { url } } })
    const often = { url: 'https://shop.example/', body: `$\{GROUP_BASE_URL}`.repeat(3000) }
    const inGroup = await addCheck(often, { id: 'large', groupId: group.id })
    expect([inGroup.status, inGroup.body.faults[0].message]).toEqual([400, expect.stringContaining('too long')])
  })

  test('with hidden values are not sent elsewhere by a variable, also where a default was used before', async () => {
    await add('HOST', 'shop.example')
    const headers = { Authorization: `Bearer ${secret}` }
    expect((await addCheck({ url: `https://$\{HOST}/`, headers })).status).toBe(201)
    expect((await addCheck({ url: `https://$\{LATER:-shop.example}/`, headers }, { id: 'later' })).status).toBe(201)
    expect((await send('PUT', '/v1/variables/HOST', { value: 'evil.example' })).status).toBe(400)
    expect((await send('POST', '/v1/variables', { key: 'LATER', value: 'evil.example' })).status).toBe(400)
    expect((await send('POST', '/v1/variables', { key: 'LATER', value: 'shop.example' })).status).toBe(201)
  })
})

describe('hidden values of a check', () => {
  const headers = { Authorization: `Bearer ${secret}` }
  const url = `https://$\{HOST}/`
  const restore = (version: number) => send('POST', '/v1/checks/cart/restore', { version })

  test.each([
    ['left out', () => send('PUT', '/v1/checks/cart', { definition: { ...exampleCheck(requestType), name: 'Cart', request: { url } } })],
    ['deleted', () => send('DELETE', '/v1/checks/cart')],
  ])('that were %s are not restored for another address', async (_, leaveOut) => {
    await add('HOST', 'shop.example')
    await addCheck({ url, headers })
    expect((await leaveOut()).status).toBeLessThan(300)
    expect((await send('PUT', '/v1/variables/HOST', { value: 'evil.example' })).status).toBe(200)
    const refused = await restore(1)
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('send them again')])
    expect((await send('PUT', '/v1/variables/HOST', { value: 'shop.example' })).status).toBe(200)
    expect((await restore(1)).status).toBe(200)
    expect(app.check('cart').settings).toEqual({ request: { url: 'https://shop.example/', headers } })
  })

  test('are not restored for another URL of its group', async () => {
    const group = (address: string) => ({ definition: { name: 'Shop', request: { url: address } } })
    const { id } = (await send('POST', '/v1/check-groups', group('https://shop.example'))).body
    await addCheck({ url: `$\{GROUP_BASE_URL}/`, headers }, { groupId: id })
    await send('DELETE', '/v1/checks/cart')
    expect((await send('PUT', `/v1/check-groups/${id}`, group('https://evil.example'))).status).toBe(200)
    expect((await restore(1)).status).toBe(400)
  })

  test('are not sent after another process changed a variable concurrently, until they are sent again', async () => {
    await add('HOST', 'shop.example')
    await addCheck({ url, headers })
    const variable = { definition: { key: 'HOST', value: 'evil.example', locked: false, secret: false }, createdAt: 0 }
    const change = {
      kind: 'variable',
      account,
      id: 'HOST',
      expected: 1,
      action: 'update',
      changes: '[]',
      body: JSON.stringify(variable),
    } as const
    await app.store.documents.write([change], { keyId: 'k', keyName: 'k' })
    await expect.poll(async () => (await read('/v1/faulty-checks')).text).toContain('send them again')
    expect((await send('PATCH', '/v1/checks/cart', { muted: true })).status).toBe(400)
    expect((await send('PATCH', '/v1/checks/cart', { activated: false })).body.faults[0].message).toContain('send them again')
    expect((await restore(1)).status).toBe(400)
    const request = { url, headers }
    const shown = { ...exampleCheck(requestType), name: 'Cart', request: { url, headers: { Authorization: `$\{AUTHORIZATION}` } } }
    expect((await send('PUT', '/v1/checks/cart', { definition: shown })).status).toBe(400)
    expect((await send('PUT', '/v1/checks/cart', { definition: { ...shown, request } })).status).toBe(200)
    expect(app.check('cart').settings).toEqual({ request: { url: 'https://evil.example/', headers } })
  })
})

test('the audit log does not name a variable after a check whose id is the same as its key', async () => {
  await add('cart', 'x')
  await addCheck({ url: 'https://shop.example/' })
  const { entries } = (await read('/v1/audit')).body
  expect(entries.map(({ kind, name }: { kind: string; name: string | null }) => [kind, name])).toEqual([
    ['check', 'Cart'],
    ['variable', null],
  ])
})

describe('secret variables', () => {
  test('are encrypted and never shown', async () => {
    await add('PLAIN_NAME', secret, { secret: true })
    await addCheck({ url: 'https://shop.example/', query: { q: `$\{PLAIN_NAME}` } })
    expect(app.check('cart')).toMatchObject({ settings: { request: { query: { q: secret } } }, secrets: expect.arrayContaining([secret]) })
    const answers = [
      '/v1/variables',
      '/v1/variables/PLAIN_NAME',
      '/v1/audit',
      '/v1/checks/cart',
      '/v1/checks/cart/definition',
      '/v1/checks/cart/versions',
    ]
    for (const url of answers) expect([url, (await read(url)).text.includes(secret)]).toEqual([url, false])
    expect((await read('/v1/variables/PLAIN_NAME')).body).toMatchObject({ value: null, secret: true })
    expect(JSON.stringify(app.store.documents.heads())).not.toContain(secret)
  })

  test('cannot be used in public settings of a check', async () => {
    await add('WORD', secret, { secret: true })
    const { status, body } = await addCheck({ url: 'https://shop.example/' }, { tags: [`$\{WORD}`] })
    expect([status, body.faults[0].message]).toEqual([400, expect.stringContaining('tags is shown to everyone')])
  })

  test.each([
    ['a regular expression', { source: 'textBody', comparison: 'matches', target: `$\{WORD}(` }],
    ['a JSONPath', { source: 'jsonBody', property: `$[$\{WORD}`, comparison: 'equals', target: '1' }],
  ])('are not shown in a fault of %s', async (_, assertion) => {
    await add('WORD', secret, { secret: true })
    const { status, text } = await addCheck({ url: 'https://shop.example/', assertions: [assertion] })
    expect([status, text.includes('/request/assertions/0'), text.includes(secret)]).toEqual([400, true, false])
  })

  test('keep their value if none is sent, and are not revealed by a later write', async () => {
    await add('WORD', secret, { secret: true })
    await addCheck({ url: 'https://shop.example/', query: { q: `$\{WORD}` } })
    expect((await send('PUT', '/v1/variables/WORD', { locked: true, secret: true })).status).toBe(200)
    expect(app.check('cart').settings).toMatchObject({ request: { query: { q: secret } } })
    for (const more of [{ secret: false }, { secret: false, locked: true }])
      expect((await send('PUT', '/v1/variables/WORD', more)).body.faults[0].pointer).toBe('/value')
    expect((await send('PUT', '/v1/variables/WORD?dryRun=true', { value: secret, secret: true, locked: true })).body).toMatchObject({
      action: 'none',
    })
  })

  test('are hidden when they are locked, too', async () => {
    await add('WORD', secret, { locked: true })
    expect((await read('/v1/variables')).text).not.toContain(secret)
    expect((await read('/v1/audit')).text).not.toContain(secret)
    expect((await send('PUT', '/v1/variables/WORD', { locked: false })).status).toBe(400)
  })

  test('are rejected without a key of the server, with a message that says how to create one', async () => {
    const keyless = await openApp(null)
    const answer = await keyless.call({
      method: 'POST',
      url: '/v1/variables',
      headers: write,
      payload: { key: 'A', value: secret, secret: true },
    })
    expect([answer.status, answer.body.faults[0].message]).toEqual([400, expect.stringMatching(/TIDEMARK_SECRET_KEY.*openssl/)])
    expect((await keyless.call({ method: 'POST', url: '/v1/variables', headers: write, payload: { key: 'A', value: 'x' } })).status).toBe(
      201,
    )
    await keyless.close()
  })

  test.each([
    ['another key', createVault(Buffer.alloc(32, 8))],
    ['no key', null],
  ])('cannot be decrypted with %s: their checks are faulty with a clear message, and others run', async (_, later) => {
    await add('WORD', secret, { secret: true })
    await addCheck({ url: 'https://shop.example/', query: { q: `$\{WORD}` } })
    await addCheck({ url: 'https://shop.example/' }, { id: 'other' })
    const { catalogue: started, managed } = await manageChecks({ ofFile: catalogue(), store: app.store, now: () => 0, env, vault: later })
    expect(started.checks(account).map(({ id }) => id)).toEqual(['other'])
    expect(managed.whyFaulty(acme, 'cart')).toEqual([
      { pointer: '/request/query/q', message: expect.stringContaining('cannot be decrypted') },
    ])
    await managed.close()
  })
})

describe('the total length of values that groups and variables substitute into checks', () => {
  beforeEach(async () => {
    await app.close()
    app = await openTestApp({ managed: true, now: 0, env, vault, catalogue: catalogue(), managedLimit: { count: 100, characters: 20_000 } })
  })
  const request = (text: string) => ({ url: 'http://shop.example/', method: 'GET', headers: { a: text } })
  const addNamed = (id: string, more: object) => addCheck(request(`\${LONG}`), { id, ...more })
  const tooLong = { code: 'INVALID_DEFINITION', message: expect.stringContaining('more than 40000 characters as they run') }

  test('is limited when checks are added, also concurrently', async () => {
    await add('LONG', 'x'.repeat(9000))
    const added = await Promise.all(Array.from({ length: 10 }, (_, index) => addNamed(`cart-${index}`, {})))
    expect(added.map(({ status }) => status).toSorted()).toEqual([...Array(4).fill(201), ...Array(6).fill(400)])
    expect(added.find(({ status }) => status === 400)?.body).toMatchObject(tooLong)
    const [one] = (await read('/v1/checks')).body
    expect((await send('DELETE', `/v1/checks/${one.id}`)).status).toBe(204)
    expect((await addNamed('after', {})).status).toBe(201)
    expect((await addNamed('beyond', {})).status).toBe(400)
    const tried = await send('POST', `${checkPath}?dryRun=true`, {
      definition: { ...exampleCheck(requestType), id: 'beyond', request: request(`\${LONG}`) },
    })
    expect(tried.body).toMatchObject({ valid: false, faults: [{ message: tooLong.message }] })
  })

  test('is limited when a variable or a group changes, and shorter values are accepted', async () => {
    await add('LONG', 'x')
    const { id: groupId } = (await send('POST', '/v1/check-groups', { name: 'Shop' })).body
    for (let index = 0; index < 6; index++) expect((await addNamed(`cart-${index}`, { groupId })).status).toBe(201)
    expect((await send('PUT', '/v1/variables/LONG', { value: 'x'.repeat(9000) })).body).toMatchObject(tooLong)
    expect((await send('PUT', '/v1/variables/LONG', { value: 'x'.repeat(5000) })).status).toBe(200)
    const group = { name: 'Shop', [groupField]: { url: 'http://shop.example', headers: [{ key: 'b', value: 'y'.repeat(4000) }] } }
    expect((await send('PUT', `/v1/check-groups/${groupId}`, group)).body).toMatchObject(tooLong)
    expect((await send('PUT', '/v1/variables/LONG', { value: 'x' })).status).toBe(200)
    const changed = await send('PUT', `/v1/check-groups/${groupId}`, group)
    expect(changed.status, changed.text).toBe(200)
  })
})
