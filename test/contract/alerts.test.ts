import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openAlertDatabase } from '../../src/alerts/outbox/alert-database.ts'
import { channelNumber } from '../../src/catalogue/policies/channels.ts'
import { openTestAlerts } from '../support/alert-loop.ts'
import { alertRule } from '../support/alert-world.ts'
import { type Answer, openTestApp } from '../support/app.ts'
import { account, credentials, readKey, testCatalogue, testCheck, testKey } from '../support/catalogue.ts'
import { answers, channelReceiver, noon, type Reply } from '../support/channels.ts'
import { anyRunType } from '../support/example-config.ts'
import { testResult } from '../support/results.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const minute = 60_000
const day = 86_400_000
const operateKey = `tdm_operates_${'0'.repeat(32)}_000000`
const scrapeKey = `tdm_scrapers_${'0'.repeat(32)}_000000`
const operator = { authorization: `Bearer ${operateKey}`, 'x-service-account': account }
const secret = 'S3CRET-header'
const shop = testCheck(anyRunType(), { id: 'shop', name: 'Shop <1>', tags: ['web'], locations: ['here'] })
const blog = testCheck(anyRunType(), { id: 'blog', name: 'Blog', tags: [], locations: ['here'] })
const alertsUrl = '/v1/alerts?from=2026-11-17&to=2026-11-18'

/** The API with one rule for all checks, and a webhook to its own server. */
const open = (...replies: readonly Reply[]) => openWith({ replies })

async function openWith({ replies = [], directory = temporaryFolder() }: { replies?: readonly Reply[]; directory?: string }) {
  const { url, received } = await channelReceiver(...replies)
  const clock = { now: noon }
  const settings = { url: `${url}/hook`, headers: { 'X-Api-Key': secret } }
  const channels = [{ id: 'chat', type: 'webhook', settings, secrets: [secret] }]
  const accounts = [account, 'other'].map((id) => ({ id, name: id, publicBadges: false }))
  const keys = [
    testKey(readKey, account, ['read']),
    testKey(operateKey, account, ['operate']),
    testKey(scrapeKey, account, ['metrics']),
    testKey('others', 'other', ['admin']),
  ]
  const catalogue = testCatalogue({ accounts, keys, checks: [shop, blog], policies: { alerts: [alertRule()], channels } })
  const api = await openTestApp({ catalogue, now: () => clock.now, alerts: (parts) => openTestAlerts({ ...parts, directory }) })
  onTestFinished(() => api.close())
  const append = (hasFailures: boolean, check = shop) => {
    const more = { runLocation: 'here', hasFailures, error: hasFailures ? 'status 503, expected 200' : null }
    return api.store.append([testResult(check, clock.now, more)])
  }
  const events = () => received.map(({ body }) => JSON.parse(body).type.replace('alert.', ''))
  /** Waits until the channel was notified and its response is on disk. */
  const fail = async () => {
    await append(true)
    await expect.poll(async () => (await api.get(alertsUrl)).body.alerts[0]?.messages[0]?.state).toBe('delivered')
    return (await api.get(alertsUrl)).body.alerts[0]
  }
  const post = (to: string, body?: unknown, headers: Record<string, string> = operator) =>
    api.call({ method: 'POST', url: to, headers, ...(body !== undefined && { payload: body as object }) })
  return { ...api, clock, received, append, events, fail, post }
}

const outcome = ({ status, body }: Answer) => `${status} ${body?.code}`

test('an alert is listed with its messages to the channel, can be acknowledged once, and closes', async () => {
  const { get, post, fail, append, clock, events } = await open()
  const alert = await fail()
  expect(alert).toMatchObject({
    title: 'Shop <1> is failing',
    rule: 'rule',
    condition: 'failing',
    severity: 'critical',
    openedAt: new Date(noon).toISOString(),
    closedAt: null,
    acknowledged: null,
    memberCount: 1,
    members: [{ subject: 'shop', checkId: 'shop', reason: 'status 503, expected 200', locations: { down: ['here'], known: 1 } }],
    channels: [{ channel: 'chat', firstAt: new Date(noon).toISOString(), open: 1, reminders: 0, dropped: false }],
    messages: [{ channel: 'chat', event: 'open', state: 'delivered', attempts: 1, answer: '200 {}', nextAt: null }],
  })
  expect((await get(`/v1/alerts/${alert.id}`)).body).toEqual(alert)
  clock.now += minute
  const first = await post(`/v1/alerts/${alert.id}/acknowledge`)
  expect(first.body.acknowledged).toEqual({ at: new Date(noon + minute).toISOString(), by: 'tdm_operates' })
  clock.now += minute
  expect((await post(`/v1/alerts/${alert.id}/acknowledge`)).body.acknowledged).toEqual(first.body.acknowledged)
  await append(false)
  await expect.poll(events).toEqual(['open', 'close'])
  await expect
    .poll(async () => (await get(`${alertsUrl}&state=closed`)).body.alerts.map(({ id }: { id: string }) => id))
    .toEqual([alert.id])
  expect((await get(`${alertsUrl}&state=open`)).body.alerts).toEqual([])
  expect((await get(`/v1/alerts/${alert.id}`)).body.messages.map(({ event }: { event: string }) => event)).toEqual(['close', 'open'])
})

