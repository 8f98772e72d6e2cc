import { describe, expect, test } from 'vitest'
import { asGo } from '../../../test/support/as-go.ts'
import { clientRequests } from '../../../test/support/client-requests.ts'
import type { CheckType } from '../../checks/define.ts'
import { checkTypes } from '../../checks/registry.ts'
import { buildCatalogue } from '../build.ts'
import type { Check } from '../catalogue.ts'
import { parseConfig } from '../config-file/parse.ts'
import { groupKind } from '../managed/check-group.ts'
import { parseManagedCheck } from '../managed/parse-managed.ts'
import { createResourceIndex } from '../managed/resources.ts'
import { shownDefinition } from '../written-definition.ts'
import { fromWire, toWire, wirePath } from './index.ts'

type Body = Readonly<Record<string, unknown>>

function typeAt(path: string): CheckType {
  const found = checkTypes.find((checkType) => wirePath(checkType) === path)
  if (!found) throw new Error(`there is no ${path}`)
  return found
}

function definitionFrom(path: string, body: unknown): Body {
  const read = fromWire(typeAt(path), body)
  if ('faults' in read) throw new Error(JSON.stringify(read.faults))
  return read.definition
}

function faultsOf(path: string, change: (body: Record<string, unknown>) => unknown): readonly (readonly [string, string])[] {
  const body = structuredClone(clientRequests(path).create) as Record<string, unknown>
  const read = fromWire(typeAt(path), change(body) ?? body)
  return 'faults' in read ? read.faults.map(({ pointer, message }) => [pointer, message] as const) : []
}

function checkFrom(definition: Body): Check {
  const parsed = parseConfig(JSON.stringify({ accounts: [{ id: 'acme', checks: [definition] }] }), {
    path: 'x',
    HOST: 'shop.example',
    TOKEN: 'hunter2-hunter2',
  })
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  const [check] = buildCatalogue(parsed.config, []).allChecks()
  if (!check) throw new Error('there is no check')
  return check
}

const pingUrl = (token: string) => `https://status.example/ping/${token}`
const answerOf = (check: Check) => JSON.parse(JSON.stringify(toWire(check, { pingUrl })))
const answerTo = (path: string, body: unknown) => answerOf(checkFrom(definitionFrom(path, body)))
const paths = checkTypes.map(wirePath)
const aToken = 'a-token-of-the-client-0123456789'

describe.each(paths)('bodies of the SDK for Go for %s', (path) => {
  const { create, update } = clientRequests(path)

  test.each([
    ['create', create],
    ['update', update],
  ])('to %s are accepted, and read back as sent', (_, body) => {
    const given = JSON.parse(JSON.stringify(body).replaceAll('{pingToken}', aToken))
    expect(asGo(answerTo(path, given))).toMatchObject(asGo(given) as object)
  })

  test('get a response that fits its structures', () => {
    const answer = answerTo(path, create)
    const whole = [
      'frequency',
      'frequencyOffset',
      'degradedResponseTime',
      'maxResponseTime',
      'groupId',
      'groupOrder',
      'degradedPacketLossThreshold',
    ]
    for (const name of whole) expect([name, answer[name] ?? 0]).toEqual([name, Math.round(answer[name] ?? 0)])
    for (const name of ['created_at', 'updated_at', 'createdAt', 'updatedAt']) expect(Date.parse(answer[name])).not.toBeNaN()
    expect(answer.id).toEqual(expect.any(String))
  })

  test('are rejected with the names of unsupported fields', () => {
    const refused = {
      setupSnippetId: 7,
      localTearDownScript: 'x',
      triggerIncident: { name: 'x' },
      doubleCheck: true,
    }
    const faults = faultsOf(path, (body) => ({ ...body, ...refused }))
    expect(faults.map(([pointer]) => pointer).sort()).toEqual(
      Object.keys(refused)
        .map((name) => `/${name}`)
        .sort(),
    )
    for (const [pointer, message] of faults) expect(message).toContain(pointer.slice(1))
  })
})

