import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, credentials, testCatalogue, testCheck } from '../support/catalogue.ts'
import { testResult } from '../support/results.ts'

const minute = 60_000
const now = Date.parse('2026-11-14T10:20:30.456Z')
const checks = Array.from({ length: 23 }, (_, i) => {
  const checkType = checkTypes[i % checkTypes.length]
  if (!checkType) throw new Error('there are no check types')
  const id = `c${String(i).padStart(2, '0')}`
  return testCheck(checkType, {
    id,
    name: `Check ${i} of Ärger & Co`,
    tags: [i % 2 ? 'odd' : 'even', `n${i}`],
    createdAt: Date.UTC(2026, 0, 1 + i),
  })
})
const [passing, failing, degraded, silent] = checks
if (!passing || !failing || !degraded || !silent) throw new Error('there are too few checks')

const results = [
  testResult(passing, now - minute),
  testResult(passing, now - 2 * minute, { runLocation: 'us-east-1' }),
  testResult(failing, now - minute),
  testResult(failing, now - 2 * minute, { runLocation: 'us-east-1', hasFailures: true, hasErrors: true, error: 'It broke.' }),
  testResult(degraded, now - minute, { isDegraded: true, overMaxResponseTime: true, attempts: 3 }),
  ...Array.from({ length: 25 }, (_, i) => testResult(passing, now - (10 + i) * minute, { hasFailures: i % 5 === 0 })),
]

let api: TestApp
beforeAll(async () => {
  api = await openTestApp({ catalogue: testCatalogue({ checks }), results, now })
})
afterAll(() => api.close())

const ids = (body: readonly { readonly id: string }[]) => body.map(({ id }) => id)
const every = checks.map(({ id }) => id)

describe('GET /v1/checks', () => {
  test('is a bare array, ten at a time, with Content-Range and Link', async () => {
    const { body, headers } = await api.get('/v1/checks')
    expect(ids(body)).toEqual(every.slice(0, 10))
    expect(headers['content-range']).toBe('0-9/23')
    expect(headers.link).toBe('</v1/checks?page=2>; rel="next", </v1/checks?page=3>; rel="last"')
  })
  test('has pages up to the last one, and a page past it is empty', async () => {
    const last = await api.get('/v1/checks?page=3')
    expect([ids(last.body), last.headers['content-range'], last.headers.link]).toEqual([
      every.slice(20),
      '20-22/23',
      '</v1/checks?page=3>; rel="last"',
    ])
    const past = await api.get('/v1/checks?page=4')
    expect([past.status, past.body, past.headers['content-range']]).toEqual([200, [], '*/23'])
    expect(ids((await api.get('/v1/checks?limit=100')).body)).toEqual(every)
  })
  test('links keep the filters', async () => {
    const { headers } = await api.get('/v1/checks?tag=odd&limit=5')
    expect(headers.link).toBe('</v1/checks?tag=odd&limit=5&page=2>; rel="next", </v1/checks?tag=odd&limit=5&page=3>; rel="last"')
  })
  test('tag matches any of the tags, in every spelling of lists', async () => {
    for (const query of ['tag=n3,n5', 'tag=n3&tag=n5', 'tag[]=n3&tag[]=n5', 'tag=n3%2Cn5']) {
      expect(ids((await api.get(`/v1/checks?${query}`)).body)).toEqual(['c03', 'c05'])
    }
  })
  test('checkType filters by one of the types', async () => {
    for (const { type } of checkTypes) {
      const { body } = await api.get(`/v1/checks?checkType=${type}&limit=100`)
      expect(ids(body)).toEqual(checks.filter(({ checkType }) => checkType.type === type).map(({ id }) => id))
    }
    expect((await api.get('/v1/checks?checkType=SURF')).status).toBe(400)
  })
  test('search matches a part of the name, case-insensitively', async () => {
    expect(ids((await api.get('/v1/checks?search=CHECK%2012')).body)).toEqual(['c12'])
    expect(ids((await api.get('/v1/checks?search=%C3%84RGER&limit=100')).body)).toEqual(every)
    expect(ids((await api.get('/v1/checks?search=&limit=100')).body)).toEqual(every)
  })
  test('status filters by the state of a check', async () => {
    expect(ids((await api.get('/v1/checks?status=passing')).body)).toEqual([passing.id])
    expect(ids((await api.get('/v1/checks?status=failing')).body)).toEqual([failing.id])
    expect(ids((await api.get('/v1/checks?status=degraded')).body)).toEqual([degraded.id])
    expect((await api.get('/v1/checks?status=paused')).status).toBe(400)
  })
  test('unknown parameters are ignored, and known ones are validated', async () => {
    expect((await api.get('/v1/checks?applyGroupSettings=true&_=1')).status).toBe(200)
    for (const query of ['limit=0', 'limit=101', 'page=0', 'limit=1e1', 'limit=5&limit=5']) {
      expect([query, (await api.get(`/v1/checks?${query}`)).status]).toEqual([query, 400])
    }
  })
})

