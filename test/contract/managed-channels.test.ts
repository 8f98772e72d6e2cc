import { expect, onTestFinished, test } from 'vitest'
import { openTestAlerts } from '../support/alert-loop.ts'
import { openTestApp } from '../support/app.ts'
import { account, readKey, testCatalogue, testCheck, testKey } from '../support/catalogue.ts'
import { channelReceiver, noon } from '../support/channels.ts'
import { clientRequests } from '../support/client-requests.ts'
import { anyRunType } from '../support/example-config.ts'
import { testResult } from '../support/results.ts'

const writeKey = 'tdm_testwrit_00000000000000000000000000000000_000000'
const otherKey = 'tdm_testothr_00000000000000000000000000000000_000000'
const as = (key: string) => ({ authorization: `Bearer ${key}`, 'x-service-account': account })
const checkType = anyRunType()
const path = '/v1/alert-channels'
const { alertChannelSubscriptions: _, ...clientBody } = clientRequests('url').create
const mailServer = { host: 'mail.example.com', from: 'tidemark@example.com', to: ['ops@example.com'], password: 'mail-pass' }

async function open() {
  const clock = { now: noon }
  let tellChange: () => void = () => {}
  const api = await openTestApp({
    managed: true,
    now: () => clock.now,
    env: { HOOK_TOKEN: 'tok-from-the-environment', SHUT: 'x' },
    alerts: (parts) =>
      openTestAlerts({
        ...parts,
        onConfigChange: (listener) => {
          tellChange = listener
          return () => {}
        },
      }),
    catalogue: testCatalogue({
      accounts: [{ id: account, name: 'Acme', publicBadges: false, managedVariables: ['HOOK_TOKEN'] }],
      checks: [testCheck(checkType, { id: 'in-file' })],
      keys: [
        testKey(readKey, account, ['read']),
        testKey(writeKey, account, ['read', 'write', 'operate']),
        testKey(otherKey, account, ['read', 'write']),
      ],
      policies: { channels: [{ id: 'mail', type: 'email', settings: mailServer, secrets: ['mail-pass'] }] },
    }),
  })
  onTestFinished(api.close)
  const send = (method: 'POST' | 'PUT' | 'DELETE', url: string, body?: object, key = writeKey) =>
    api.call({ method, url, headers: as(key), ...(body && { payload: body }) })
  const addCheck = (more: object = {}, query = '') =>
    send('POST', `/v1/checks/url${query}`, { ...clientBody, frequency: 1, frequencyOffset: null, locations: ['here'], ...more })
  return { ...api, clock, send, addCheck, tellChange: () => tellChange() }
}

/** As the Go SDK sends it. */
const slack = {
  id: 0,
  type: 'SLACK',
  config: { url: 'https://hooks.slack.com/services/T0000AAAA/B0000BBBB/XXXXyyyy1111ZZZZ', channel: '#ops' },
  sendRecovery: true,
  sendDegraded: false,
  sendFailure: true,
  sslExpiry: false,
  sslExpiryThreshold: 30,
}

test('a channel can be created, read, updated and deleted as Terraform does it, without a diff', async () => {
  const { get, send } = await open()
  const added = await send('POST', path, slack)
  expect(added.status).toBe(201)
  const { id } = added.body
  const read = await get(`${path}/${id}`, as(writeKey))
  expect(read.body).toMatchObject({ ...slack, id, subscriptions: [], autoSubscribe: false })
  expect((await send('PUT', `${path}/${id}`, { ...slack, id })).headers.etag).toBe('"v1"')
  const mail = { ...slack, id, type: 'EMAIL', config: { address: 'boss@example.com' } }
  expect((await send('PUT', `${path}/${id}`, mail)).body).toMatchObject({ type: 'EMAIL', config: { address: 'boss@example.com' } })
  expect((await send('DELETE', `${path}/${id}`)).status).toBe(204)
  expect((await get(`${path}/${id}`)).status).toBe(404)
})