test('alerts are paged, and filtered by check and window', async () => {
  const { get, append } = await open()
  await append(true)
  await append(true, blog)
  await expect.poll(async () => (await get(alertsUrl)).body.alerts.length).toBe(2)
  const { body: first } = await get(`${alertsUrl}&limit=1`)
  const { body: second } = await get(`${alertsUrl}&limit=1&cursor=${first.pagination.next}`)
  const names = [first, second].map(({ alerts }) => alerts[0].members[0].checkId)
  expect([names.toSorted(), second.pagination.next]).toEqual([['blog', 'shop'], null])
  const ofShop = await get(`${alertsUrl}&checkId=shop`)
  expect(ofShop.body.alerts.map(({ members }: { members: { checkId: string }[] }) => members[0]?.checkId)).toEqual(['shop'])
  expect((await get('/v1/alerts?from=2026-11-15&to=2026-11-16')).body.alerts).toEqual([])
})

test('an alert of another account gets byte for byte the response for one that does not exist', async () => {
  const { get, post, fail } = await open()
  const { id } = await fail()
  const others = { authorization: 'Bearer others', 'x-service-account': 'other' }
  const texts = async (unknown: string) => [
    (await get(`/v1/alerts/${unknown}`, others)).text,
    (await post(`/v1/alerts/${unknown}/acknowledge`, undefined, others)).text,
  ]
  expect(await texts(id)).toEqual(await texts('none'))
  expect(outcome(await get(`/v1/alerts/${id}`, others))).toBe('404 ALERT_NOT_FOUND')
  expect((await get(`/v1/alerts/${id}`)).body.acknowledged).toBeNull()
})

test('a silence suppresses messages until it ends', async () => {
  const { get, post, call, append, events } = await open()
  const made = await post('/v1/silences', { checks: ['shop'], duration: '2h', comment: 'The database moves.' })
  expect([made.status, made.body]).toEqual([
    201,
    {
      id: expect.any(String),
      checks: ['shop'],
      tags: [],
      from: new Date(noon).toISOString(),
      to: new Date(noon + 120 * minute).toISOString(),
      by: 'tdm_operates',
      comment: 'The database moves.',
    },
  ])
  const listed = await get('/v1/silences')
  expect([listed.body, listed.headers['content-range']]).toEqual([[made.body], '0-0/1'])
  await append(true)
  await expect.poll(async () => (await get(alertsUrl)).body.alerts.length).toBe(1)
  expect(events()).toEqual([])
  const url = `/v1/silences/${made.body.id}`
  const others = { authorization: 'Bearer others', 'x-service-account': 'other' }
  expect(outcome(await call({ method: 'DELETE', url, headers: others }))).toBe('404 SILENCE_NOT_FOUND')
  const ended = await call({ method: 'DELETE', url, headers: operator })
  expect([ended.status, ended.text]).toEqual([204, ''])
  expect(outcome(await call({ method: 'DELETE', url, headers: operator }))).toBe('404 SILENCE_NOT_FOUND')
  await expect.poll(events).toEqual(['open'])
})

test('silences are limited in length and must select something', async () => {
  const { post } = await open()
  const refused = async (body: unknown) => outcome(await post('/v1/silences', body))
  expect(await refused({ tags: ['web', 'webb'], duration: '2h' })).toBe('400 INVALID_PARAMETER')
  expect(await refused({ duration: '91d' })).toBe('400 INVALID_PARAMETER')
  expect(await refused({ from: noon + 89 * day, duration: '2d' })).toBe('400 INVALID_PARAMETER')
  expect(await refused({ from: noon - 2 * day, to: noon - day })).toBe('400 INVALID_PARAMETER')
  expect(await refused({ from: noon + 2, to: noon + 1 })).toBe('400 INVALID_WINDOW')
  expect(await refused({})).toBe('400 MISSING_PARAMETER')
  expect(await refused({ to: noon + 1, duration: '1d' })).toBe('400 MISSING_PARAMETER')
  expect(await refused({ checks: ['none'], duration: '1d' })).toBe('404 CHECK_NOT_FOUND')
})

