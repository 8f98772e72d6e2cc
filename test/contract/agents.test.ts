import { describe, expect, onTestFinished, test } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, testCatalogue, testCheck, testKey } from '../support/catalogue.ts'
import { anyRunType } from '../support/example-config.ts'

const key = 'tdm_testagnt_00000000000000000000000000000000_000000'
const headers = { authorization: `Bearer ${key}` }
const now = Date.UTC(2026, 10, 14, 12)
const here = testCheck(anyRunType(), { id: 'here', locations: ['eu', 'us'], agentLocations: ['eu'] })
const elsewhere = testCheck(anyRunType(), { id: 'elsewhere', locations: ['us'] })

async function agentApp(): Promise<TestApp> {
  const keys = [testKey(key, account, ['agent:eu']), testKey('tdm_admin', account, ['admin'])]
  const app = await openTestApp({ catalogue: testCatalogue({ keys, checks: [here, elsewhere] }), now })
  onTestFinished(app.close)
  return app
}

describe('a key of agents', () => {
  test.each(['/v1/checks', '/v1/check-statuses', `/v1/badges/checks/${here.id}`, '/v1/nothing', '/metrics'])(
    'is a 403 at %s',
    async (url) => {
      const { get } = await agentApp()
      expect(await get(url, headers)).toMatchObject({
        status: 403,
        body: { code: 'AGENT_KEY', message: expect.stringContaining('agents at eu') },
      })
    },
  )

  test('stores results of its own location and of checks that have it, and no others', async () => {
    const { call } = await agentApp()
    const row = { checkId: here.id, startedAt: now - 1000, runLocation: 'eu', hasFailures: false }
    const payload = JSON.stringify([row, { ...row, runLocation: 'us' }, { ...row, checkId: elsewhere.id }])
    const { status, body } = await call({
      method: 'POST',
      url: '/v1/check-results',
      headers: { ...headers, 'content-type': 'application/json' },
      payload,
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      accepted: 1,
      rejected: [
        { index: 1, code: 'FORBIDDEN_LOCATION', message: 'This API key stores results of "eu" only.' },
        { index: 2, code: 'UNKNOWN_CHECK' },
      ],
    })
  })

  test('is a 403 with the account of another', async () => {
    const { get } = await agentApp()
    expect(await get('/v1/checks', { ...headers, 'x-service-account': 'other' })).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN_ACCOUNT' },
    })
  })
})
