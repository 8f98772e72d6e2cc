import { expect, onTestFinished, test } from 'vitest'
import { openTestAlerts } from '../support/alert-loop.ts'
import { alertRule } from '../support/alert-world.ts'
import { openTestApp } from '../support/app.ts'
import { account, credentials, readKey, testCatalogue, testCheck, testKey } from '../support/catalogue.ts'
import { answers, channelReceiver, noon, type Reply } from '../support/channels.ts'
import { openEvents } from '../support/event-stream.ts'
import { anyRunType } from '../support/example-config.ts'
import { testResult } from '../support/results.ts'

const minute = 60_000
const secret = 'S3CRET-header'
const shop = testCheck(anyRunType(), { id: 'shop', name: 'Shop', tags: ['web'], locations: ['here'] })
const blog = testCheck(anyRunType(), { id: 'blog', name: 'Blog', tags: [], locations: ['here'] })

/** A server with one rule for all checks and a webhook; `open` subscribes to its event stream. */
async function openServer({ replies = [], hasAlerts = true }: { replies?: readonly Reply[]; hasAlerts?: boolean } = {}) {
  const hook = await channelReceiver(...replies)
  const clock = { now: noon }
  const settings = { url: `${hook.url}/hook`, headers: { 'X-Api-Key': secret } }
  const channels = [{ id: 'chat', type: 'webhook', settings, secrets: [secret] }]
  const keys = [testKey(readKey, account, ['read', 'operate']), testKey('others', 'other', ['admin'])]
  const accounts = [account, 'other'].map((id) => ({ id, name: id, publicBadges: false }))
  const catalogue = testCatalogue({ accounts, keys, checks: [shop, blog], policies: { alerts: [alertRule()], channels } })
  const api = await openTestApp({ catalogue, now: () => clock.now, ...(hasAlerts && { alerts: openTestAlerts }) })
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(api.close)
  const open = async (query: string, headers: Readonly<Record<string, string>> = {}) => {
    const stream = await openEvents(`${url}/v1/check-results/stream?${query}`, headers)
    onTestFinished(stream.close)
    return stream
  }
  const append = (check: typeof shop, hasFailures: boolean) => {
    const more = { runLocation: 'here', hasFailures, error: hasFailures ? 'status 503, expected 200' : null }
    return api.store.append([testResult(check, clock.now, more)])
  }
  return { ...api, open, append, clock }
}

type Events = Awaited<ReturnType<typeof openEvents>>['events']
// biome-ignore lint/suspicious/noExplicitAny: the content of an event is what the test is about
const dataOf = (events: Events, at: number) => events[at]?.data as any
const words = (events: Events) =>
  events.map(({ event, data }) => [event, data.change ?? data.outcome].filter((word) => word !== undefined).join(' '))

test('a stream of alerts has an event for each change of an alert and each delivery attempt', async () => {
  const { open, append, clock, call } = await openServer({ replies: [answers(200), answers(410)] })
  const { events } = await open('events=alerts')
  await append(shop, true)
  await expect.poll(() => words(events)).toEqual(['alert opened', 'delivery delivered'])
  const { id } = dataOf(events, 0).alert
  expect(dataOf(events, 0).alert).toEqual({
    id: expect.any(String),
    title: 'Shop is failing',
    rule: 'rule',
    condition: 'failing',
    severity: 'critical',
    openedAt: new Date(noon).toISOString(),
    closedAt: null,
    acknowledged: null,
    memberCount: 1,
    members: [expect.objectContaining({ checkId: 'shop', reason: 'status 503, expected 200' })],
  })
  expect(dataOf(events, 1)).toEqual({
    id: expect.any(String),
    alertId: id,
    channel: 'chat',
    event: 'open',
    title: 'Shop is failing',
    at: new Date(noon).toISOString(),
    outcome: 'delivered',
    answer: '200 {}',
    nextAt: null,
  })
  await call({ method: 'POST', url: `/v1/alerts/${id}/acknowledge`, headers: credentials })
  await expect.poll(() => words(events).slice(2)).toEqual(['alert acknowledged'])
  expect(dataOf(events, 2).alert.acknowledged.by).toBe('tdm_testread')
  clock.now += minute
  await append(shop, false)
  await expect.poll(() => words(events).slice(3)).toEqual(['alert closed', 'delivery broken'])
  expect(dataOf(events, 4).nextAt).toBe(new Date(clock.now + 60 * minute).toISOString())
  expect(JSON.stringify(events)).not.toContain(secret)
})

test('a client that did not subscribe to alerts gets none', async () => {
  const { open, append } = await openServer()
  const [results, both] = [await open(''), await open('events=results,alerts')]
  await append(shop, true)
  await expect.poll(() => words(both.events)).toEqual(['result', 'alert opened', 'delivery delivered'])
  await append(blog, false)
  await expect.poll(() => words(results.events)).toEqual(['result', 'result'])
})

test('a stream has only the alerts of the selected checks and of the account of the key', async () => {
  const { open, append } = await openServer()
  const ofShop = await open('events=alerts&checkId=shop')
  const tagged = await open('events=alerts&tag=web')
  const ofBlog = await open('events=alerts&checkId=blog')
  const others = await open('events=results,alerts', { authorization: 'Bearer others', 'x-service-account': 'other' })
  await append(shop, true)
  for (const { events } of [ofShop, tagged]) await expect.poll(() => words(events)).toEqual(['alert opened', 'delivery delivered'])
  await append(blog, true)
  await expect.poll(() => words(ofBlog.events)).toEqual(['alert opened', 'delivery delivered'])
  expect(dataOf(ofBlog.events, 0).alert.members[0].checkId).toBe('blog')
  expect([ofShop.events.length, others.events.length]).toEqual([2, 0])
})

test('a client that reconnects gets the alerts that it missed', async () => {
  const { open, append } = await openServer()
  const first = await open('events=alerts')
  await append(shop, true)
  await expect.poll(() => first.events).toHaveLength(2)
  first.close()
  const watcher = await open('events=alerts')
  await append(blog, true)
  await expect.poll(() => watcher.events).toHaveLength(2)
  const second = await open('events=alerts', { 'last-event-id': first.lastId() })
  await expect.poll(() => words(second.events)).toEqual(['alert opened', 'delivery delivered'])
  expect(dataOf(second.events, 0).alert.title).toBe('Blog is failing')
  const unknown = await open('events=alerts', { 'last-event-id': 'another-1' })
  await expect.poll(() => unknown.events[0]).toMatchObject({ event: 'reset', data: { missed: null, alerts: true } })
})

test('a process that sends no alerts rejects subscriptions to them, and still streams results', async () => {
  const { get, open, append } = await openServer({ hasAlerts: false })
  expect((await get('/v1/check-results/stream?events=alerts')).body).toMatchObject({ statusCode: 503, code: 'ALERTS_OFF' })
  const { events } = await open('events=results')
  await append(shop, true)
  await expect.poll(() => words(events)).toEqual(['result'])
})
