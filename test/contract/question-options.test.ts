import { expect, onTestFinished, test } from 'vitest'
import type { QuestionOptions, Store } from '../../src/store/store.ts'
import { openTestApp } from '../support/app.ts'
import { credentials, testCatalogue, testCheck } from '../support/catalogue.ts'
import { anyRunType } from '../support/example-config.ts'
import { testResult } from '../support/results.ts'

const checkType = anyRunType()
const check = testCheck(checkType, { id: 'homepage' })
const now = Date.UTC(2026, 10, 14)
const results = Array.from({ length: 50 }, (_, i) => testResult(check, now - (i + 1) * 60_000))
const report = `/v1/analytics/${checkType.path}/homepage`

const questions = [
  { url: `${report}?metrics=availability&from=1970-01-01` },
  { url: `${report}?metrics=availability&availabilityBy=time&from=1970-01-01` },
  { url: '/v1/analytics/outages?from=1970-01-01' },
  { url: '/v1/check-results/homepage?hasFailures=true' },
  { method: 'POST', url: '/v1/analytics/checks?from=1970-01-01', payload: { checkIds: ['homepage'] } },
  { method: 'POST', url: '/v1/analytics/query', payload: { metrics: ['availability'], from: '1970-01-01' } },
] as const

test.each(questions)('$url that costs too much is rejected with a hint on how to narrow it', async (question) => {
  const { call, close } = await openTestApp({ catalogue: testCatalogue({ checks: [check] }), results, now, maxQuestionCost: 40 })
  onTestFinished(close)
  const { status, body } = await call({ ...question, headers: credentials })
  expect({ status, code: body.code }).toEqual({ status: 400, code: 'QUERY_TOO_LARGE' })
  expect(body.message).toMatch(/million values, .*\. Choose a shorter window, fewer checks/)
})

test.each(questions)('$url is attributed to its key and account, and is cancelled when the client disconnects', async (question) => {
  const seen: (QuestionOptions | undefined)[] = []
  const { call, close } = await openTestApp({
    catalogue: testCatalogue({ checks: [check] }),
    results,
    now,
    instead: (store) => recording(store, seen),
  })
  onTestFinished(close)
  expect((await call({ ...question, headers: credentials })).status).toBe(200)
  expect(seen.length).toBeGreaterThan(0)
  for (const options of seen) {
    expect(options?.caller).toMatchObject({ account: credentials['x-service-account'], key: expect.stringMatching(/./) })
    expect(options?.signal).toBeInstanceOf(AbortSignal)
  }
})

function recording(store: Store, seen: (QuestionOptions | undefined)[]): Store {
  const noting =
    <Query, Answer>(ask: (query: Query, options?: QuestionOptions) => Promise<Answer>) =>
    (query: Query, options?: QuestionOptions) => {
      seen.push(options)
      return ask(query, options)
    }
  return {
    ...store,
    aggregate: noting(store.aggregate),
    states: noting(store.states),
    outages: noting(store.outages),
    raw: noting(store.raw),
    results: noting(store.results),
  }
}
