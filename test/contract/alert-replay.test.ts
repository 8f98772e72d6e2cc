import { expect, onTestFinished, test } from 'vitest'
import { noHistory } from '../../src/alerts/outbox/alert-history.ts'
import { replayDeadline, replayLimitMs, replayQuestion, replayReport } from '../../src/alerts/replay/replay-report.ts'
import { noPolicies } from '../../src/catalogue/policies/policies.ts'
import { openTestAlerts } from '../support/alert-loop.ts'
import { alertRule } from '../support/alert-world.ts'
import { openTestApp } from '../support/app.ts'
import { testCatalogue, testCheck } from '../support/catalogue.ts'
import { noon } from '../support/channels.ts'
import { anyRunType } from '../support/example-config.ts'
import { testResult } from '../support/results.ts'

const minute = 60_000
const shop = testCheck(anyRunType(), { id: 'shop', name: 'Shop', tags: ['web'], locations: ['here'], everyMs: minute })
const blog = testCheck(anyRunType(), { id: 'blog', name: 'Blog', tags: [], locations: ['here'], everyMs: minute })
const secret = 'S3CRET-header'
const channels = [
  { id: 'chat', type: 'webhook', settings: { url: 'http://127.0.0.1:9/', headers: { 'X-Api-Key': secret } }, secrets: [secret] },
]
const rules = [alertRule({ id: 'all' }), alertRule({ id: 'slow', checks: ['shop'], after: { timeMs: 2 * minute } })]

/** Results of the shop by the minute; the given minutes fail. */
const results = (failing: readonly number[]) =>
  Array.from({ length: 30 }, (_, i) => {
    const hasFailures = failing.includes(i)
    const more = { runLocation: 'here', hasFailures, error: hasFailures ? 'status 503, expected 200' : null }
    return testResult(shop, noon - (60 - i) * minute, more)
  })

type Options = { readonly alerts?: typeof rules; readonly failing?: readonly number[]; readonly maxQuestionCost?: number }

async function open({ alerts = rules, failing = [10, 11, 12, 20], ...more }: Options = {}) {
  const catalogue = testCatalogue({ checks: [shop, blog], policies: { alerts, channels } })
  const api = await openTestApp({ catalogue, now: noon, results: results(failing), alerts: openTestAlerts, ...more })
  onTestFinished(api.close)
  return api
}

const at = (minutes: number) => new Date(noon - (60 - minutes) * minute).toISOString()

test('rules are listed with their defaults', async () => {
  const { get } = await open()
  const { body, headers } = await get('/v1/alert-rules')
  expect(headers['content-range']).toBe('0-1/2')
  expect(body[1]).toEqual({
    id: 'slow',
    when: 'failing',
    certificateDays: [],
    slos: [],
    severity: 'critical',
    checks: ['shop'],
    tags: [],
    subscription: null,
    checkCount: 1,
    after: { runs: null, seconds: 120 },
    recoverAfter: { runs: 1, seconds: null },
    quorum: 1,
    steps: [{ afterSeconds: 0, to: ['chat'], during: null, outside: 'hold' }],
    remind: null,
    group: { by: 'none', waitSeconds: 0 },
  })
  expect(body[0].checkCount).toBe(2)
})

test('a replay lists the messages of each rule over 30 days', async () => {
  const { get } = await open()
  const { body } = await get('/v1/alerts/replay')
  expect([body.from, body.to]).toEqual([new Date(noon - 30 * 86_400_000).toISOString(), new Date(noon).toISOString()])
  expect([body.count, body.rules]).toEqual([
    6,
    [
      { rule: 'all', messages: 4 },
      { rule: 'slow', messages: 2 },
    ],
  ])
  const lines = body.messages.map((each: Record<string, string>) => `${each.at} ${each.rule} ${each.event} ${each.title}`)
  expect(lines).toEqual([
    `${at(10)} all open Shop is failing`,
    `${at(12)} slow open Shop is failing`,
    `${at(13)} all close Shop is no longer failing: it was down for 3 minutes`,
    `${at(13)} slow close Shop is no longer failing: it was down for 3 minutes`,
    `${at(20)} all open Shop is failing`,
    `${at(21)} all close Shop is no longer failing: it was down for 1 minute`,
  ])
  expect(body.messages[0]).toMatchObject({ channel: 'chat', condition: 'failing', reason: 'status 503, expected 200', checks: ['shop'] })
})

