import { existsSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Check } from '../../src/catalogue/catalogue.ts'
import { wirePath } from '../../src/catalogue/wire/index.ts'
import type { CheckType } from '../../src/checks/define.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, writeCredentials as headers, service, testCatalogue, testCheck, testKey, writeKey } from '../support/catalogue.ts'
import { clientRequests } from '../support/client-requests.ts'
import { httpsServer } from '../support/servers.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { trialsOver } from '../support/trials.ts'

let site: Server
let url: string
let isHanging = false
let authorization: string | undefined
beforeAll(async () => {
  site = createServer((request, response) => {
    authorization = request.headers.authorization
    if (!isHanging) response.setHeader('content-type', 'application/json').end(JSON.stringify({ path: request.url }))
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
})
afterAll(() => {
  site.closeAllConnections()
  site.close()
})

let app: TestApp
afterEach(async () => {
  isHanging = false
  await app?.close()
})

async function open(more: Partial<typeof service> = {}, runs = true, checks: readonly Check[] = []): Promise<void> {
  const keys = [testKey(writeKey, account, ['read', 'write'])]
  const catalogue = testCatalogue({ keys, service: () => ({ ...service, ...more }), checks })
  app = await openTestApp({ catalogue, managed: true, now: Date.UTC(2026, 10, 14, 12), trials: runs ? trialsOver(catalogue) : null })
}

const send = (form: string, payload: string | object, type = 'application/json') =>
  app.call({ method: 'POST', url: `/v1/checks/try?form=${form}`, headers: { ...headers, 'content-type': type }, payload })

const website = checkTypes.find(({ fromAddress }) => fromAddress?.(new URL('http://127.0.0.1/')))
const request = (more: object = {}) => ({ url: `${url}/health`, ...more })
const bodyOf = (more: object = {}) => ({ checkType: website?.type, name: 'Shop', frequency: 1, request: request(), ...more })
const entryOf = (more: object = {}) => ({ name: 'Shop', type: website?.type, frequency: '1m', request: request(), ...more })

describe('a tried definition', () => {
  test('is run once, shown with its evidence and in the format of the config file, and not stored', async () => {
    await open()
    const assertions = [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '204', property: '' }]
    const { status, body } = await send(
      'api',
      bodyOf({ request: request({ assertions }), retryStrategy: { type: 'FIXED', maxRetries: 5 } }),
    )
    expect([status, body]).toEqual([200, expect.objectContaining({ hasFailures: true, attempts: 1, error: 'status 200, expected 204' })])
    expect(body.evidence.attempts).toMatchObject([
      {
        assertions: [{ expected: 'status equals 204', found: '200', passed: false }],
        response: { status: 200, body: '{"path":"/health"}' },
      },
    ])
    expect(body.responseTime).toEqual(expect.any(Number))
    expect(body).toMatchObject({ checkType: website?.type, createAt: '/v1/checks/url', definition: { name: 'Shop' } })
    expect(body.yaml).toContain('- name: Shop\n')
    expect((await app.get('/v1/checks', headers)).body).toEqual([])
  })

  test('may be an entry of the config file, in JSON or YAML, or just a URL', async () => {
    await open()
    const answers = [
      await send('file', entryOf()),
      await send('file', [entryOf()]),
      await send('api', { definition: entryOf() }),
      await send('api', { checkType: website?.type, definition: entryOf() }),
      await send(
        'file',
        `- name: Shop\n  type: ${website?.type}\n  frequency: 1m\n  request: { url: "${url}/health" }\n`,
        'application/yaml',
      ),
    ]
    for (const { status, body } of answers) expect([status, body.hasFailures, body.definition]).toEqual([200, false, entryOf()])
    const { body } = await send('address', { address: ` ${url} ` })
    expect(body).toMatchObject({ hasFailures: false, definition: { type: website?.type, request: { url: `${url}/` } } })
  })

  test('with faults is rejected with their pointers', async () => {
    await open()
    const faultsOf = async (form: string, payload: string | object, type?: string) =>
      (await send(form, payload, type)).body.faults?.map(({ pointer }: { pointer: string }) => pointer)
    expect(await faultsOf('api', { name: 'Shop' })).toEqual(['/checkType'])
    expect(await faultsOf('api', bodyOf({ setupSnippetId: 1 }))).toEqual(['/setupSnippetId'])
    expect(await faultsOf('api', bodyOf({ tags: ['$' + '{HOME}'] }))).toContain('/tags/0')
    expect(await faultsOf('api', { definition: entryOf({ timeout: '9h' }) })).toEqual(['/definition/timeout'])
    expect(await faultsOf('api', { definition: entryOf({ tags: ['$' + '{HOME}'] }) })).toContain('/definition/tags/0')
    expect(await faultsOf('file', entryOf({ timeout: '9h' }))).toEqual(['/timeout'])
    expect(await faultsOf('file', 'a: [', 'application/yaml')).toEqual([''])
    expect(await faultsOf('file', '[1, 2]')).toEqual([''])
    expect(await faultsOf('address', { address: 'gopher://old.example' })).toEqual(['/address'])
    expect(await faultsOf('api', { ...clientRequests('heartbeat').create, checkType: pinged?.type })).toEqual(['/checkType'])
  })

  test('can be shown without a run, also if it waits for pings or the server runs no checks', async () => {
    await open({}, false)
    const { status, body } = await app.call({
      method: 'POST',
      url: '/v1/checks/try?form=file&run=false',
      headers,
      payload: { name: 'Job', type: pinged?.type, heartbeat: { period: '1h', token: 'a-token-of-the-tests' } },
    })
    expect([status, body]).toEqual([
      200,
      {
        checkType: pinged?.type,
        createAt: '/v1/checks/heartbeat',
        definition: expect.objectContaining({ name: 'Job' }),
        yaml: expect.stringContaining('$' + '{TOKEN}'),
      },
    ])
  })

  test('inherits from its group', async () => {
    await open()
    const { body: group } = await app.call({ method: 'POST', url: '/v1/check-groups', headers, payload: { name: 'Shop', tags: ['shop'] } })
    const { status, body } = await send('file', entryOf({ groupId: group.id }))
    expect([status, body.hasFailures, body.definition]).toEqual([200, false, entryOf({ groupId: group.id })])
    const unknown = await send('file', entryOf({ groupId: group.id + 1 }))
    expect([unknown.status, unknown.body.faults]).toMatchObject([400, [{ pointer: '/groupId' }]])
  })

  test('with code runs only where the config file allows it', async () => {
    await open()
    const { status, body } = await send('api', clientRequests('multistep').create)
    expect([status, body.faults]).toEqual([400, [{ pointer: '/script', message: expect.stringContaining('allowUploadedCode') }]])
  })

  test('cannot run code with the variables of a browser, and no file as a script', async () => {
    await open()
    const marker = join(temporaryFolder(), 'ran')
    const code = `data:text/javascript,import{writeFileSync}from"node:fs";writeFileSync(${JSON.stringify(marker)},"")`
    const entry = (more: object) => ({ name: 'Shop', type: paged?.type, url: `${url}/`, ...more })
    for (const more of [
      { environment: { NODE_OPTIONS: `--import=${code}` } },
      { script: 'tidemark.env' },
      { environment: { SHOP: 'x' } },
    ]) {
      const { status, body } = await send('file', entry(more))
      expect([status, body.code]).toEqual([400, 'INVALID_DEFINITION'])
    }
    expect(existsSync(marker)).toBe(false)
  })

  test('cannot reach a denied address', async () => {
    await open({ addresses: { allow: [], deny: ['127.0.0.0/8'] } })
    const { body } = await send('api', bodyOf())
    expect([body.hasErrors, body.error]).toEqual([true, expect.stringContaining('127.0.0.1')])
  })
})

describe('a tried definition of a managed check', () => {
  const withHeaders = checkTypes.find(({ settings }) => JSON.stringify(settings).includes('"headers":{"type":"object"'))
  const change = (definition: object, id: string, more = '') =>
    app.call({ method: 'POST', url: `/v1/checks/try?form=file&checkId=${id}${more}`, headers, payload: definition })

  test('has its hidden values, as long as it calls the same address', async () => {
    await open()
    const secret = { headers: { authorization: 'Bearer hush' } }
    const added = await app.call({
      method: 'POST',
      url: `/v1/checks/${wirePath(withHeaders as CheckType)}`,
      headers,
      payload: { definition: entryOf({ type: withHeaders?.type, request: request(secret) }) },
    })
    const { body } = await app.get(`/v1/checks/${added.body.id}/definition`, headers)
    expect(JSON.stringify(body)).not.toContain('hush')
    const tried = await change({ ...body.definition, request: { ...body.definition.request, url: `${url}/other` } }, added.body.id)
    expect([tried.status, tried.body.hasFailures, authorization]).toEqual([200, false, 'Bearer hush'])
    expect(JSON.stringify(tried.body)).not.toContain('hush')
    const elsewhere = { ...body.definition, request: { ...body.definition.request, url: 'http://127.0.0.2/' } }
    const refused = await change(elsewhere, added.body.id)
    expect([refused.status, refused.body.faults]).toEqual([
      400,
      [{ pointer: '/request/headers/authorization', message: expect.stringContaining('stays with the address') }],
    ])
  })

  test('is sent with its hidden values only to agents that run it', async () => {
    const there = testCheck(website as CheckType, { locations: ['eu', 'us'], agentLocations: ['eu', 'us'] })
    await open({}, true, [there])
    const add = async (id: string, more: object) => {
      const definition = entryOf({ id, type: withHeaders?.type, locations: ['eu'], request: request(more) })
      const path = `/v1/checks/${wirePath(withHeaders as CheckType)}`
      expect((await app.call({ method: 'POST', url: path, headers, payload: { definition } })).status).toBe(201)
      return (await app.get(`/v1/checks/${id}/definition`, headers)).body.definition
    }
    const [secret, plain] = [await add('secret', { headers: { authorization: 'Bearer hush' } }), await add('plain', {})]
    const refused = await change(secret, 'secret', '&location=us')
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('the check does not run at us')])
    expect((await change(secret, 'secret', '&location=eu')).body.code).toBe('NO_AGENT')
    expect((await change(plain, 'plain', '&location=us')).body.code).toBe('NO_AGENT')
  })

  test('requires that the check exists', async () => {
    await open()
    expect((await change(entryOf(), 'nobody')).body.code).toBe('CHECK_NOT_FOUND')
    expect((await change(entryOf(), 'no id')).body.code).toBe('INVALID_ID')
  })
})