describe('GET /v1/checks/{id}', () => {
  test('returns that check', async () => {
    for (const [index, { id, checkType, settings }] of checks.entries()) {
      const { body } = await api.get(`/v1/checks/${id}`)
      const fields = [
        'id',
        'name',
        'checkType',
        'activated',
        'muted',
        'frequency',
        'locations',
        'tags',
        'groupId',
        'request',
        'created_at',
        'updated_at',
      ]
      expect(Object.keys(body)).toEqual(fields)
      expect(body).toMatchObject({ id, checkType: checkType.type, groupId: null, frequency: 1, request: checkType.target(settings) })
      expect(body.created_at).toBe(new Date(Date.UTC(2026, 0, 1 + index)).toISOString())
    }
  })
})

describe('GET /v1/check-statuses', () => {
  test('lists all checks, ordered by checkId', async () => {
    const { body } = await api.get('/v1/check-statuses')
    expect(body.map(({ checkId }: { checkId: string }) => checkId)).toEqual(every.toSorted())
  })
  test('ignores limit and page', async () => {
    const { text } = await api.get('/v1/check-statuses')
    expect((await api.get('/v1/check-statuses?limit=1&page=2')).text).toBe(text)
  })
  test('of one check has the worst outcome of its locations, and the location that ran last', async () => {
    const { body } = await api.get(`/v1/check-statuses/${failing.id}`)
    expect(Object.keys(body)).toEqual([
      'name',
      'checkId',
      'hasFailures',
      'hasErrors',
      'isDegraded',
      'longestRun',
      'shortestRun',
      'lastRunLocation',
      'lastCheckRunId',
      'sslDaysRemaining',
      'created_at',
      'updated_at',
      'state',
      'locations',
      'muted',
      'maintenance',
      'failingSince',
      'reason',
    ])
    expect(body).toMatchObject({
      muted: false,
      maintenance: null,
      state: 'failing',
      hasFailures: true,
      hasErrors: true,
      isDegraded: false,
      lastRunLocation: 'eu-west-1',
      sslDaysRemaining: null,
    })
  })
  test('has the newest result of each location', async () => {
    const { body } = await api.get(`/v1/check-statuses/${failing.id}`)
    const newest = (runLocation: string) =>
      results.filter(({ check, result }) => check.checkId === failing.id && result.runLocation === runLocation).at(-1)?.result
    expect(body.locations.map(({ runLocation }: { runLocation: string }) => runLocation)).toEqual(failing.locations)
    for (const { runLocation, state, lastCheckRunId, updated_at, ...rest } of body.locations) {
      const result = newest(runLocation)
      expect(rest).toEqual({})
      expect(lastCheckRunId).toBe(result?.id ?? null)
      expect(updated_at).toBe(result === undefined ? null : new Date(result.startedAt).toISOString())
      expect(state).toBe(result === undefined ? 'unknown' : result.hasFailures ? 'failing' : 'passing')
    }
  })
  test('has the longest and the shortest run of the last 24 hours', async () => {
    const { body } = await api.get(`/v1/check-statuses/${passing.id}`)
    const own = results.filter(({ check }) => check.checkId === passing.id)
    const lengths = own.flatMap(({ result }) => result.values[passing.checkType.duration ?? ''] ?? [])
    expect([body.longestRun, body.shortestRun]).toEqual([Math.max(...lengths), Math.min(...lengths)])
  })
  test('has the same state as the badge and as the filter of /v1/checks', async () => {
    for (const { id, state } of [
      { id: passing.id, state: 'passing' },
      { id: failing.id, state: 'failing' },
      { id: degraded.id, state: 'degraded' },
      { id: silent.id, state: 'unknown' },
    ]) {
      expect([id, (await api.get(`/v1/check-statuses/${id}`)).body.state]).toEqual([id, state])
      expect([id, (await api.get(`/v1/badges/checks/${id}.json`)).body.message]).toEqual([id, state])
      if (state !== 'unknown') expect(ids((await api.get(`/v1/checks?limit=100&status=${state}`)).body)).toContain(id)
    }
  })
  test('reports a check that runs every 90 s as unknown after 270 s, and as paused when it is not activated', async () => {
    const often = { ...passing, everyMs: 90_000 }
    const stateAt = async (laterMs: number, more: object = {}) => {
      const catalogue = testCatalogue({ checks: [{ ...often, ...more }] })
      const later = await openTestApp({ catalogue, results: [testResult(often, now)], now: now + laterMs })
      const { body } = await later.get('/v1/check-statuses')
      await later.close()
      return body[0].state
    }
    expect([await stateAt(180_001), await stateAt(270_000), await stateAt(270_001)]).toEqual(['passing', 'passing', 'unknown'])
    expect(await stateAt(0, { activated: false })).toBe('paused')
  })
  test('has nulls while there are no results', async () => {
    const { body } = await api.get(`/v1/check-statuses/${silent.id}`)
    expect(body).toMatchObject({ hasFailures: false, longestRun: null, shortestRun: null, lastRunLocation: null, lastCheckRunId: null })
  })
})

