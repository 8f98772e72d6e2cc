import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createVault } from '../../src/catalogue/managed/vault.ts'
import { wirePath } from '../../src/catalogue/wire/index.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { manageChecks, type TestApp } from '../support/app.ts'
import { writeCredentials as write } from '../support/catalogue.ts'
import { clientRequests } from '../support/client-requests.ts'
import { exampleCheck } from '../support/example-config.ts'
import { accountOpening, variablesApps } from '../support/variables-app.ts'

const [withVariables, without] = [true, undefined].map((has) => checkTypes.find(({ wire }) => wire?.hasVariables === has))
if (!withVariables?.groupRequest || !without) throw new Error('there are too few check types')
const checkPath = `/v1/checks/${wirePath(withVariables)}`
const { field } = withVariables.groupRequest
const secret = 'hunter2-hunter2'
const acme = accountOpening('OPEN')
const env = { OPEN: 'open.example' }
const { catalogue, openApp } = variablesApps(acme, env)

let app: TestApp
beforeEach(async () => {
  app = await openApp()
})
afterEach(() => app.close())

const send = (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: object) =>
  app.call({ method, url, headers: write, ...(body && { payload: body }) })
const read = (url: string) => app.get(url, write)

type Sent = { readonly key?: string; readonly value?: string; readonly locked?: boolean; readonly secret?: boolean }
const variable = (key: string, value: string, more: Sent = {}) => ({ key, value, locked: false, secret: false, ...more })
const body = (request: object, environmentVariables: readonly Sent[], more: object = {}) => ({
  name: 'Cart',
  locations: ['eu-west-1'],
  request,
  environmentVariables,
  ...more,
})
async function add(request: object, variables: readonly Sent[], more: object = {}) {
  const added = await send('POST', checkPath, body(request, variables, more))
  expect(added.status, added.text).toBe(201)
  return added.body
}
const settingsOf = (id: string) => app.check(id).settings