test('secrets are shown only to the key that sent them; another key can keep them only with the same destination', async () => {
  const { get, send } = await open()
  const { id } = (await send('POST', path, slack)).body
  const seen = await get(`${path}/${id}`, as(otherKey))
  expect(seen.text).not.toContain('XXXXyyyy1111ZZZZ')
  expect((await get('/v1/audit')).text).not.toContain('XXXXyyyy1111ZZZZ')
  expect((await get(path)).text).not.toContain('XXXXyyyy1111ZZZZ')
  const kept = await send('PUT', `${path}/${id}`, { ...seen.body, sendDegraded: true }, otherKey)
  expect([kept.status, kept.text.includes('XXXXyyyy1111ZZZZ')]).toEqual([200, false])
  expect((await get(`${path}/${id}`, as(writeKey))).body.config).toEqual(slack.config)
  const hook = {
    type: 'WEBHOOK',
    config: { name: 'Ops', url: 'https://one.example/x', headers: [{ key: 'Authorization', value: 'Bearer s3cr3t-t0ken' }] },
  }
  const webhook = (await send('POST', path, hook)).body
  const { body } = await get(`${path}/${webhook.id}`, as(otherKey))
  expect(JSON.stringify(body)).not.toContain('s3cr3t-t0ken')
  const moved = await send('PUT', `${path}/${webhook.id}`, { ...body, config: { ...body.config, url: 'https://two.example/x' } }, otherKey)
  expect([moved.status, moved.body.faults[0].pointer]).toEqual([400, '/config/headers/0/value'])
})

const hook = {
  type: 'WEBHOOK',
  config: {
    name: 'Ops',
    url: 'https://one.example/x',
    webhookSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    headers: [
      { key: 'X-Team', value: 'shop-and-checkout' },
      { key: 'Authorization', value: 'Bearer s3cr3t-t0ken' },
    ],
    queryParameters: [{ key: 'token', value: 'p4r4m-s3cr3t' }],
  },
}
const hookSecrets = ['s3cr3t-t0ken', 'p4r4m-s3cr3t', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'shop-and-checkout']

test.each([
  ['a header with a visible value', { headers: [{ key: 'X-Team' }, { key: 'User-Agent' }] }, '/config/headers/1/value'],
  ['another header', { headers: [{ key: 'X-Team' }, { key: 'X-Other' }] }, '/config/headers/1/value'],
  ['another parameter', { queryParameters: [{ key: 'page' }] }, '/config/queryParameters/0/value'],
  ['a channel type without it', { webhookType: 'WEBHOOK_DISCORD', headers: [] }, '/config/webhookSecret'],
])('a hidden value is not kept for %s', async (_, changed, pointer) => {
  const { get, send } = await open()
  const { id } = (await send('POST', path, hook)).body
  const { body } = await get(`${path}/${id}`, as(otherKey))
  const renamed = Object.entries(changed).map(([name, value]) => {
    const shown = Array.isArray(value) ? value.map((pair, index) => ({ ...body.config[name][index], ...pair })) : value
    return [name, shown] as const
  })
  const config = { ...body.config, ...Object.fromEntries(renamed) }
  const put = await send('PUT', `${path}/${id}`, { ...body, config }, otherKey)
  expect([put.status, put.body.faults?.[0]?.pointer]).toEqual([400, pointer])
  const { text } = await get(path)
  expect(hookSecrets.filter((secret) => text.includes(secret))).toEqual([])
})

test('hidden values stay with their names, in any order', async () => {
  const { get, send } = await open()
  const { id } = (await send('POST', path, hook)).body
  const { body } = await get(`${path}/${id}`, as(otherKey))
  const headers = body.config.headers.toReversed()
  const put = await send('PUT', `${path}/${id}`, { ...body, config: { ...body.config, headers } }, otherKey)
  expect([put.status, hookSecrets.filter((secret) => put.text.includes(secret))]).toEqual([200, []])
  const kept = (await get(`${path}/${id}`, as(writeKey))).body.config
  expect(kept).toEqual({ ...hook.config, headers: hook.config.headers.toReversed() })
})

test('the placeholder of a secret is rejected as a value of a new channel', async () => {
  const { send } = await open()
  const config = { ...hook.config, headers: [{ key: 'Authorization', value: '•••' }] }
  const { status, body } = await send('POST', path, { ...hook, config })
  expect([status, body.faults?.[0].pointer]).toEqual([400, '/config/headers/0/value'])
})