test('an account has at most a thousand silences, even if many are created concurrently', async () => {
  const directory = temporaryFolder()
  openAlertDatabase({ directory }).close()
  const database = new DatabaseSync(join(directory, 'alerts.db'))
  database.exec(
    `WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < 998)
     INSERT INTO silences (id, account, ends_at, body) SELECT id, '${account}', ${noon + day},
     json_object('id', '' || id, 'account', '${account}', 'checks', json('[]'), 'tags', json('["none"]'), 'from', 0, 'to', ${noon + day}, 'by', 'me', 'comment', '') FROM ids`,
  )
  database.close()
  const { post, get } = await openWith({ directory })
  const made = await Promise.all(Array.from({ length: 5 }, () => post('/v1/silences', { duration: '1d' })))
  expect(made.map(outcome).toSorted()).toEqual(['201 undefined', '201 undefined', ...Array(3).fill('429 TOO_MANY_SILENCES')])
  expect((await get('/v1/silences?limit=100&page=10')).headers['content-range']).toBe('900-999/1000')
})

test('existing clients get alerts and notifications in their format', async () => {
  const { get, fail, append, clock, events } = await open()
  await fail()
  clock.now += minute
  await append(false)
  await expect.poll(events).toEqual(['open', 'close'])
  const alerts = (await get('/v1/check-alerts')).body
  expect(alerts.map(({ alertType }: { alertType: string }) => alertType)).toEqual(['ALERT_RECOVERY', 'ALERT_FAILURE'])
  expect(alerts[1]).toMatchObject({
    id: expect.any(String),
    name: 'Shop <1>',
    checkId: 'shop',
    checkType: shop.checkType.type,
    runLocation: 'here',
    error: 'status 503, expected 200',
    created_at: new Date(noon).toISOString(),
    startedAt: new Date(noon).toISOString(),
  })
  expect((await get('/v1/check-alerts/shop?limit=1&page=2')).body).toEqual([alerts[1]])
  expect((await get('/v1/check-alerts/blog')).body).toEqual([])
  expect(outcome(await get('/v1/check-alerts/none'))).toBe('404 CHECK_NOT_FOUND')
  expect(outcome(await get(`/v1/check-alerts?from=${noon}&to=${noon + 6 * 60 * minute + 1}`))).toBe('400 WINDOW_TOO_LONG')
  expect(outcome(await get(`/v1/alert-notifications?from=${noon}&to=${noon + day + 1}`))).toBe('400 WINDOW_TOO_LONG')
  await expect.poll(async () => (await get('/v1/alert-notifications?hasFailures=false')).body.length).toBe(2)
  const { body, text } = await get(`/v1/alert-notifications?alertChannelId=${channelNumber(account, 'chat')}`)
  expect(body[1]).toMatchObject({
    type: 'WEBHOOK',
    status: 'SUCCESS',
    alertConfig: { name: 'chat' },
    notificationResult: '200 {}',
    checkType: shop.checkType.type,
    checkId: 'shop',
    checkAlertId: alerts[1].id,
    alertChannelId: channelNumber(account, 'chat'),
    checkResultId: expect.any(String),
  })
  expect(body[0].checkAlertId).toBe(alerts[0].id)
  expect(text).not.toContain(secret)
  expect((await get('/v1/alert-notifications?alertChannelId=1')).body).toEqual([])
  expect((await get('/v1/alert-notifications?hasFailures=true')).body).toEqual([])
})

test('a delivery is listed as RATE_LIMITED when the channel answers 429', async () => {
  const { get, append } = await open(answers(429, { headers: { 'retry-after': '3600' } }))
  await append(true)
  await expect.poll(async () => (await get('/v1/alert-notifications?hasFailures=true')).body[0]?.status).toBe('RATE_LIMITED')
})

test('a channel can be tested, a few times a minute', async () => {
  const { post, received, clock } = await open(answers(200, { body: secret }))
  expect((await post('/v1/alert-channels/chat/test')).body).toEqual({ outcome: 'delivered', answer: '200 •••' })
  expect(received[0]?.body).toContain('test')
  expect(outcome(await post('/v1/alert-channels/none/test'))).toBe('404 CHANNEL_NOT_FOUND')
  for (let i = 0; i < 4; i++) expect((await post(`/v1/alert-channels/${channelNumber(account, 'chat')}/test`)).status).toBe(200)
  expect(outcome(await post('/v1/alert-channels/chat/test'))).toBe('429 RATE_LIMITED')
  clock.now += minute
  expect((await post('/v1/alert-channels/chat/test')).status).toBe(200)
  expect(received).toHaveLength(6)
})

