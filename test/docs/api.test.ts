import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { credentials, testCatalogue, testCheck, testSlo } from '../support/catalogue.ts'
import { testResult } from '../support/results.ts'

const text = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8')
const calls = text.split('\n').filter((line) => line.startsWith('curl '))
const checks = checkTypes.map((checkType) => testCheck(checkType))
const now = Date.parse('2026-11-14T10:00:00.000Z')
const results = checks.map((check) => testResult(check, now - 60_000))

let api: TestApp
beforeAll(async () => {
  api = await openTestApp({
    catalogue: testCatalogue({ checks, policies: { slos: [testSlo('web')] } }),
    results,
    now,
  })
})
afterAll(() => api.close())

describe('the calls of docs/api.md are answered', () => {
  test.each(calls)('%s', async (call) => {
    const address = /"\$BASE_URL([^"]+)"/.exec(call)?.[1] ?? ''
    const body = /-d '([^']+)'/.exec(call)?.[1]
    const check = checks.find(({ checkType }) => address.includes(`/${checkType.path}/`)) ?? checks[0]
    const [run] = results.filter((result) => result.check.checkId === check?.id)
    const answer = await api.call({
      method: body === undefined ? 'GET' : 'POST',
      url: address
        .replace('$CHECK_ID', check?.id ?? '')
        .replace('$RESULT_ID', run?.result.id ?? '')
        .replace('$SLO_ID', 'web'),
      headers: { ...credentials, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { payload: body }),
    })
    expect([answer.status, answer.text]).toEqual([200, expect.anything()])
  })
})

test('docs/api.md has calls, and its example of an error is one', async () => {
  expect(calls.length).toBeGreaterThan(10)
  const shown = JSON.parse(/```json\n(.*)\n```/.exec(text)?.[1] ?? '')
  const answers = await Promise.all(
    checks.map(({ id, checkType }) => api.get(`/v1/analytics/${checkType.path}/${id}?metrics=responsTime_p99`)),
  )
  expect(answers.map(({ body }) => body)).toContainEqual(shown)
})