describe('pitfalls of the Terraform provider', () => {
  test.each(paths)('subscriptions and alert settings are read back as sent: %s', (path) => {
    const alertChannelSubscriptions = [
      { alertChannelId: 2 ** 40, activated: true },
      { alertChannelId: 7, activated: false },
    ]
    const alertSettings = {
      escalationType: 'TIME_BASED',
      runBasedEscalation: { failedRunThreshold: 3 },
      timeBasedEscalation: { minutesFailingThreshold: 10 },
      reminders: { amount: 100_000, interval: 30 },
      parallelRunFailureThreshold: { enabled: true, percentage: 50 },
    }
    const body = { ...clientRequests(path).create, alertChannelSubscriptions, alertSettings, useGlobalAlertSettings: false }
    expect(answerTo(path, body)).toMatchObject({ alertChannelSubscriptions, alertSettings, useGlobalAlertSettings: false })
  })

  test.each(paths)('every response has alertSettings, which it dereferences: %s', (path) => {
    const { create } = clientRequests(path)
    const { alertSettings: _, useGlobalAlertSettings: __, ...silent } = create
    for (const body of [create, silent]) expect(answerTo(path, body).alertSettings).toMatchObject({ escalationType: 'RUN_BASED' })
  })

  test('default alert settings, and whether they are global, are read back', () => {
    const alertSettings = {
      escalationType: 'RUN_BASED',
      runBasedEscalation: { failedRunThreshold: 1 },
      timeBasedEscalation: { minutesFailingThreshold: 30 },
      reminders: { amount: 0, interval: 15 },
      parallelRunFailureThreshold: { enabled: false, percentage: 50 },
    }
    for (const useGlobalAlertSettings of [true, false])
      expect(answerTo('url', { ...clientRequests('url').create, alertSettings, useGlobalAlertSettings })).toMatchObject({
        alertSettings,
        useGlobalAlertSettings,
      })
  })

  test.each(['api', 'url', 'tcp', 'dns'])('targets of assertions are strings: %s', (path) => {
    const { assertions } = answerTo(path, clientRequests(path).create).request
    expect(assertions.length).toBeGreaterThan(0)
    for (const { target, property } of assertions) expect([typeof target, typeof property]).toEqual(['string', 'string'])
  })

  test.each([10, 20, 30, 45])('a frequency of %i seconds is returned as frequency 0 with its offset', (frequencyOffset) => {
    const body = { ...clientRequests('url').create, frequency: 0, frequencyOffset }
    expect(answerTo('url', body)).toMatchObject({ frequency: 0, frequencyOffset, definition: { frequency: `${frequencyOffset}s` } })
  })

  test.each<readonly [more: object, pointer: string, words: string]>([
    [{ frequency: 0, frequencyOffset: 0 }, '/frequencyOffset', 'the seconds between runs'],
    [{ frequency: 0, frequencyOffset: -5 }, '/frequencyOffset', 'the seconds between runs'],
    [{ frequency: -1 }, '/frequency', 'must be minutes'],
    [{ frequency: 1.00001 }, '/frequency', 'must be minutes'],
    [{ frequency: 1e9 }, '/frequency', 'must be minutes'],
    [{ groupId: -1 }, '/groupId', 'the id of a check group'],
    [{ groupId: 1.5 }, '/groupId', 'the id of a check group'],
    ...(
      [
        ['runBasedEscalation', 'failedRunThreshold', [-1, 1.5, 1001], '1 to 1,000'],
        ['timeBasedEscalation', 'minutesFailingThreshold', [-1, 10_081], '1 to 10,080'],
        ['reminders', 'amount', [-1, 100_001], '0 to 100,000'],
        ['reminders', 'interval', [-1, 1441], '1 to 1,440'],
        ['parallelRunFailureThreshold', 'percentage', [-1, 101], '1 to 100'],
      ] as const
    ).flatMap(([part, name, values, range]) =>
      values.map((value) => [{ alertSettings: { [part]: { [name]: value } } }, `/alertSettings/${part}/${name}`, `from ${range}`] as const),
    ),
  ])('%j is refused at %s', (more, pointer, words) => {
    expect(faultsOf('url', (body) => ({ ...body, ...more }))).toEqual([[pointer, expect.stringContaining(words)]])
  })

  test('an offset is ignored with a frequency in minutes', () => {
    expect(answerTo('url', { ...clientRequests('url').create, frequency: 2, frequencyOffset: 17 })).toMatchObject({
      frequency: 2,
      definition: { frequency: '2m' },
    })
  })

  test('ids of groups and channels are integers or absent, that of a check is a string', () => {
    const answer = answerTo('url', clientRequests('url').create)
    expect([answer.groupId, answer.alertChannelSubscriptions, typeof answer.id]).toEqual([null, [], 'string'])
  })

  test('locations are any text', () => {
    const locations = ['eu-central-1', 'the cellar / left', 'Zürich']
    expect(answerTo('url', { ...clientRequests('url').create, locations }).locations).toEqual(locations)
  })

  test('tags are returned as sent, in any order', () => {
    expect(answerTo('url', { ...clientRequests('url').create, tags: ['b', 'a', 'c'] }).tags.sort()).toEqual(['a', 'b', 'c'])
  })

  test('the token of a heartbeat is generated once and kept', () => {
    const { create } = clientRequests('heartbeat')
    const check = checkFrom(definitionFrom('heartbeat', create))
    const answer = answerOf(check)
    expect(answer.heartbeat).toMatchObject({
      pingToken: expect.stringMatching(/^[\w-]{32}$/),
      pingUrl: pingUrl(answer.heartbeat.pingToken),
    })
    const again = fromWire(check.checkType, create, check)
    expect(again).toMatchObject({ definition: { heartbeat: { token: answer.heartbeat.pingToken } } })
    expect(JSON.stringify(toWire(check))).not.toContain(answer.heartbeat.pingToken)
  })
})