const paged = checkTypes.find(({ settings }) => settings.properties.url && settings.properties.script)
const pinged = checkTypes.find(({ pingSettings }) => pingSettings)

describe('trials', () => {
  test('have a concurrency limit, and further ones are rejected', async () => {
    await open()
    isHanging = true
    const answers = Array.from({ length: 11 }, () => send('file', entryOf({ timeout: '2s' })))
    const statuses = (await Promise.all(answers)).map(({ status, body: { code, error } }) => `${status} ${code ?? error}`)
    expect(statuses.filter((text) => text.includes('TOO_MANY_TRIALS'))).toHaveLength(1)
    expect(statuses.filter((text) => text.startsWith('200'))).toHaveLength(10)
  })

  test('have a rate limit per minute', async () => {
    await open()
    const statuses: number[] = []
    for (let i = 0; i < 31; i++) statuses.push((await send('file', entryOf())).status)
    expect(statuses).toEqual([...new Array(30).fill(200), 429])
  })

  test('are rejected if the server runs no checks', async () => {
    await open({}, false)
    expect((await send('api', bodyOf())).body.code).toBe('TRIALS_OFF')
  })
})

describe('assertions', () => {
  const json = checkTypes.find((one) => wirePath(one) === 'api')
  /** Each has an assertion that holds, and one of the same kind that fails. */
  const cases = {
    'days of the certificate': [
      { source: 'certificateDays', comparison: 'greaterThan', target: 7 },
      { source: 'certificateDays', comparison: 'greaterThan', target: 100_000 },
    ],
    'any of several': [
      { source: 'statusCode', comparison: 'oneOf', target: [201, '200-204'] },
      { source: 'statusCode', comparison: 'oneOf', target: [201, '300-399'] },
    ],
    'none of several': [
      { source: 'statusCode', comparison: 'notOneOf', target: ['500-599'] },
      { source: 'statusCode', comparison: 'notOneOf', target: ['200-299'] },
    ],
    'the length of an array': [
      { source: 'jsonBody', property: '$.items.length', comparison: 'equals', target: 3 },
      { source: 'jsonBody', property: '$.items.length', comparison: 'greaterThan', target: 3 },
    ],
    'a header by an expression': [
      { source: 'headers', property: 'server', comparison: 'matches', target: '^nginx/1\\.[0-9]+$' },
      { source: 'headers', property: 'server', comparison: 'matches', target: '^apache' },
    ],
  }
  const word = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()

  test.each(Object.entries(cases))(
    'about %s have the same outcome in the config file and over the API, and are stored as they were written',
    async (_, [holds, fails]) => {
      const port = await httpsServer((_request, response) =>
        response.writeHead(200, { 'content-type': 'application/json', server: 'nginx/1.27' }).end('{"items":[1,2,3]}'),
      )
      await open()
      for (const [assertion, isBroken] of [
        [holds, false],
        [fails, true],
      ] as const) {
        const target = { url: `https://127.0.0.1:${port}/` }
        const entry = {
          name: 'Shop',
          type: json?.type,
          frequency: '1m',
          frequencyWhenFailing: '20s',
          request: { ...target, skipTls: true, assertions: [assertion] },
        }
        const tried = await send('file', entry)
        expect([tried.status, tried.body.hasFailures, tried.body.error]).toEqual([200, isBroken, isBroken ? expect.any(String) : null])
        const {
          source,
          comparison,
          property = '',
          target: value,
        } = assertion as { source: string; comparison: string; property?: string; target: unknown }
        const wire = {
          source: word(source),
          comparison: word(comparison),
          property,
          target: Array.isArray(value) ? JSON.stringify(value) : String(value),
        }
        const body = {
          checkType: json?.type,
          name: 'Shop',
          frequency: 1,
          request: { ...target, method: 'GET', skipSSL: true, assertions: [wire] },
        }
        const overApi = await send('api', body)
        expect([overApi.status, overApi.body.hasFailures]).toEqual([200, isBroken])
        const [kept] = overApi.body.definition.request.assertions
        expect({ ...kept, target: String(kept.target) }).toEqual({ ...assertion, target: String(value) })
        const path = `/v1/checks/${wirePath(json as CheckType)}`
        const made = await app.call({ method: 'POST', url: path, headers, payload: { definition: entry } })
        expect(made.status).toBe(201)
        const shown = await app.get(`/v1/checks/${made.body.id}/definition`, headers)
        expect(shown.body.definition).toMatchObject({ frequencyWhenFailing: '20s', request: { assertions: [assertion] } })
        expect((await app.get(`/v1/checks/${made.body.id}`, headers)).body.request.assertions).toMatchObject([wire])
      }
    },
  )
})