describe('variables of a check', () => {
  test('are read back as they were sent, and used in its URL, headers, body and assertions', async () => {
    const variables = [variable('HOST', 'shop.example'), variable('WORD', `a {{b}} $\{c}`), variable('EMPTY', '')]
    const request = {
      url: 'https://{{HOST}}/a{{EMPTY}}',
      method: 'POST',
      headers: [{ key: 'X-Word', value: '{{WORD}}' }],
      body: '{{HOST}}',
      bodyType: 'RAW',
      assertions: [{ source: 'TEXT_BODY', comparison: 'CONTAINS', target: '{{HOST}}' }],
    }
    const added = await add(request, variables)
    expect(added.environmentVariables).toEqual(variables)
    expect(added.request).toMatchObject({ url: request.url, body: request.body, headers: [{ value: '{{WORD}}' }] })
    expect(settingsOf(added.id)).toMatchObject({
      request: {
        url: 'https://shop.example/a',
        headers: { 'X-Word': `a {{b}} $\{c}` },
        body: 'shop.example',
        assertions: [{ target: 'shop.example' }],
      },
    })
    const again = await send('PUT', `${checkPath}/${added.id}`, { ...added, definition: undefined })
    expect([again.status, again.headers.etag]).toEqual([200, '"v1"'])
  })

  test('are listed in the order in which they were last sent, like those of a group', async () => {
    const [a, b, c] = [variable('A', 'x'), variable('B', 'x', { locked: true }), variable('C', 'y')]
    const namesOf = (answer: { readonly body: { readonly environmentVariables: readonly { readonly key: string }[] } }) =>
      answer.body.environmentVariables.map(({ key }) => key)
    const request = { url: 'https://shop.example/' }
    const { id } = await add(request, [a, b, c])
    expect(namesOf(await send('PUT', `${checkPath}/${id}`, body(request, [c, a, b])))).toEqual(['C', 'A', 'B'])
    const group = (await send('POST', '/v1/check-groups', { name: 'Shop', environmentVariables: [a, b, c] })).body
    const replaced = await send('PUT', `/v1/check-groups/${group.id}`, { name: 'Shop', environmentVariables: [c, a, b] })
    expect(namesOf(replaced)).toEqual(['C', 'A', 'B'])
  })

  test('take precedence over those of its group, and these over those of the account; variables of the config file come first', async () => {
    await send('POST', '/v1/variables', { key: 'A', value: 'account' })
    await send('POST', '/v1/variables', { key: 'B', value: 'account' })
    await send('POST', '/v1/variables', { key: 'C', value: 'account' })
    const ofGroup = [variable('A', 'group'), variable('B', 'group')]
    const { id: groupId } = (await send('POST', '/v1/check-groups', { name: 'Shop', environmentVariables: ofGroup })).body
    const request = { url: 'https://{{OPEN}}/{{A}}/{{B}}/{{C}}' }
    const { id } = await add(request, [variable('A', 'check'), variable('OPEN', 'evil.example')], { groupId })
    expect(settingsOf(id)).toEqual({ request: { url: 'https://open.example/check/group/account' } })
    await send('PUT', '/v1/variables/A', { value: 'later' })
    expect(settingsOf(id)).toEqual({ request: { url: 'https://open.example/check/group/account' } })
  })

  test.each(checkTypes.map((checkType) => [wirePath(checkType)]))('may be an empty list: %s', async (path) => {
    const { create } = clientRequests(path)
    const { body: answer } = await send('POST', `/v1/checks/${path}?dryRun=true`, { ...create, environmentVariables: [] })
    const faults = (answer.faults ?? []).map(({ pointer }: { pointer: string }) => pointer)
    expect(faults).not.toContain('/environmentVariables')
  })

  test('count towards the size limit for substituted values', async () => {
    const request = { url: 'https://shop.example/', method: 'POST', bodyType: 'RAW', body: '{{LONG}}'.repeat(3) }
    const { status, body: error } = await send('POST', checkPath, body(request, [variable('LONG', 'x'.repeat(30_000))]))
    expect([status, error.faults]).toEqual([400, [{ pointer: '/request/body', message: expect.stringContaining('65536 characters') }]])
  })

  test.each([
    ['an invalid name', [variable('a-b', '')], '/environmentVariables'],
    ['a name that can load code', [variable('NODE_OPTIONS', '')], '/environmentVariables'],
    ['the reserved name of the group URL', [variable('GROUP_BASE_URL', '')], '/environmentVariables'],
    ['no name', [{ value: 'x' }], '/environmentVariables/0/key'],
    ['a duplicate name', [variable('A', 'x'), variable('A', 'y')], '/environmentVariables'],
    ['an unknown field', [{ ...variable('A', 'x'), scope: 'x' }], '/environmentVariables/0/scope'],
    ['a hidden one without its value', [variable('A', `$\{A}`, { locked: true })], '/environmentVariables'],
  ])('with %s are rejected, with a pointer to the fault', async (_, variables, pointer) => {
    const { body: answer } = await send('POST', `${checkPath}?dryRun=true`, body({ url: 'https://shop.example/' }, variables))
    expect(answer).toMatchObject({ valid: false, faults: [{ pointer }] })
  })

  test.each([
    ['a list', [], '/definition/variables'],
    ['a value that is not text', { environment: { A: 7 } }, '/definition/variables/environment/A'],
    ['an unknown field', { others: {} }, '/definition/variables/others'],
    ['an invalid name', { environment: { 'a/b': '' } }, '/definition/variables/environment/a~1b'],
  ])('in a definition are rejected for %s, with a pointer to the fault', async (_, variables, pointer) => {
    const definition = { ...exampleCheck(withVariables), variables }
    expect((await send('POST', checkPath, { definition })).body.faults).toMatchObject([{ pointer }])
    const tried = await send('POST', '/v1/checks/try?form=file&run=false', definition)
    expect([tried.status, tried.body.faults]).toMatchObject([400, [{ pointer: pointer.replace('/definition', '') }]])
  })

  test('are rejected for types that do not support them', async () => {
    const definition = { ...exampleCheck(without), variables: { environment: { A: 'x' } } }
    const { status, body: error } = await send('POST', `/v1/checks/${wirePath(without)}`, { definition })
    expect([status, error.faults]).toMatchObject([400, [{ pointer: '/definition/variables' }]])
  })
})