describe('a body', () => {
  test('with redacted secrets keeps them', () => {
    const body = structuredClone(clientRequests('api').create) as { request: Record<string, unknown> }
    body.request = {
      ...body.request,
      headers: [{ key: 'X-Key', value: 'hunter2-hunter2' }],
      basicAuth: { username: 'me', password: 'a-password' },
    }
    const check = checkFrom(definitionFrom('api', body))
    const answer = answerOf(check)
    expect(JSON.stringify(answer)).not.toMatch(/hunter2|a-password/)
    expect(fromWire(check.checkType, { ...answer, name: 'Other' }, check)).toEqual({ definition: { ...check.written, name: 'Other' } })
  })

  test('with another destination keeps none of them', () => {
    const written = structuredClone(clientRequests('api').create) as { request: Record<string, unknown> }
    written.request = { ...written.request, url: 'https://shop.example/a', headers: [{ key: 'X-Key', value: 'hunter2-hunter2' }] }
    const check = checkFrom(definitionFrom('api', written))
    const answer = answerOf(check)
    const at = (url: string) => ({ ...answer, request: { ...answer.request, url } })
    const alone = (url: string) => ({ definition: { ...answer.definition, request: { ...answer.definition.request, url } } })
    const others = [
      'https://evil.example/a',
      'http://shop.example/a',
      'https://shop.example:8443/a',
      'https://evil.example\\@shop.example/a',
    ]
    for (const url of others) {
      expect(fromWire(check.checkType, at(url), check)).toEqual({
        faults: [{ pointer: '/request/headers', message: expect.stringContaining('send it again') }],
      })
      expect(fromWire(check.checkType, alone(url), check)).toMatchObject({ faults: [{ pointer: '/definition/request/headers/X-Key' }] })
    }
    for (const body of [at('https://shop.example/b'), alone('https://shop.example/b?c=1')])
      expect(fromWire(check.checkType, body, check)).toMatchObject({
        definition: { request: { headers: { 'X-Key': 'hunter2-hunter2' } } },
      })
    const again = { ...at('https://evil.example/a'), definition: undefined }
    again.request = { ...again.request, headers: [{ key: 'X-Key', value: 'another-value' }] }
    expect(fromWire(check.checkType, again, check)).toMatchObject({ definition: { request: { headers: { 'X-Key': 'another-value' } } } })
  })

  test('drops texts that would no longer be redacted, with a group as without', () => {
    const secret = 'hunter2-hunter2'
    const resources = createResourceIndex()
    const groups = [
      [7, { name: 'Plain' }],
      [8, { name: 'Secret', request: { url: 'https://shop.example', headers: { 'X-Key': secret } } }],
    ] as const
    for (const [id, definition] of groups) {
      const ref = { kind: groupKind, account: 'acme', id: String(id) }
      resources.apply([{ ...ref, resource: { ...ref, version: 1, definition, createdAt: 0, updatedAt: 0 } }])
    }
    const { type } = typeAt('api')
    const request = { method: 'POST', url: 'https://shop.example/a', body: secret }
    for (const groupId of [undefined, 7, 8]) {
      const own = { id: 'c', name: 'C', type, frequency: '1m', ...(groupId && { groupId }) }
      const parsed = parseManagedCheck(
        { ...own, request: { ...request, headers: { 'X-Key': secret } } },
        { account: { id: 'acme' }, env: {}, resources },
      )
      if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
      const shown = shownDefinition(parsed.check)
      expect(JSON.stringify(shown)).not.toContain(secret)
      const without = { ...shown, request: { ...(shown.request as object), headers: {} } }
      const again = (definition: object) => fromWire(typeAt('api'), { definition }, parsed.check, resources)
      expect(again(shown)).toHaveProperty('definition')
      // The header of the second group hides the same text.
      if (groupId === 8) expect(again(without)).toHaveProperty('definition')
      else expect(again(without)).toMatchObject({ faults: [{ pointer: '/definition/request/body' }] })
    }
  })

  test.each(['{{HOST}}', '{{ HOST }}', '{{{HOST}}}', '{{{ HOST }}}'])('may have variables as %s, and returns them in this form', (host) => {
    const request = { url: `https://${host}/a`, headers: [{ key: 'X-Host', value: `a-${host}` }] }
    const definition = definitionFrom('api', { name: 'Shop', locations: ['eu-west-1'], request })
    expect(definition.request).toMatchObject({ url: `https://$\{HOST}/a`, headers: { 'X-Host': `a-$\{HOST}` } })
    const { definition: _, ...answer } = answerOf(checkFrom(definition))
    expect(answer.request).toMatchObject({ url: `https://${host}/a`, headers: [{ value: `a-${host}` }] })
    expect(definitionFrom('api', answer)).toEqual(definition)
  })

  test('keeps a variable within braces that would be ambiguous in double braces', () => {
    const request = { url: 'https://{{HOST}}/', method: 'POST', bodyType: 'RAW', body: `{$\{HOST}}` }
    const definition = definitionFrom('api', { name: 'Shop', locations: ['eu-west-1'], request })
    const { definition: _, ...answer } = answerOf(checkFrom(definition))
    expect(answer.request).toMatchObject({ url: 'https://{{HOST}}/', body: `{$\{HOST}}` })
    expect(definitionFrom('api', answer)).toEqual(definition)
  })

  test('may list headers in another order than the definition next to them', () => {
    const headers = ['A', 'B', 'C'].map((key) => ({ key, value: key.toLowerCase() }))
    const definition = definitionFrom('api', { name: 'Shop', locations: ['eu-west-1'], request: { url: 'https://shop.example/', headers } })
    const check = checkFrom({ ...definition, description: 'only of definitions' })
    const answer = answerOf(check)
    const orderOf = (sent: object) => {
      const read = fromWire(typeAt('api'), { ...answer, request: { ...(answer.request as object), ...sent } }, check)
      const { request, ...rest } = (read as { readonly definition: Body }).definition
      expect(Object.keys(rest)).toEqual(Object.keys(check.written).filter((name) => name !== 'request'))
      return Object.keys((request as { readonly headers: object }).headers)
    }
    expect(orderOf({})).toEqual(['A', 'B', 'C'])
    expect(orderOf({ headers: headers.toReversed() })).toEqual(['C', 'B', 'A'])
    expect(orderOf({ headers: [...headers.slice(1), { key: 'D', value: 'd' }, ...headers.slice(0, 1)] })).toEqual(['B', 'C', 'D', 'A'])
  })

  test('may have variables in braces, and returns them in this form', () => {
    const body = structuredClone(clientRequests('api').create) as { request: Record<string, unknown> }
    body.request = {
      ...body.request,
      url: 'https://{{HOST}}/a',
      headers: [{ key: 'X-Key', value: 'Bearer {{ TOKEN }}' }],
      body: '{"a":{"b":1}}',
    }
    const read = fromWire(typeAt('api'), body)
    expect(read).toMatchObject({
      definition: { request: { url: 'https://$' + '{HOST}/a', headers: { 'X-Key': 'Bearer $' + '{TOKEN}' }, body: '{"a":{"b":1}}' } },
    })
    const check = checkFrom((read as { definition: Body }).definition)
    expect(answerOf(check).request).toMatchObject({ url: 'https://{{HOST}}/a', headers: [{ value: 'Bearer {{TOKEN}}' }] })
    expect(fromWire(typeAt('api'), answerOf(check), check)).toEqual(read)
  })

  test.each([
    [0, 'minutes', '0m'],
    [0, 'seconds', undefined],
    [3, 'hours', '3h'],
  ])('with a grace of %d %s is returned with that unit', (grace, graceUnit, stored) => {
    const body = { name: 'Job', heartbeat: { period: 1, periodUnit: 'days', grace, graceUnit, pingToken: aToken } }
    const definition = definitionFrom('heartbeat', body)
    expect((definition.heartbeat as { readonly grace?: string }).grace).toBe(stored)
    const check = checkFrom(definition)
    expect(answerOf(check).heartbeat).toMatchObject({ grace, graceUnit })
    expect(check.checkType.pingSettings?.(check.settings).graceMs).toBe(grace * 3_600_000)
  })

  test('keeps the variables within a script', () => {
    const { create } = clientRequests('browser')
    const check = checkFrom(definitionFrom('browser', create))
    expect(check.settings.inlineScript).toBe(create.script)
    expect(answerOf(check).script).toBe(create.script)
  })

  test('may consist of the definition alone', () => {
    const { type, ...definition } = definitionFrom('url', clientRequests('url').create)
    expect(fromWire(typeAt('url'), { definition })).toEqual({ definition: { type, ...definition } })
    const faulty = { ...definition, timeout: '5h', 'a/b': 1 }
    expect(fromWire(typeAt('url'), { definition: faulty })).toMatchObject({
      faults: [{ pointer: '/definition/a~1b' }, { pointer: '/definition/timeout' }],
    })
  })

  test('may state explicitly that it sends no request body', () => {
    const { request } = clientRequests('url').create as { request: object }
    const faults = (more: object) => faultsOf('url', (body) => ({ ...body, request: { ...request, ...more } }))
    expect(faults({ method: 'GET', bodyType: 'NONE', body: '' })).toEqual([])
    expect(faults({ method: 'POST', bodyType: 'RAW' }).map(([pointer]) => pointer)).toEqual(['/request/method', '/request/bodyType'])
  })

  test('that is not an object is rejected', () => {
    for (const body of [null, [], 'x', 1])
      expect(fromWire(typeAt('url'), body)).toEqual({ faults: [{ pointer: '', message: expect.any(String) }] })
  })

  test.each([
    ['url', (body: Record<string, unknown>) => ({ ...body, name: '' }), '/name'],
    ['url', (body: Record<string, unknown>) => ({ ...body, checkType: 'x' }), '/checkType'],
    ['url', (body: Record<string, unknown>) => ({ ...body, frequency: 0, frequencyOffset: 5 }), '/frequency'],
    ['url', (body: Record<string, unknown>) => ({ ...body, frequency: 1.5e9 }), '/frequency'],
    ['url', (body: Record<string, unknown>) => ({ ...body, tags: ['a,b'] }), '/tags/0'],
    ['url', (body: Record<string, unknown>) => ({ ...body, locations: Array(1001).fill('x') }), '/locations'],
    ['url', (body: Record<string, unknown>) => ({ ...body, request: { url: 'ftp://x' } }), '/request/url'],
    [
      'url',
      (body: Record<string, unknown>) => ({ ...body, request: { url: 'https://a.example', headers: [{ key: 'a', value: 'b' }] } }),
      '/request/headers',
    ],
    ['url', (body: Record<string, unknown>) => ({ ...body, retryStrategy: {} }), '/retryStrategy/type'],
    ['url', (body: Record<string, unknown>) => ({ ...body, retryStrategy: { type: 'SOMETIMES' } }), '/retryStrategy/type'],
    [
      'url',
      (body: Record<string, unknown>) => ({ ...body, retryStrategy: { type: 'FIXED', maxRetries: 11 } }),
      '/retryStrategy/maxRetries',
    ],
    [
      'url',
      (body: Record<string, unknown>) => ({ ...body, retryStrategy: { type: 'FIXED', sameRegion: false } }),
      '/retryStrategy/sameRegion',
    ],
    [
      'url',
      (body: Record<string, unknown>) => ({ ...body, retryStrategy: { type: 'FIXED', maxDurationSeconds: 60 } }),
      '/retryStrategy/maxDurationSeconds',
    ],
    [
      'url',
      (body: Record<string, unknown>) => ({ ...body, alertSettings: { reminders: { amount: -3 } } }),
      '/alertSettings/reminders/amount',
    ],
    [
      'url',
      (body: Record<string, unknown>) => ({ ...body, alertChannelSubscriptions: [{ alertChannelId: 0 }] }),
      '/alertChannelSubscriptions/0/alertChannelId',
    ],
    ['url', (body: Record<string, unknown>) => ({ ...body, 'a/b~c': 1 }), '/a~1b~0c'],
    ['url', (body: Record<string, unknown>) => ({ ...body, definition: { timeout: '5s' } }), '/definition/type'],
    [
      'api',
      (body: Record<string, unknown>) => ({
        ...body,
        request: { url: 'https://a.example', assertions: [{ source: 'TEXT_BODY', property: 'x', comparison: 'EQUALS', target: 'y' }] },
      }),
      '/request/assertions/0/property',
    ],
    [
      'api',
      (body: Record<string, unknown>) => ({
        ...body,
        request: { url: 'https://a.example', assertions: [{ source: 'JSON_BODY', property: 'x', comparison: 'EQUALS', target: 'y' }] },
      }),
      '/request/assertions/0',
    ],
    [
      'icmp',
      (body: Record<string, unknown>) => ({
        ...body,
        request: { hostname: 'a', assertions: [{ source: 'LATENCY', comparison: 'LESS_THAN', target: '100' }] },
      }),
      '/request/assertions/0',
    ],
    ['playwright', (body: Record<string, unknown>) => ({ ...body, codeBundlePath: '../../etc' }), '/codeBundlePath'],
    ['playwright', (body: Record<string, unknown>) => ({ ...body, installCommand: 'npm ci' }), '/installCommand'],
    ['browser', (body: Record<string, unknown>) => ({ ...body, script: 'x'.repeat(500_001) }), '/script'],
    ['browser', (body: Record<string, unknown>) => ({ ...body, script: '', scriptPath: '/etc/passwd' }), '/scriptPath'],
    ['heartbeat', (body: Record<string, unknown>) => ({ ...body, heartbeat: { period: 1, periodUnit: 'weeks' } }), '/heartbeat/periodUnit'],
    ['heartbeat', (body: Record<string, unknown>) => ({ ...body, heartbeat: { period: -1, periodUnit: 'days' } }), '/heartbeat/period'],
    ['heartbeat', (body: Record<string, unknown>) => ({ ...body, heartbeat: { period: 1.5, periodUnit: 'days' } }), '/heartbeat/period'],
    ['heartbeat', (body: Record<string, unknown>) => ({ ...body, heartbeat: { period: 1e9, periodUnit: 'days' } }), '/heartbeat/period'],
    ['heartbeat', (body: Record<string, unknown>) => ({ ...body, heartbeat: { period: 1 } }), '/heartbeat/periodUnit'],
  ])('%s with a fault is rejected with its pointer', (path, change, pointer) => {
    expect(faultsOf(path, change).map(([place]) => place)).toEqual([pointer])
  })

  test('with deep nesting is rejected without exhausting the stack', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`)
    expect(faultsOf('url', (body) => ({ ...body, deep, request: deep }))).not.toEqual([])
  })

  test('lists a limited number of faults', () => {
    expect(
      faultsOf('url', (body) => ({ ...body, ...Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`x${i}`, 1])) })),
    ).toHaveLength(100)
  })
})
