import { afterAll, beforeAll, expect, test } from 'vitest'
import { fromWire, toWire } from '../src/catalogue/wire/index.ts'
import { defineCheckType } from '../src/checks/define.ts'
import { count, milliseconds, runLocation } from '../src/checks/metric.ts'
import { checkTypes } from '../src/checks/registry.ts'
import { Type } from '../src/schema/typebox.ts'
import { openTestApp, type TestApp } from './support/app.ts'
import { testCatalogue, testCheck } from './support/catalogue.ts'
import { testResult } from './support/results.ts'

const now = Date.parse('2026-11-14T10:00:00.000Z')
const tide = defineCheckType({
  type: 'TIDE',
  path: 'tide-gauges',
  label: 'Tide gauge',
  metrics: { rise: milliseconds('Rise'), waves: count('Waves') },
  duration: 'rise',
  groupBy: [runLocation],
  settings: Type.Object({ harbour: Type.String() }),
  target: ({ harbour }) => ({ hostname: harbour }),
  demo: {
    name: 'Tide',
    tags: [],
    settings: () => ({ harbour: 'st-malo' }),
    files: {},
    run: () => ({ metrics: { rise: 1, waves: 1 }, failure: null, broken: false }),
  },
})
const check = testCheck(tide, { id: 'gauge', settings: { harbour: 'st-malo' } })

let api: TestApp
beforeAll(async () => {
  const results = [3, 1, 2].map((rise, i) => testResult(check, now - i * 60_000, { values: { rise, waves: i } }))
  api = await openTestApp({ checkTypes: [...checkTypes, tide], catalogue: testCatalogue({ checks: [check] }), results, now })
})
afterAll(() => api.close())

test('a newly declared type has a report', async () => {
  const { body } = await api.get('/v1/analytics/tide-gauges/gauge?metrics=availability,rise_p50,waves_sum&groupBy=runLocation')
  expect(body.checkType).toBe('TIDE')
  expect(body.series).toEqual([
    { runLocation: 'eu-west-1', data: [{ runLocation: 'eu-west-1', total: 3, success: 3, availability: 100, rise_p50: 2, waves_sum: 3 }] },
  ])
})

test('a newly declared type has a list of metrics', async () => {
  const { body } = await api.get('/v1/analytics/metrics?checkType=TIDE')
  expect(body).toHaveLength(2 + 2 + 2 * 10)
  expect(body[0]).toEqual({ name: 'rise', unit: 'milliseconds', label: 'Rise', aggregated: false, type: 'Float' })
})

test('a newly declared type is in the OpenAPI description', async () => {
  const { body } = await api.get('/openapi.json')
  expect(body.paths['/v1/analytics/tide-gauges/{id}'].get.summary).toBe('Report of one Tide gauge')
  expect((await api.get('/docs')).text).toContain('/v1/analytics/tide-gauges/{id}')
})

test('a newly declared type is listed, summarised and reported like any other', async () => {
  expect((await api.get('/v1/checks?checkType=TIDE')).body).toMatchObject([{ id: 'gauge', request: { hostname: 'st-malo' } }])
  expect((await api.get('/v1/check-statuses/gauge')).body).toMatchObject({ longestRun: 3, shortestRun: 1 })
  expect((await api.get('/v2/check-results/gauge')).body.entries[0]).toMatchObject({ responseTime: 3, rise: 3, waves: 0 })
})

test('a newly declared type has request bodies, with its settings under their own names', () => {
  const body = JSON.parse(
    JSON.stringify(toWire({ ...check, written: { name: check.name, type: tide.type, frequency: '1m', ...check.settings } })),
  )
  expect(body).toMatchObject({ checkType: 'TIDE', harbour: 'st-malo' })
  expect(fromWire(tide, { ...body, harbour: 'brest' })).toMatchObject({
    definition: { name: check.name, type: 'TIDE', frequency: '1m', harbour: 'brest' },
  })
})