test.each([
  [{ type: 'SMS', config: { name: 'Me', number: '1' } }, '/type', 'SMS is not supported'],
  [{ type: 'CALL', config: { name: 'Me', number: '1' } }, '/type', 'CALL is not supported'],
  [{ type: 'OPSGENIE', config: { name: 'Me', apiKey: 'k', region: 'EU', priority: 'P1' } }, '/type', 'OPSGENIE is not supported'],
  [{ type: 'SLACK_APP', config: { slackChannels: ['#ops'] } }, '/type', 'SLACK_APP is not supported'],
  [{ type: 'PIGEON', config: {} }, '/type', 'type must be one of EMAIL, SLACK, PAGERDUTY, WEBHOOK'],
  [{ config: { channel: '#ops' } }, '/config/url', 'missing'],
  [{ config: { url: 'ftp://x', channel: '#ops' } }, '/config/url', 'url'],
  [{ type: 'PAGERDUTY', config: { serviceKey: 'short' } }, '/config/serviceKey', '32'],
  [{ type: 'WEBHOOK', config: { url: 'https://x.example', method: 'GET' } }, '/config/method', 'method GET is not supported'],
  [
    { type: 'WEBHOOK', config: { url: 'https://x.example', headers: ['X-Team', 'x-team'].map((key) => ({ key, value: 'a' })) } },
    '/config/headers',
    'the header x-team is listed twice',
  ],
  [{ type: 'WEBHOOK', config: { url: 'https://x.example', template: '{{shout A}}' } }, '/config/template', 'Handlebars template'],
  [{ type: 'WEBHOOK', config: { url: 'https://x.example', webhookType: 'WEBHOOK_ILERT' } }, '/config/template', 'WEBHOOK_ILERT'],
  [{ type: 'WEBHOOK', config: { url: 'https://x.example', webhookSecret: 'plain' } }, '/config/webhookSecret', 'whsec_'],
  [{ type: 'WEBHOOK', config: { url: 'https://x.example/$'.concat('{SHUT}') } }, '/config/url', 'managedVariables'],
  [{ sslExpiryThreshold: 31 }, '/sslExpiryThreshold', '1 to 30'],
  [{ subscriptions: [{ checkId: 'in-file', activated: true }] }, '/subscriptions', 'PUT'],
])('%j is a 400 that points to %s', async (more, pointer, message) => {
  const { send } = await open()
  const { status, body } = await send('POST', path, { ...slack, ...more })
  expect([status, body.faults]).toEqual([400, [{ pointer, message: expect.stringContaining(message) }]])
})

test('a channel of the config file can be listed and read, but not changed over the API', async () => {
  const { get, send } = await open()
  const [mail] = (await get(path)).body
  expect(mail).toMatchObject({ channelId: 'mail', type: 'EMAIL', created_at: null })
  expect((await get(`${path}/${mail.id}`)).body).toEqual(mail)
  expect((await send('DELETE', `${path}/${mail.id}`)).body.code).toBe('DEFINED_IN_FILE')
  expect((await send('PUT', `${path}/${mail.id}`, slack)).body.code).toBe('DEFINED_IN_FILE')
})

test('a channel is notified of subscribed checks as their settings require, and no longer once it is deleted', async () => {
  const { send, addCheck, store, clock, tellChange, get } = await open()
  const { url, received } = await channelReceiver()
  const config = { name: 'Ops', url: `${url}/hook`, headers: [{ key: 'X-Token', value: '$'.concat('{HOOK_TOKEN}'), locked: false }] }
  const { id } = (await send('POST', path, { type: 'WEBHOOK', config })).body
  const alertSettings = { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: 2 } }
  const subscription = { alertChannelId: id, activated: true }
  const added = await addCheck({ alertSettings, useGlobalAlertSettings: false, alertChannelSubscriptions: [subscription] })
  expect([added.status, added.body.alertChannelSubscriptions]).toEqual([201, [subscription]])
  expect((await get(`${path}/${id}`)).body.subscriptions).toEqual([{ checkId: added.body.id, groupId: null, activated: true }])
  expect((await get('/v1/alert-rules')).body).toEqual([expect.objectContaining({ id: `channel:${id}`, subscription: id })])
  tellChange()
  const check = testCheck(checkType, { id: added.body.id, locations: ['here'] })
  const run = async (hasFailures: boolean) => {
    await store.append([testResult(check, clock.now, { runLocation: 'here', hasFailures, error: hasFailures ? 'refused' : null })])
    clock.now += 60_000
  }
  await run(true)
  await run(true)
  await expect.poll(() => received.length).toBe(1)
  expect(received[0]?.headers['x-token']).toBe('tok-from-the-environment')
  expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ type: 'alert.open', data: { rule: `channel:${id}` } })
  await run(false)
  await expect.poll(() => received.length).toBe(2)
  expect((await send('POST', `${path}/${id}/test`)).body.outcome).toBe('delivered')
  await send('DELETE', `${path}/${id}`)
  tellChange()
  await run(true)
  await run(true)
  expect((await get('/v1/alert-rules')).body).toEqual([])
  expect((await send('PUT', `/v1/checks/${added.body.id}`, { ...added.body, name: 'Renamed' })).status).toBe(200)
  expect(received).toHaveLength(3)
})

