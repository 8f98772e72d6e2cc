import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { type Evidence, encodeEvidence } from '../../src/store/evidence.ts'
import { isoText } from '../../src/time.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { testCatalogue, testCheck } from '../support/catalogue.ts'
import { anyRunType } from '../support/example-config.ts'
import { testResult } from '../support/results.ts'

const now = Date.UTC(2026, 10, 14, 10)
const limits = { evidenceBytes: 16_384, screenshotBytes: 1000 }
const checks = checkTypes.map((checkType) => testCheck(checkType))
const shop = testCheck(anyRunType(), { id: 'shop', locations: ['eu'] })
const other = { ...shop, id: 'theirs', account: 'other' }
const starts = [now - 300_000, now - 200_000, now - 100_000]
const results = [...checks, shop, other].flatMap((check) => starts.map((at) => testResult(check, at)))
const evidence: Evidence = {
  attempts: [
    {
      startedAt: now - 50_000,
      error: 'status 503, expected 200',
      assertions: [{ text: 'status equals 200', passed: false, actual: '503' }],
      response: { status: 503, headers: [{ name: 'server', value: 'nginx' }], body: 'Sorry', truncated: false },
      steps: [{ title: 'log in', durationMs: 12.5, error: null }],
      messages: ['redirected'],
    },
  ],
  screenshot: Uint8Array.of(255, 216),
}
const failing = testResult(shop, now - 50_000, { hasFailures: true, error: 'status 503, expected 200', attempts: 1 })

let api: TestApp
beforeAll(async () => {
  api = await openTestApp({ catalogue: testCatalogue({ checks: [...checks, shop, other] }), results, now })
  await api.store.append([{ ...failing, evidence: encodeEvidence(evidence, limits) ?? new Uint8Array() }])
})
afterAll(() => api.close())

const idAt = (check: typeof shop, at: number) => testResult(check, at).result.id

describe('GET /v1/check-results/{checkId}/{resultId}', () => {
  test.each(checks)('returns the same entry as the list, with its neighbours, for $checkType.type', async (check) => {
    const [first, middle, last] = starts as [number, number, number]
    const [, listed] = (await api.get(`/v1/check-results/${check.id}`)).body
    const { status, body } = await api.get(`/v1/check-results/${check.id}/${idAt(check, middle)}`)
    const runLocation = check.locations[0] ?? 'default'
    expect(status).toBe(200)
    expect(body).toEqual({
      ...listed,
      previous: { id: idAt(check, first), startedAt: isoText(first), runLocation },
      next: { id: idAt(check, last), startedAt: isoText(last), runLocation },
      evidence: null,
    })
  })

  test('returns null for the neighbours before the first and after the last', async () => {
    const first = (await api.get(`/v1/check-results/shop/${idAt(shop, starts[0] ?? 0)}`)).body
    expect([first.previous, first.next?.id]).toEqual([null, idAt(shop, starts[1] ?? 0)])
    expect((await api.get(`/v1/check-results/shop/${failing.result.id}`)).body.next).toBeNull()
  })

  test('returns the neighbours at the same location on request', async () => {
    const two = testCheck(anyRunType(), { id: 'two', locations: ['eu', 'us'] })
    const runs = [400, 300, 200, 100].map((ago, i) => testResult(two, now - ago, { runLocation: i % 3 === 0 ? 'eu' : 'us' }))
    const { get, close } = await openTestApp({ catalogue: testCatalogue({ checks: [two] }), results: runs, now })
    onTestFinished(close)
    const [firstEu, , secondUs, lastEu] = runs.map(({ result }) => result.id)
    const of = async (id: string | undefined, query: string) => (await get(`/v1/check-results/two/${id}${query}`)).body
    expect((await of(lastEu, '')).previous.id).toBe(secondUs)
    expect((await of(lastEu, '?sameLocation=true')).previous.id).toBe(firstEu)
    expect((await of(firstEu, '?sameLocation=true')).next.id).toBe(lastEu)
    expect((await of(secondUs, '?sameLocation=true')).next).toBeNull()
  })

  test('returns the evidence of the run', async () => {
    const { body } = await api.get(`/v1/check-results/shop/${failing.result.id}`)
    const [attempt] = evidence.attempts
    expect(body.evidence).toEqual({
      attempts: [
        { ...attempt, startedAt: isoText(now - 50_000), assertions: [{ expected: 'status equals 200', found: '503', passed: false }] },
      ],
      screenshot: { mediaType: 'image/jpeg', base64: '/9g=' },
    })
  })

  test.each([isoText(now - 50_000), String(now - 50_000)])('is found when its start is given as %s', async (startedAt) => {
    const { status, body } = await api.get(`/v1/check-results/shop/${failing.result.id}?startedAt=${startedAt}`)
    expect([status, body.id]).toEqual([200, failing.result.id])
  })

  test.each([
    ['an unknown id', 'shop/nobody', 'RESULT_NOT_FOUND'],
    ['an invalid id', 'shop/no%20body', 'RESULT_NOT_FOUND'],
    ['a result of another check', `${checks[0]?.id}/${failing.result.id}`, 'RESULT_NOT_FOUND'],
    ['the wrong start', `shop/${failing.result.id}?startedAt=${now}`, 'RESULT_NOT_FOUND'],
    ['a check of another account', `theirs/${idAt(other, starts[0] ?? 0)}`, 'CHECK_NOT_FOUND'],
    ['an unknown check', `nobody/${failing.result.id}`, 'CHECK_NOT_FOUND'],
  ])('is a 404 for %s', async (_, path, code) => {
    const { status, body } = await api.get(`/v1/check-results/${path}`)
    expect([status, body.code]).toEqual([404, code])
  })

  test('validates the start, and rejects other parameters', async () => {
    const refused = async (query: string) => (await api.get(`/v1/check-results/shop/${failing.result.id}?${query}`)).body
    expect(await refused('startedAt=yesterday')).toMatchObject({ statusCode: 400, code: 'INVALID_PARAMETER' })
    expect(await refused('started=1')).toMatchObject({
      statusCode: 400,
      code: 'UNKNOWN_PARAMETER',
      message: expect.stringContaining('startedAt'),
    })
  })

  test('requires a key', async () => {
    const { status } = await api.call({ method: 'GET', url: `/v1/check-results/shop/${failing.result.id}` })
    expect(status).toBe(401)
  })

  test('does not shadow other routes below the results of a check', async () => {
    expect((await api.get('/v1/check-results/shop/export?format=csv')).status).toBe(200)
  })
})