test('the alert state of a check is explained rule by rule', async () => {
  const { get, fail } = await open()
  await fail()
  const { body } = await get('/v1/alerts/explain?checkId=shop')
  expect(body).toMatchObject({ checkId: 'shop', name: 'Shop <1>', rules: [{ rule: 'rule' }] })
  expect(body.rules[0].reasons.map(({ code }: { code: string }) => code)).toEqual(['open', 'notified'])
  expect(outcome(await get('/v1/alerts/explain?checkId=none'))).toBe('404 CHECK_NOT_FOUND')
  expect(outcome(await get('/v1/alerts/explain'))).toBe('400 MISSING_PARAMETER')
})

test('metrics and readiness show open alerts and broken channels', async () => {
  const { get, append } = await open(answers(410))
  expect((await get('/health/ready', {})).body).toEqual({ status: 'ok' })
  await append(true)
  await expect.poll(async () => (await get('/health/ready', {})).body).toEqual({ status: 'ok', alertChannels: { broken: ['chat'] } })
  const { text } = await get('/metrics', { authorization: `Bearer ${scrapeKey}` })
  expect(text).toContain('tidemark_alerts_open{account="acme"} 1\n')
  expect(text).toContain('tidemark_alert_deliveries_total{account="acme",channel="chat",outcome="broken"} 1\n')
  expect(text).toMatch(/^tidemark_alert_oldest_unsent_seconds 0$/m)
})

test('the link in a message opens a page whose button acknowledges once', async () => {
  const { get, call, received, fail, clock } = await open()
  const { id } = await fail()
  const link = new URL(JSON.parse(received[0]?.body ?? '').data.links.acknowledge).pathname
  const page = await get(link, {})
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('<form method="post"><button>Acknowledge</button></form>')])
  expect(page.text).toContain('<h1>Shop &#60;1&#62; is failing</h1>')
  expect(page.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'self'/),
  })
  expect((await get(`/v1/alerts/${id}`)).body.acknowledged).toBeNull()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const press = () => call({ method: 'POST', url: link, headers, payload: '' })
  expect((await press()).text).toContain('Acknowledged by link at 2026-11-17 12:00:00 UTC.')
  clock.now += minute
  const again = await press()
  expect(again.text).toContain('Acknowledged by link at 2026-11-17 12:00:00 UTC.')
  expect(again.text).not.toContain('<form')
  expect((await get(`/v1/alerts/${id}`)).body.acknowledged.by).toBe('link')
  expect((await call({ method: 'POST', url: link, headers, payload: 'x'.repeat(2000) })).status).toBe(413)
})

test('an unknown token is not found, and too many attempts are rate limited', async () => {
  const { get, received, fail } = await open()
  await fail()
  const link = new URL(JSON.parse(received[0]?.body ?? '').data.links.acknowledge).pathname
  const bad = [`${link}x`, link.slice(0, -1), '/acknowledge/x', '/acknowledge/x.', `/acknowledge/a.${encodeURIComponent('é'.repeat(43))}`]
  for (const url of [...bad, `/acknowledge/${'x'.repeat(5000)}`]) {
    const asBrowser = await get(url, { accept: 'text/html' })
    expect([asBrowser.status, asBrowser.text]).toEqual([404, expect.stringContaining('There is no such alert.')])
    expect(outcome(await get(url, {}))).toBe('404 ALERT_NOT_FOUND')
  }
  const statuses = await Promise.all(Array.from({ length: 61 }, async () => (await get(link, {})).status))
  expect(statuses.filter((status) => status === 429)).toHaveLength(1)
})

test('a process that sends no alerts answers ALERTS_OFF', async () => {
  const api = await openTestApp({ catalogue: testCatalogue({ checks: [shop] }) })
  onTestFinished(() => api.close())
  for (const url of ['/v1/alerts', '/v1/alerts/x', '/v1/silences', '/v1/check-alerts', '/v1/alert-notifications'])
    expect(outcome(await api.get(url, credentials))).toBe('503 ALERTS_OFF')
  expect(outcome(await api.get('/acknowledge/x', {}))).toBe('503 ALERTS_OFF')
  expect((await api.get('/health/ready', {})).body).toEqual({ status: 'ok' })
})