describe('GET /v2/check-results/{checkId}', () => {
  test('pages through all results by nextId, each once, newest first', async () => {
    const seen: string[] = []
    let nextId: string | null = ''
    while (nextId !== null) {
      const cursor: string = nextId === '' ? '' : `&nextId=${nextId}`
      const { body } = await api.get(`/v2/check-results/${passing.id}?limit=7${cursor}`)
      expect(body.length).toBe(body.entries.length)
      seen.push(...ids(body.entries))
      nextId = body.nextId
    }
    expect(seen).toEqual(newestFirst(passing.id))
  })
  test('returns entries with the outcome and the measured values of the type', async () => {
    const { body } = await api.get(`/v2/check-results/${degraded.id}`)
    const [entry] = body.entries
    expect(Object.keys(entry).slice(0, 16)).toEqual([
      'id',
      'name',
      'checkId',
      'hasFailures',
      'hasErrors',
      'isDegraded',
      'overMaxResponseTime',
      'runLocation',
      'startedAt',
      'stoppedAt',
      'created_at',
      'responseTime',
      'attempts',
      'checkRunId',
      'resultType',
      'error',
    ])
    expect(entry).toMatchObject({ isDegraded: true, overMaxResponseTime: true, attempts: 3, resultType: 'FINAL', error: null })
    for (const name of Object.keys(degraded.checkType.metrics)) {
      if (!degraded.checkType.metrics[name]?.perPage) expect(typeof entry[name]).toBe('number')
    }
    expect(body).toMatchObject({ length: 1, nextId: null })
  })
  test('has the error in a failing entry', async () => {
    const { body } = await api.get(`/v2/check-results/${failing.id}?hasFailures=true`)
    expect(body.entries).toMatchObject([{ hasFailures: true, hasErrors: true, error: 'It broke.' }])
  })
  test('serves an entry whose duration exceeds the range of dates like any other', async () => {
    const { duration } = passing.checkType
    const endless = testResult(passing, now, { values: { [duration ?? '']: Number.MAX_SAFE_INTEGER } })
    const other = await openTestApp({ catalogue: testCatalogue({ checks }), results: [endless], now })
    const { body } = await other.get(`/v2/check-results/${passing.id}`)
    expect(body.entries).toMatchObject([{ responseTime: Number.MAX_SAFE_INTEGER, stoppedAt: '9999-12-31T23:59:59.999Z' }])
    await other.close()
  })
  test('filters by location, outcome, from (≥) and to (<) in unix seconds', async () => {
    const count = async (query: string) => (await api.get(`/v2/check-results/${passing.id}?limit=100&${query}`)).body.length
    const last = (now - minute) / 1000
    expect(await count('location=us-east-1')).toBe(1)
    expect(await count('hasFailures=true')).toBe(5)
    expect(await count('hasFailures=false')).toBe(22)
    expect(await count(`from=${last}`)).toBe(1)
    expect(await count(`to=${last}`)).toBe(26)
    expect(await count(`from=${last}&to=${last}`)).toBe(0)
  })
  test.each(['/v2/check-results/', '/v1/check-results/'])('%s rejects an empty location instead of returning no results', async (path) => {
    const { status, body } = await api.get(`${path}${passing.id}?location=`)
    expect([status, body.message]).toEqual([400, 'location must be 1 to 200 characters.'])
  })
  test('accepts the type of the check and the result type, of which only final results are stored', async () => {
    const count = async (query: string) => (await api.get(`/v2/check-results/${passing.id}?limit=100&${query}`)).body.length
    expect(await count(`checkType=${passing.checkType.type}`)).toBe(27)
    expect(await count(`checkType=${checkTypes.find((one) => one !== passing.checkType)?.type}`)).toBe(0)
    expect(await count('resultType=FINAL')).toBe(27)
    expect(await count('resultType=ALL')).toBe(27)
    expect(await count('resultType=ATTEMPT')).toBe(0)
  })
  test('returns only the properties of an entry that fields lists, and ignores unknown names', async () => {
    for (const fields of ['fields=startedAt,id,sequenceId', 'fields=id&fields=startedAt', 'fields[]=id&fields[]=startedAt']) {
      const paged = await api.get(`/v1/check-results/${degraded.id}?${fields}`)
      const { body } = await api.get(`/v2/check-results/${degraded.id}?${fields}`)
      expect(body.entries.map(Object.keys)).toEqual([['id', 'startedAt']])
      expect(paged.body).toEqual(body.entries)
    }
  })
  test('rejects invalid values with 400', async () => {
    for (const query of [
      'checkType=SURF',
      'resultType=final',
      'nextId=x',
      'nextId=',
      'limit=101',
      'from=2026-01-01',
      'from=2&to=1',
      'hasFailures=1',
      'page=1',
      'wat=1',
    ]) {
      expect([query, (await api.get(`/v2/check-results/${passing.id}?${query}`)).status]).toEqual([query, 400])
    }
  })
})