describe('hidden variables of a check', () => {
  const hidden = [variable('PIN', 'hush-hush-1', { locked: true }), variable('DEEP', secret, { secret: true })]
  const request = { url: 'https://shop.example/a', queryParameters: ['PIN', 'DEEP'].map((key) => ({ key, value: `{{${key}}}` })) }
  const used = { request: { query: { PIN: 'hush-hush-1', DEEP: secret } } }
  const shown = [
    { key: 'PIN', value: `$\{PIN}`, locked: true, secret: false },
    { key: 'DEEP', value: `$\{DEEP}`, locked: false, secret: true },
  ]

  test('are shown nowhere, are redacted in results, and encrypted if they are secret', async () => {
    const { id, environmentVariables } = await add(request, hidden)
    expect(environmentVariables).toEqual(shown)
    expect(app.check(id)).toMatchObject({ settings: used, secrets: expect.arrayContaining([secret, 'hush-hush-1']) })
    const answers = ['', '/definition', '/versions'].map((part) => `/v1/checks/${id}${part}`)
    for (const url of [...answers, '/v1/checks', '/v1/check-definitions', '/v1/audit'])
      expect([url, /hunter2|hush-hush/.test((await read(url)).text)]).toEqual([url, false])
    const stored = JSON.stringify(app.store.documents.heads())
    expect([stored.includes(secret), stored.includes('hush-hush-1')]).toEqual([false, true])
  })

  test('are kept if they are sent back as placeholders or unchanged', async () => {
    const { id, ...answer } = await add(request, hidden)
    const put = (change: object) => send('PUT', `${checkPath}/${id}`, { ...answer, ...change })
    for (const change of [{}, { definition: undefined }, { definition: undefined, environmentVariables: hidden }])
      expect((await put(change)).headers.etag).toBe('"v1"')
    expect((await put({ name: 'Renamed', definition: undefined })).status).toBe(200)
    expect((await send('PUT', `/v1/checks/${id}`, { definition: { ...answer.definition, name: 'Again' } })).status).toBe(200)
    expect((await send('PATCH', `/v1/checks/${id}`, { muted: true })).status).toBe(200)
    expect(settingsOf(id)).toMatchObject(used)
    expect((await send('POST', `/v1/checks/${id}/restore`, { version: 1 })).status).toBe(200)
    expect(app.check(id)).toMatchObject({ name: 'Cart', settings: used })
    const renewed = [hidden[0], variable('DEEP', 'another-secret', { secret: true })]
    expect((await put({ definition: undefined, environmentVariables: renewed })).body.environmentVariables).toEqual(shown)
    expect(settingsOf(id)).toMatchObject({ request: { query: { DEEP: 'another-secret' } } })
  })

  test('are shown only after they have been sent again', async () => {
    const { id, ...answer } = await add(request, hidden)
    const put = (environmentVariables: readonly Sent[]) =>
      send('PUT', `${checkPath}/${id}`, { ...answer, environmentVariables, definition: undefined })
    const [pin, deep] = shown as [Sent, Sent]
    for (const opened of [
      [{ ...pin, locked: false }, deep],
      [pin, { ...deep, secret: false }],
      [pin, { ...deep, secret: false, locked: true }],
    ]) {
      const { status, body: error, text } = await put(opened)
      expect([status, error.faults]).toEqual([400, [{ pointer: '/environmentVariables', message: expect.stringContaining('was hidden') }]])
      expect(text).not.toMatch(/hunter2|hush-hush/)
    }
    expect((await put([{ ...pin, secret: true }, deep])).status).toBe(200)
    expect(settingsOf(id)).toMatchObject(used)
    const open = hidden.map((one) => ({ ...one, locked: false, secret: false }))
    expect((await put(open)).body.environmentVariables).toEqual(open)
  })

  test('cannot be used in public settings of a check', async () => {
    const { status, body: error } = await send('POST', checkPath, body(request, hidden, { tags: [`$\{PIN}`] }))
    expect([status, error.faults[0].message]).toEqual([400, expect.stringContaining('tags is shown to everyone')])
  })

  test('require a key of the server if they are secret, also in a trial', async () => {
    const keyless = await openApp(null)
    const post = (url: string, payload: object) => keyless.call({ method: 'POST', url, headers: write, payload })
    const fault = (pointer: string) => [{ pointer, message: expect.stringMatching(/TIDEMARK_SECRET_KEY.*openssl/) }]
    const definition = { ...exampleCheck(withVariables), variables: { environment: { DEEP: secret }, secret: ['DEEP'] } }
    expect((await post(checkPath, body(request, hidden))).body.faults).toEqual(fault('/environmentVariables'))
    expect((await post(`${checkPath}?dryRun=true`, body(request, hidden))).body).toMatchObject({ valid: false })
    expect((await post(checkPath, { definition })).body.faults).toEqual(fault('/definition/variables/environment/DEEP'))
    const tried = await post('/v1/checks/try?run=false', { ...body(request, hidden), checkType: withVariables.type })
    expect(tried.body.faults).toEqual(fault('/environmentVariables'))
    await keyless.close()
  })

  test('cannot be decrypted with another key: the check is faulty with a clear message that shows no value', async () => {
    const { id } = await add(request, hidden)
    const later = createVault(Buffer.alloc(32, 8))
    const { managed } = await manageChecks({ ofFile: catalogue(), store: app.store, now: () => 0, env, vault: later })
    expect(managed.whyFaulty(acme, id)).toEqual([
      { pointer: '/request/query/DEEP', message: expect.stringContaining('cannot be decrypted') },
    ])
    const faulty = JSON.stringify(managed.faultyDefinition(acme, id))
    expect([faulty.includes('DEEP'), /hunter2|hush-hush|v1:/.test(faulty)]).toEqual([true, false])
    await managed.close()
  })

  test('can be used in a trial as they are stored', async () => {
    const { id, definition } = await add(request, hidden)
    const tried = await send('POST', `/v1/checks/try?form=file&run=false&checkId=${id}`, definition)
    expect([tried.status, tried.body.definition.variables]).toEqual([200, definition.variables])
    expect(tried.text).not.toMatch(/hunter2|hush-hush/)
  })
})

