import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Silence } from '../../src/alerts/decide/model.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { openTestAlerts } from '../support/alert-loop.ts'
import { alertRule } from '../support/alert-world.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, credentials, readKey, testCatalogue, testCheck, testKey, testSlo } from '../support/catalogue.ts'
import { testChannelType } from '../support/channel-type.ts'
import { testResult } from '../support/results.ts'

const text = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8')
const calls = text.split('\n').filter((line) => line.startsWith('curl '))
const checks = checkTypes.map((checkType) => testCheck(checkType, { tags: ['shop'] }))
const now = Date.parse('2026-11-14T10:00:00.000Z')
const results = checks.map((check) => testResult(check, now - 60_000, { hasFailures: true, error: 'refused' }))
const key = testKey(readKey, account, ['read', 'operate'])
const channels = [{ id: 'ops', type: testChannelType.type, settings: { url: 'http://loft.example' }, secrets: [] }]

let api: TestApp
let silence: Silence
let alert = ''
beforeAll(async () => {
  api = await openTestApp({
    catalogue: testCatalogue({ keys: [key], checks, policies: { slos: [testSlo('web')], alerts: [alertRule()], channels } }),
    results,
    now,
    alerts: async (parts) => {
      const alerts = await openTestAlerts({ ...parts, channelTypes: [testChannelType] })
      silence = await alerts.silence({ account, checks: [], tags: ['none'], from: now, to: now + 1000, by: 'me', comment: '' })
      return alerts
    },
  })
  const found = await vi.waitUntil(async () => (await api.get('/v1/alerts')).body.alerts[0], { timeout: 10_000 })
  alert = found.id
})
afterAll(() => api.close())

describe('the calls in docs/api.md succeed', () => {
  test.each(calls)('%s', async (call) => {
    const address = /"\$BASE_URL([^"]+)"/.exec(call)?.[1] ?? ''
    const body = /-d '([^']+)'/.exec(call)?.[1]
    const check = checks.find(({ checkType }) => address.includes(`/${checkType.path}/`)) ?? checks[0]
    const [run] = results.filter((result) => result.check.checkId === check?.id)
    const answer = await api.call({
      method: (/-X ([A-Z]+)/.exec(call)?.[1] ?? (body === undefined ? 'GET' : 'POST')) as 'GET',
      url: address
        .replace('$CHECK_ID', check?.id ?? '')
        .replace('$RESULT_ID', run?.result.id ?? '')
        .replace('$SLO_ID', 'web')
        .replace('$ALERT_ID', alert)
        .replace('$SILENCE_ID', silence.id),
      headers: { ...credentials, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { payload: body }),
    })
    expect([Math.floor(answer.status / 100), answer.text]).toEqual([2, expect.anything()])
  })
})

test('docs/api.md has calls, and its example error is what the API returns', async () => {
  expect(calls.length).toBeGreaterThan(10)
  const shown = JSON.parse(/```json\n(.*)\n```/.exec(text)?.[1] ?? '')
  const answers = await Promise.all(
    checks.map(({ id, checkType }) => api.get(`/v1/analytics/${checkType.path}/${id}?metrics=responsTime_p99`)),
  )
  expect(answers.map(({ body }) => body)).toContainEqual(shown)
})
