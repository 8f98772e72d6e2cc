import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isoText } from '../../src/time.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { testCatalogue, testCheck } from '../support/catalogue.ts'
import { anyRunType, pingedTypes } from '../support/example-config.ts'
import { testResult } from '../support/results.ts'

const now = Date.UTC(2026, 10, 14, 10)
const minute = 60_000
const path = '/v1/analytics/failures'
const shop = testCheck(anyRunType(), { id: 'shop', tags: ['shop', 'web'] })
const blog = testCheck(anyRunType(), { id: 'blog', tags: ['web'] })
const job = testCheck(pingedTypes[0] ?? anyRunType(), { id: 'job', tags: [] })
const other = { ...shop, id: 'theirs', account: 'other' }

const failed = (check: typeof shop, minutesAgo: number, error: string | null, runLocation = 'eu') =>
  testResult(check, now - minutesAgo * minute, { hasFailures: true, error, runLocation })
const results = [
  failed(shop, 50, 'no answer within 30,000 ms'),
  failed(shop, 40, 'no answer within 5,000 ms', 'us'),
  failed(blog, 30, 'no answer within 700 ms'),
  failed(shop, 20, 'status 503, expected 200'),
  failed(shop, 10, 'status 500, expected 200'),
  failed(job, 5, null, 'default'),
  failed(other, 5, 'not yours'),
  failed(shop, 3000, 'refused'),
  testResult(shop, now - minute),
]

let api: TestApp
beforeAll(async () => {
  api = await openTestApp({ catalogue: testCatalogue({ checks: [shop, blog, job, other] }), results, now })
})
afterAll(() => api.close())

const reasons = async (query: string) =>
  (await api.get(`${path}?${query}`)).body.failures.map(({ reason, count }: { reason: string; count: number }) => [reason, count])

describe('GET /v1/analytics/failures', () => {
  test('groups failing results by reason, the most frequent first, then the newest', async () => {
    const { status, body, text } = await api.get(path)
    expect(status).toBe(200)
    expect(body).toMatchObject({ from: isoText(now - 1440 * minute), to: isoText(now), total: 6, pagination: { limit: 100, next: null } })
    expect(body.failures[0]).toEqual({
      reason: 'no answer within # ms',
      count: 3,
      firstSeen: isoText(now - 50 * minute),
      lastSeen: isoText(now - 30 * minute),
      locations: ['eu', 'us'],
      checkIds: ['blog', 'shop'],
      example: {
        checkId: 'blog',
        resultId: results[2]?.result.id,
        startedAt: isoText(now - 30 * minute),
        error: 'no answer within 700 ms',
      },
    })
    expect(await reasons('')).toEqual([
      ['no answer within # ms', 3],
      ['status #, expected #', 2],
      [null, 1],
    ])
    expect(Object.keys(JSON.parse(text)).join()).toBe('from,to,total,failures,pagination')
  })

  test('has examples that can be fetched as results', async () => {
    const [{ example }] = (await api.get(`${path}?checkId=shop&tag=shop`)).body.failures
    const { body } = await api.get(`/v1/check-results/${example.checkId}/${example.resultId}?startedAt=${example.startedAt}`)
    expect(body).toMatchObject({ hasFailures: true, error: example.error })
  })

  test('filters by check, location and window', async () => {
    expect(await reasons('checkId=blog')).toEqual([['no answer within # ms', 1]])
    expect(await reasons('tag=shop&runLocation=us')).toEqual([['no answer within # ms', 1]])
    expect(await reasons('checkId=blog&tag=shop')).toEqual([])
    expect(await reasons(`checkType=${job.checkType.type}`)).toEqual([[null, 1]])
    expect(await reasons('quickRange=last7Days&tag=shop')).toContainEqual(['refused', 1])
    expect(await reasons(`from=${isoText(now - 20 * minute)}&to=${isoText(now - 10 * minute)}`)).toEqual([['status #, expected #', 2]])
  })

  test('is paged', async () => {
    const first = (await api.get(`${path}?limit=2`)).body
    const second = (await api.get(`${path}?limit=2&cursor=${first.pagination.next}`)).body
    expect([first, second].map(({ failures }) => failures.length)).toEqual([2, 1])
    expect(second).toMatchObject({ total: 6, pagination: { limit: 2, next: null } })
  })

  test('is available as CSV', async () => {
    const { headers, text } = await api.get(`${path}?format=csv&limit=1`)
    expect(headers['content-type']).toContain('text/csv')
    expect(headers['x-next-cursor']).toBeTruthy()
    const [header, row] = text.split('\r\n')
    expect(header).toBe(
      'reason,count,firstSeen,lastSeen,locations,checkIds,example.checkId,example.resultId,example.startedAt,example.error',
    )
    expect(row).toContain('no answer within # ms,3,')
  })

  test.each([
    ['checkId=theirs', 404, 'CHECK_NOT_FOUND'],
    ['checkId=no%20body', 400, 'INVALID_ID'],
    ['location=eu', 400, 'UNKNOWN_PARAMETER'],
    ['checkType=NOTHING', 400, 'INVALID_PARAMETER'],
    ['limit=0', 400, 'INVALID_PARAMETER'],
    ['cursor=nonsense', 400, 'INVALID_CURSOR'],
    ['from=2026-11-15&to=2026-11-14', 400, 'INVALID_WINDOW'],
  ])('rejects %s', async (query, status, code) => {
    const answer = await api.get(`${path}?${query}`)
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })
})
