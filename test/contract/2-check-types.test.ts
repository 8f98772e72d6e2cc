import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { testCatalogue, testCheck } from '../support/catalogue.ts'

const suffixes = ['avg', 'max', 'median', 'min', 'p50', 'p90', 'p95', 'p99', 'stddev', 'sum']
let api: TestApp
beforeAll(async () => {
  api = await openTestApp({ catalogue: testCatalogue({ checks: checkTypes.map((checkType) => testCheck(checkType)) }) })
})
afterAll(() => api.close())

describe.each(checkTypes.map((checkType) => [checkType.type, checkType] as const))('%s', (type, checkType) => {
  const bases = Object.keys(checkType.metrics).filter((name) => !checkType.metrics[name]?.unlisted)
  const report = `/v1/analytics/${checkType.path}/check-${checkType.path}`

  test('has its own endpoint', async () => {
    const { status, body } = await api.get(`${report}?metrics=availability`)
    expect([status, body.checkType]).toEqual([200, type])
  })
  test('lists bases, availability, retries, then each base with its suffixes', async () => {
    const { body } = await api.get(`/v1/analytics/metrics/?checkType=${type}`)
    expect(body.map(({ name }: { name: string }) => name)).toEqual([
      ...bases,
      'availability',
      'retries',
      ...bases.flatMap((base) => suffixes.map((suffix) => `${base}_${suffix}`)),
    ])
  })
  test('has entries with name, unit, label, aggregated and type', async () => {
    const { body } = await api.get(`/v1/analytics/metrics?checkType=${type}`)
    for (const entry of body) {
      expect(Object.keys(entry)).toEqual(['name', 'unit', 'label', 'aggregated', 'type'])
      expect(['milliseconds', 'percentage', 'score', 'count']).toContain(entry.unit)
      expect(entry).toMatchObject({ aggregated: !bases.includes(entry.name), type: 'Float' })
    }
    expect(body).toContainEqual({ name: 'availability', unit: 'percentage', label: 'Availability', aggregated: true, type: 'Float' })
    expect(body).toContainEqual({ name: 'retries', unit: 'count', label: 'Retries', aggregated: true, type: 'Float' })
  })
  test('accepts all its metrics in one request', async () => {
    const { body: entries } = await api.get(`/v1/analytics/metrics?checkType=${type}`)
    const names: readonly string[] = entries.map(({ name }: { name: string }) => name)
    const { status, body } = await api.get(`${report}?${names.map((name) => `metrics%5B%5D=${name}`).join('&')}`)
    expect([status, Object.keys(body.metadata)]).toEqual([200, names])
  })
  test('rejects suffixes on availability and retries', async () => {
    for (const metric of ['availability_avg', 'retries_sum']) {
      expect((await api.get(`${report}?metrics=${metric}`)).body.code).toBe('UNKNOWN_METRIC')
    }
  })
  test('groups by the dimensions it declares and by no others', async () => {
    const own = checkType.groupBy.map(({ name }) => name)
    const every = new Set(checkTypes.flatMap(({ groupBy }) => groupBy.map(({ name }) => name)))
    for (const name of [...every, 'day', '']) {
      const { status } = await api.get(`${report}?metrics=availability&groupBy=${name}`)
      expect([name, status]).toEqual([name, own.includes(name) ? 200 : 400])
    }
  })
})

describe('GET /v1/analytics/metrics/', () => {
  test('requires a known check type', async () => {
    const none = await api.get('/v1/analytics/metrics/')
    const types = checkTypes.map(({ type }) => type).join(', ')
    expect([none.body.code, none.body.message]).toEqual(['MISSING_PARAMETER', `checkType is required: one of ${types}.`])
    const { status, body } = await api.get('/v1/analytics/metrics/?checkType=SURF')
    expect([status, body.code]).toEqual([400, 'INVALID_PARAMETER'])
    for (const { type } of checkTypes) expect(body.message).toContain(type)
  })
  test('rejects other parameters', async () => {
    expect((await api.get(`/v1/analytics/metrics/?checkTypes=${checkTypes[0]?.type}`)).body.message).toContain('Nearest: checkType')
  })
})
