// @slow
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { credentials } from '../support/catalogue.ts'
import { checkOfType, checks, feeder, type IngestApp, ingestApp, now, stranger } from '../support/ingest-app.ts'

const json = { 'content-type': 'application/json' }
const lines = { 'content-type': 'application/x-ndjson' }
const [anyCheck] = checks
if (!anyCheck) throw new Error('there are no checks')
const row = { checkId: anyCheck.id, startedAt: '2026-11-14T10:00:00.123Z', runLocation: 'eu-west-1', hasFailures: false }
const at = (minutes: number) => ({ ...row, startedAt: now - minutes * 60_000 })

describe('POST /v1/check-results', () => {
  test('accepts rows of all types in one call, and reports the outcome', async () => {
    const { app } = await ingestApp()
    const rows = checks.map((check) => ({ ...row, checkId: check.id, ...sampleOf(check.checkType.type) }))
    expect(await post(app, rows)).toEqual({ accepted: checks.length, duplicates: 0, rejected: [] })
    for (const { id, checkType } of checks) {
      const url = `/v1/analytics/${checkType.path}/${id}?metrics=availability&from=2026-11-14&to=2026-11-14`
      expect((await app.inject({ url, headers: feeder })).json().series[0].data).toEqual([{ total: 1, success: 1, availability: 100 }])
    }
  })

  test.each(checkTypes.map((checkType) => [checkType.type, checkType] as const))(
    'accepts the rows of a raw report of type %s',
    async (_, checkType) => {
      const check = checkOfType(checkType)
      const names = Object.keys(checkType.metrics)
      const url = `/v1/analytics/${checkType.path}/${check.id}?metrics=${[...names, ...(names.length > 0 ? ['availability', 'retries'] : ['availability'])]}&from=2026-11-14&to=2026-11-14`
      const first = await ingestApp()
      await post(first.app, [{ ...row, checkId: check.id, attempts: 2, ...sampleOf(checkType.type) }])
      const shown = (await first.app.inject({ url, headers: feeder })).json().series
      if (names.length === 0) return
      const second = await ingestApp()
      const back = shown[0].data.map((shownRow: object) => ({ checkId: check.id, ...shownRow }))
      expect(await post(second.app, back)).toMatchObject({ accepted: 1, rejected: [] })
      expect((await second.app.inject({ url, headers: feeder })).json().series).toEqual(shown)
    },
  )

  test.each([
    ['a JSON array', json, (rows: object[]) => JSON.stringify(rows)],
    ['NDJSON', lines, (rows: object[]) => rows.map((one) => JSON.stringify(one)).join('\n')],
  ])('rejects only the row of the location that exceeds the limit: %s', async (_, type, write) => {
    const { app } = await ingestApp()
    const rows = Array.from({ length: 1001 }, (_, i) => ({ ...row, runLocation: `location-${i}` }))
    const payload = write([...rows, { ...at(1), runLocation: 'location-7' }])
    const { rejected, accepted } = (
      await app.inject({ method: 'POST', url: '/v1/check-results', headers: { ...feeder, ...type }, payload })
    ).json()
    expect(accepted).toBe(1001)
    expect(rejected).toEqual([{ index: 1000, code: 'TOO_MANY_VALUES', message: expect.stringContaining('limits.locations') }])
  })

  test.each([
    ['a JSON array', json, (rows: object[]) => JSON.stringify(rows)],
    ['NDJSON', lines, (rows: object[]) => rows.map((one) => JSON.stringify(one)).join('\n')],
    ['a gzip array', { ...json, 'content-encoding': 'gzip' }, (rows: object[]) => gzipSync(JSON.stringify(rows))],
    [
      'gzip NDJSON',
      { ...lines, 'content-encoding': 'gzip' },
      (rows: object[]) => gzipSync(rows.map((one) => JSON.stringify(one)).join('\n')),
    ],
  ])('accepts %s', async (_, headers, encode) => {
    const { app } = await ingestApp()
    const response = await app.inject({
      method: 'POST',
      url: '/v1/check-results/',
      headers: { ...feeder, ...headers },
      payload: encode([at(1), at(2)]),
    })
    expect(response.statusCode).toBe(200)
    expect(response.json()).toEqual({ accepted: 2, duplicates: 0, rejected: [] })
  })

  test('counts a duplicate row, of this request or an earlier one, and changes nothing', async () => {
    const { app, store } = await ingestApp()
    expect(await post(app, [at(1), at(1), { ...at(2), id: 'mine' }])).toEqual({ accepted: 2, duplicates: 1, rejected: [] })
    await store.seal()
    expect(await post(app, [at(1), at(3), { ...at(9), id: 'mine' }])).toEqual({ accepted: 1, duplicates: 2, rejected: [] })
  })

  test('rejects a bad row without affecting the others', async () => {
    const { app } = await ingestApp()
    const rows = [at(1), { ...at(2), nonsense: 1 }, 7, { ...at(3), attempts: 0 }, { ...at(-11) }, at(4)]
    const answer = await post(app, rows)
    expect(answer).toMatchObject({ accepted: 2, duplicates: 0 })
    expect(answer.rejected.map(({ index, code }: { index: number; code: string }) => [index, code])).toEqual([
      [1, 'UNKNOWN_METRIC'],
      [2, 'MALFORMED_ROW'],
      [3, 'INVALID_PROPERTY'],
      [4, 'START_IN_FUTURE'],
    ])
  })

  test('rejects a row for a check of another account like one for a missing check', async () => {
    const { app } = await ingestApp()
    const [foreign, missing] = (
      await post(app, [
        { ...row, checkId: 'foreign' },
        { ...row, checkId: 'missing' },
      ])
    ).rejected
    expect(foreign.message.replace('foreign', 'missing')).toBe(missing.message)
    expect(foreign.code).toBe(missing.code)
    const own = await app.inject({
      method: 'POST',
      url: '/v1/check-results',
      headers: { ...stranger, ...json },
      payload: [{ ...row, checkId: 'foreign' }],
    })
    expect(own.json().accepted).toBe(1)
  })

  test('accepts an empty array', async () => {
    const { app } = await ingestApp()
    expect(await post(app, [])).toEqual({ accepted: 0, duplicates: 0, rejected: [] })
  })

  test.each([
    ['no credentials', {}, json, '[]', 401, 'MISSING_KEY'],
    ['a key that may only read', credentials, json, '[]', 403, 'MISSING_SCOPE'],
    ['another media type', feeder, { 'content-type': 'text/csv' }, 'a,b', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a form', feeder, { 'content-type': 'application/x-www-form-urlencoded' }, 'a=b', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['another encoding', feeder, { ...json, 'content-encoding': 'br' }, '[]', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['no JSON', feeder, json, '[{', 400, 'INVALID_BODY'],
    ['one object', feeder, json, '{}', 400, 'INVALID_BODY'],
    ['an empty body', feeder, json, '', 400, 'INVALID_BODY'],
    ['broken gzip', feeder, { ...json, 'content-encoding': 'gzip' }, '[]', 400, 'INVALID_BODY'],
    ['a gzip bomb', feeder, { ...json, 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(100_000_000, 0x20)), 413, 'BODY_TOO_LARGE'],
    ['invalid UTF-8', feeder, lines, Buffer.from([0x22, 0xff, 0x22]), 400, 'INVALID_BODY'],
    ['deep nesting', feeder, json, '['.repeat(4_000_000), 400, 'INVALID_BODY'],
    ['more than 10,000 rows', feeder, json, `[${Array(10_001).fill('1').join()}]`, 413, 'BODY_TOO_LARGE'],
    ['more than 10,000 lines', feeder, lines, '1\n'.repeat(10_001), 413, 'BODY_TOO_LARGE'],
    ['more than 8 MiB', feeder, json, Buffer.alloc(8 * 1024 * 1024 + 1, 0x20), 413, 'BODY_TOO_LARGE'],
    ['one endless line', feeder, lines, Buffer.alloc(9_000_000, 0x61), 413, 'BODY_TOO_LARGE'],
  ])('rejects %s', async (what, who, headers, payload, statusCode, code) => {
    const { app, catalogue } = await ingestApp()
    const key = catalogue.keyByHash
    if (who === credentials)
      Object.assign(catalogue, {
        keyByHash: (hash: string) => key(hash) ?? { id: 'r', name: 'r', hash, account: 'acme', scopes: ['read'] },
      })
    const response = await app.inject({ method: 'POST', url: '/v1/check-results', headers: { ...who, ...headers }, payload })
    expect([what, response.statusCode, response.json().code]).toEqual([what, statusCode, code])
  })
})

describe('GET /v1/check-results/{id}/export', () => {
  test.each(checkTypes.map((checkType) => [checkType.type, checkType] as const))(
    'exports results of type %s as they were imported: another import and export gives the same bytes',
    async (_, checkType) => {
      const { id } = checkOfType(checkType)
      const first = await ingestApp()
      const hard = ['=1+1', '-2', 'a "quoted", text\r\nof two lines', "'=x"]
      const rows = hard.map((error, i) => ({ ...at(i * 500), checkId: id, hasFailures: i % 2 === 0, error, ...sampleOf(checkType.type) }))
      await post(first.app, [...rows, { ...at(7), checkId: id, hasFailures: false }])
      const ndjson = await exported(first, id, 'ndjson')
      expect(ndjson.split('\n')).toHaveLength(6)
      await first.store.seal()
      expect(await exported(first, id, 'ndjson')).toBe(ndjson)

      const second = await ingestApp()
      const answer = await second.app.inject({
        method: 'POST',
        url: '/v1/check-results',
        headers: { ...feeder, ...lines },
        payload: ndjson,
      })
      expect(answer.json()).toEqual({ accepted: 5, duplicates: 0, rejected: [] })
      expect(await exported(second, id, 'ndjson')).toBe(ndjson)
      expect(await exported(second, id, 'csv')).toBe(await exported(first, id, 'csv'))
    },
  )

  test('covers the window, including both its ends, oldest first', async () => {
    const { app } = await ingestApp()
    await post(app, [1, 2, 3, 4, 5].map(at))
    const url = `/v1/check-results/${anyCheck.id}/export?from=${now - 4 * 60_000}&to=${now - 2 * 60_000}`
    const response = await app.inject({ url, headers: feeder })
    expect(response.headers['content-type']).toBe('application/x-ndjson; charset=utf-8')
    const starts = response.payload
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).startedAt)
    expect(starts).toEqual([4, 3, 2].map((minutes) => new Date(now - minutes * 60_000).toISOString()))
  })

  test.each([
    ['/v1/check-results/nobody/export', 404],
    ['/v1/check-results/foreign/export', 404],
    [`/v1/check-results/${anyCheck.id}/export?format=xml`, 400],
    [`/v1/check-results/${anyCheck.id}/export?form=csv`, 400],
    [`/v1/check-results/${anyCheck.id}/export?from=2026-11-14&to=2026-11-13`, 400],
    [`/v1/check-results/${anyCheck.id}/export?from=yesterday`, 400],
  ])('rejects %s', async (url, statusCode) => {
    const { app } = await ingestApp()
    expect((await app.inject({ url, headers: feeder })).statusCode).toBe(statusCode)
  })
})

/** A value for each metric and field of a type. */
function sampleOf(type: string): Readonly<Record<string, unknown>> {
  const checkType = checkTypes.find((each) => each.type === type)
  const values = Object.entries(checkType?.metrics ?? {}).map(([name, { unit }], i) => [name, unit === 'count' ? i : i + 0.123])
  return Object.fromEntries([...values, ...(checkType?.fields ?? []).map((name) => [name, 200])])
}

async function post(app: IngestApp['app'], rows: readonly unknown[]) {
  const response = await app.inject({
    method: 'POST',
    url: '/v1/check-results',
    headers: { ...feeder, ...json },
    payload: JSON.stringify(rows),
  })
  expect(response.statusCode).toBe(200)
  return response.json()
}

async function exported({ app }: IngestApp, id: string, format: string): Promise<string> {
  const response = await app.inject({ url: `/v1/check-results/${id}/export?format=${format}`, headers: feeder })
  expect(response.statusCode).toBe(200)
  return response.payload
}