describe('hidden variables of a check have to be sent again', () => {
  const token = variable('TOKEN', secret, { secret: true })
  const kept = { ...token, value: `$\{TOKEN}` }
  const headers = [{ key: 'X-Word', value: '{{TOKEN}}' }]
  const refused = async (sent: ReturnType<typeof send>, text: string) => {
    const { status, text: answer } = await sent
    expect([status, answer]).toEqual([400, expect.stringContaining(text)])
  }

  test('when its URL changes', async () => {
    const { id } = await add({ url: 'https://shop.example/', headers }, [token])
    const put = (url: string, given: Sent) => send('PUT', `${checkPath}/${id}`, body({ url, headers }, [given]))
    const { status, body: error } = await put('https://evil.example/', kept)
    expect([status, error.faults]).toEqual([400, [{ pointer: '/environmentVariables', message: expect.stringContaining('send it again') }]])
    expect((await put('https://shop.example/b', kept)).status).toBe(200)
    expect(settingsOf(id)).toMatchObject({ request: { headers: { 'X-Word': secret } } })
    expect((await put('https://other.example/', token)).status).toBe(200)
    await refused(
      send('POST', `/v1/checks/try?run=false&checkId=${id}`, {
        ...body({ url: 'https://evil.example/', headers }, [kept]),
        checkType: withVariables.type,
      }),
      'send it again',
    )
  })

  test.each([
    ['its url', 'https://{{HOST}}/'],
    ['the url of its group', '{{GROUP_BASE_URL}}/'],
  ])('when another of its variables is in %s and changes', async (_, url) => {
    const { id: groupId } = (await send('POST', '/v1/check-groups', { name: 'Shop', [field]: { url: 'https://{{HOST}}' } })).body
    const { id } = await add({ url, headers }, [variable('HOST', 'shop.example'), token], { groupId })
    const moved = (given: Sent) => body({ url, headers }, [variable('HOST', 'evil.example'), given], { groupId })
    await refused(send('PUT', `${checkPath}/${id}`, moved(kept)), 'send them again')
    await refused(
      send('PUT', `${checkPath}/${id}`, body({ url, headers }, [variable('HOST', 'evil.example', { locked: true }), kept], { groupId })),
      'send them again',
    )
    await refused(
      send('POST', `/v1/checks/try?run=false&checkId=${id}`, { ...moved(kept), checkType: withVariables.type }),
      'send them again',
    )
    const { definition } = (await read(`/v1/checks/${id}`)).body
    const entry = { ...definition, variables: { ...definition.variables, environment: { HOST: 'evil.example', TOKEN: `$\{TOKEN}` } } }
    await refused(send('POST', `/v1/checks/try?form=file&run=false&checkId=${id}`, entry), 'send them again')
    await refused(send('PUT', `/v1/checks/${id}`, { definition: entry }), 'send them again')
    expect(settingsOf(id)).toMatchObject({ request: { url: 'https://shop.example/' } })
    const rotated = body({ url, headers }, [variable('HOST', 'shop.example'), kept, variable('MORE', 'x')], { groupId })
    expect((await send('PUT', `${checkPath}/${id}`, rotated)).status).toBe(200)
    expect((await send('PUT', `${checkPath}/${id}`, moved(token))).status).toBe(200)
    expect(settingsOf(id)).toMatchObject({ request: { url: 'https://evil.example/', headers: { 'X-Word': secret } } })
  })

  test('when a variable of the account or the URL of its group changes', async () => {
    await send('POST', '/v1/variables', { key: 'HOST', value: 'shop.example' })
    const group = (url: string) => ({ name: 'Shop', [field]: { url } })
    const { id: groupId } = (await send('POST', '/v1/check-groups', group('https://shop.example'))).body
    await add({ url: 'https://{{HOST}}/', headers }, [token])
    await add({ url: '{{GROUP_BASE_URL}}/', headers }, [token], { groupId })
    await refused(send('PUT', '/v1/variables/HOST', { value: 'evil.example' }), 'send them again')
    await refused(send('PUT', `/v1/check-groups/${groupId}`, group('https://evil.example')), 'send them again')
  })

  test('when an earlier version is restored', async () => {
    await send('POST', '/v1/variables', { key: 'HOST', value: 'shop.example' })
    const { id } = await add({ url: 'https://{{HOST}}/', headers }, [token])
    expect((await send('PUT', `${checkPath}/${id}`, body({ url: 'https://{{HOST}}/' }, []))).status).toBe(200)
    expect((await send('PUT', '/v1/variables/HOST', { value: 'evil.example' })).status).toBe(200)
    await refused(send('POST', `/v1/checks/${id}/restore`, { version: 1 }), 'send them again')
  })

  test('when it moves to another group', async () => {
    const groups = ['https://shop.example', 'https://evil.example'].map((url) =>
      send('POST', '/v1/check-groups', { name: 'Shop', [field]: { url } }),
    )
    const [from, to] = (await Promise.all(groups)).map((answer) => answer.body.id)
    const sent = { url: '{{GROUP_BASE_URL}}/', headers }
    const { id } = await add(sent, [token], { groupId: from })
    await refused(send('PUT', `${checkPath}/${id}`, body(sent, [kept], { groupId: to })), 'send it again')
  })
})