describe('GET /v1/check-results/{checkId}', () => {
  test('returns the same entries as a bare array, with page', async () => {
    const { body } = await api.get(`/v1/check-results/${passing.id}?limit=20&page=2`)
    expect(ids(body)).toEqual(newestFirst(passing.id).slice(20))
    expect((await api.get(`/v1/check-results/${passing.id}?page=99`)).body).toEqual([])
    expect((await api.get(`/v1/check-results/${passing.id}?nextId=x`)).status).toBe(400)
  })
})

describe('POST /v1/analytics/checks', () => {
  const post = (payload: unknown, query = '') =>
    api.call({
      method: 'POST',
      url: `/v1/analytics/checks${query}`,
      headers: { ...credentials, 'content-type': 'application/json' },
      payload: JSON.stringify(payload),
    })
  test('has an entry per existing check, in the requested order; absent does not apply, null is no data', async () => {
    const requested = every.slice(0, 12).toReversed()
    const { body } = await post({ checkIds: [...requested, 'unknown', 'c00'] })
    expect(body.map(({ checkId }: { checkId: string }) => checkId)).toEqual(requested)
    for (const line of body) {
      const check = checks.find(({ id }) => id === line.checkId)
      const figures = Object.entries(check?.checkType.summary ?? {}).flatMap(([name, { aggregations }]) =>
        aggregations.map((one) => `${name}_${one}`),
      )
      expect(Object.keys(line)).toEqual(['checkId', 'checkType', 'availability', ...figures])
    }
    expect(body.find(({ checkId }: { checkId: string }) => checkId === silent.id).availability).toBeNull()
  })
  test('has the same figures as the report of the check', async () => {
    const { duration, path, summary } = passing.checkType
    const [name, figure] = Object.entries(summary)[0] ?? []
    const metrics = figure?.aggregations.map((aggregation) => `${duration}_${aggregation}`) ?? []
    const report = await api.get(`/v1/analytics/${path}/${passing.id}?metrics=availability,${metrics.join()}`)
    const [row] = report.body.series[0].data
    const [line] = (await post({ checkIds: [passing.id] })).body
    expect(line.availability).toBe(row.availability)
    for (const aggregation of figure?.aggregations ?? []) expect(line[`${name}_${aggregation}`]).toBe(row[`${duration}_${aggregation}`])
  })
  test('accepts all presets, and from and to', async () => {
    for (const range of ['last24Hours', 'last7Days', 'last30Days', 'thisWeek', 'thisMonth', 'lastWeek', 'lastMonth']) {
      expect((await post({ checkIds: [passing.id] }, `?quickRange=${range}`)).status).toBe(200)
    }
    const [line] = (await post({ checkIds: [passing.id] }, '?from=2020-01-01&to=2020-01-02')).body
    expect(line.availability).toBeNull()
    expect((await post({ checkIds: [passing.id] }, '?quickRange=never')).status).toBe(400)
    expect((await post({ checkIds: [passing.id] }, '?metrics=availability')).body.code).toBe('UNKNOWN_PARAMETER')
  })
  test('requires 1 to 100 ids', async () => {
    const many = Array.from({ length: 101 }, (_, i) => `c${i}`)
    for (const body of [{}, [], null, 'c00', { checkIds: [] }, { checkIds: 'c00' }, { checkIds: many }]) {
      const { code, message } = (await post(body)).body
      expect([body, code, message]).toEqual([body, 'INVALID_BODY', expect.stringContaining('Send {"checkIds": […]} with 1 to 100 ids')])
    }
    for (const id of [5, null, '', 'a b']) expect((await post({ checkIds: [id] })).body.code).toBe('INVALID_ID')
    expect((await post({ checkIds: many.slice(1) })).status).toBe(200)
  })
})

test('an account sees only its own checks', async () => {
  const mine = testCatalogue({ checks: checks.map((check, i) => (i % 2 ? { ...check, account: 'other' } : check)) })
  const shared = await openTestApp({ catalogue: mine, results, now })
  const own = mine.checks(account).map(({ id }) => id)
  expect(ids((await shared.get('/v1/checks?limit=100')).body)).toEqual(own)
  expect((await shared.get('/v1/check-statuses')).body).toHaveLength(own.length)
  await shared.close()
})

function newestFirst(checkId: string): readonly (string | null)[] {
  return results
    .filter(({ check }) => check.checkId === checkId)
    .toSorted((a, b) => b.result.startedAt - a.result.startedAt)
    .map(({ result }) => result.id)
}