test('the channels of a group are notified of its checks, as its settings require', async () => {
  const { send, addCheck, get } = await open()
  const { id } = (await send('POST', path, slack)).body
  const subscription = { alertChannelId: id, activated: true }
  const group = await send('POST', '/v1/check-groups', { name: 'Shop', alertChannelSubscriptions: [subscription] })
  expect([group.status, group.body.alertChannelSubscriptions]).toEqual([201, [subscription]])
  const check = (await addCheck({ groupId: group.body.id })).body
  expect(check.alertChannelSubscriptions).toEqual([])
  expect((await get(`${path}/${id}`)).body.subscriptions).toEqual([{ checkId: check.id, groupId: null, activated: true }])
  const unknown = await send('POST', '/v1/check-groups', { name: 'Shop', alertChannelSubscriptions: [{ alertChannelId: 5 }] })
  expect([unknown.status, unknown.body.faults[0].pointer]).toEqual([400, '/alertChannelSubscriptions/0/alertChannelId'])
})

test('a group can be subscribed manually with all its checks, and can be changed or tested like a check', async () => {
  const { send, addCheck, get } = await open()
  const { id } = (await send('POST', path, slack)).body
  const { id: groupId } = (await send('POST', '/v1/check-groups', { name: 'Shop' })).body
  const { id: checkId } = (await addCheck({ groupId }, '?autoAssignAlerts=false')).body
  const subscribe = (body: object, query = '') => send('PUT', `${path}/${id}/subscriptions${query}`, body)
  expect((await subscribe({ groupId, activated: true }, '?dryRun=true')).body).toMatchObject({ valid: true, action: 'update' })
  expect((await get(`${path}/${id}`)).body.subscriptions).toEqual([])

  expect((await subscribe({ groupId, activated: true })).body).toEqual({ alertChannelId: id, checkId: null, groupId, activated: true })
  expect((await get(`/v1/check-groups/${groupId}`)).body.alertChannelSubscriptions).toEqual([{ alertChannelId: id, activated: true }])
  expect((await get(`${path}/${id}`)).body.subscriptions).toEqual([{ checkId, groupId: null, activated: true }])

  await subscribe({ groupId, activated: false })
  expect((await get(`/v1/check-groups/${groupId}`)).body.alertChannelSubscriptions).toEqual([{ alertChannelId: id, activated: false }])
  expect((await subscribe({ groupId: 7 })).body.code).toBe('RESOURCE_NOT_FOUND')
  for (const neither of [{}, { groupId, checkId }]) expect((await subscribe(neither)).body.faults[0].pointer).toBe('/checkId')
})

test('checks are subscribed manually, automatically, or not at all', async () => {
  const { send, addCheck, get } = await open()
  const { id } = (await send('POST', path, { ...slack, autoSubscribe: true })).body
  expect((await addCheck()).body.alertChannelSubscriptions).toEqual([{ alertChannelId: id, activated: true }])
  const plain = (await addCheck({}, '?autoAssignAlerts=false')).body
  expect(plain.alertChannelSubscriptions).toEqual([])
  const subscribe = (body: object) => send('PUT', `${path}/${id}/subscriptions`, body)
  expect((await subscribe({ checkId: plain.id, activated: false })).body).toEqual({
    alertChannelId: id,
    checkId: plain.id,
    groupId: null,
    activated: false,
  })
  expect((await get(`/v1/checks/${plain.id}`)).body.alertChannelSubscriptions).toEqual([{ alertChannelId: id, activated: false }])
  expect((await subscribe({ checkId: 'in-file', activated: true })).body.code).toBe('DEFINED_IN_FILE')
  expect((await subscribe({ checkId: 'nobody', activated: true })).body.code).toBe('CHECK_NOT_FOUND')
  const unknown = await addCheck({ alertChannelSubscriptions: [{ alertChannelId: 5, activated: true }] })
  expect([unknown.status, unknown.body.faults[0].pointer]).toEqual([400, '/alertChannelSubscriptions/0/alertChannelId'])
})