test('a replay can be limited to a rule and a window, and lists the last messages', async () => {
  const { get } = await open()
  const slow = (await get('/v1/alerts/replay?rule=slow&limit=1')).body
  expect([slow.count, slow.messages.map(({ event }: { event: string }) => event)]).toEqual([2, ['close']])
  expect((await get(`/v1/alerts/replay?from=${at(15)}&to=${at(40)}`)).body.count).toBe(2)
  expect((await get(`/v1/alerts/replay?from=${at(11)}&to=${at(11)}`)).body.count).toBe(0)
})

test.each([
  ['rule=none', 404, 'ALERT_RULE_NOT_FOUND'],
  ['from=2026-11-16&to=2026-11-15', 400, 'INVALID_WINDOW'],
  ['from=2026-01-01', 400, 'WINDOW_TOO_LONG'],
  ['limit=1001', 400, 'INVALID_PARAMETER'],
])('a replay of %s is %i %s', async (query, status, code) => {
  const { get } = await open()
  expect(await get(`/v1/alerts/replay?${query}`)).toMatchObject({ status, body: { code } })
})

test('a replay that exceeds the query cost limit is rejected before it starts', async () => {
  const { get } = await open({ maxQuestionCost: 20 })
  expect(await get('/v1/alerts/replay')).toMatchObject({ status: 400, body: { code: 'QUERY_TOO_LARGE' } })
})

test('a key has one replay at a time', async () => {
  const { get } = await open()
  const answers = await Promise.all([get('/v1/alerts/replay'), get('/v1/alerts/replay')])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 429])
  const refused = answers.find(({ status }) => status === 429)
  expect([refused?.body.code, refused?.headers['retry-after']]).toEqual(['TOO_MANY_REPLAYS', '10'])
  expect((await get('/v1/alerts/replay')).status).toBe(200)
})

test('without rules there is nothing to replay', async () => {
  const { get } = await open({ alerts: [] })
  expect((await get('/v1/alert-rules')).body).toEqual([])
  expect((await get('/v1/alerts/replay')).body).toMatchObject({ count: 0, rules: [], messages: [] })
})

test('a channel is shown only by its id', async () => {
  const { get } = await open()
  for (const path of ['/v1/alert-rules', '/v1/alerts/replay', '/v1/alert-channels']) expect((await get(path)).text).not.toContain(secret)
  expect((await get('/v1/alert-channels')).body[0].health).toBeNull()
  expect((await get('/next/users/me')).body).toMatchObject({ scopes: ['read'] })
})

test('a replay is aborted when it takes too long, also between results', async () => {
  const { store } = await open()
  const checks = [shop, blog]
  const policies = { ...noPolicies, channels, alerts: rules }
  const window = { from: noon - 60 * minute, to: noon }
  const question = replayQuestion({ account: { id: 'acme', name: 'acme' }, policies, checks, window, rule: null, limit: 10 })
  let calls = 0
  const clock = { now: 0 }
  const inTime = replayDeadline(() => clock.now)
  const checkpoint = () => {
    calls++
    inTime()
  }
  await replayReport(question, { store, history: () => noHistory }, checkpoint)
  expect(calls).toBeGreaterThan(25)
  clock.now = replayLimitMs + 1
  await expect(replayReport(question, { store, history: () => noHistory }, checkpoint)).rejects.toThrow('takes longer than 30 s')
})
