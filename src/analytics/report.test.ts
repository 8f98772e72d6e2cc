import { describe, expect, test } from 'vitest'
import { testCheck } from '../../test/support/catalogue.ts'
import { defineCheckType } from '../checks/define.ts'
import { count, milliseconds, pageIndex, perPage, runLocation, statusCode } from '../checks/metric.ts'
import { Type } from '../schema/typebox.ts'
import type { AggregateGroup, AggregateRow, RawRow } from '../store/store.ts'
import { metricFinder } from './metric-names.ts'
import { type AnalyticsRequest, plan } from './plan.ts'
import { aggregateReport, rawReport } from './report.ts'

const surf = defineCheckType({
  type: 'SURF',
  path: 'surf',
  label: 'Surf check',
  metrics: { height: milliseconds('Height'), foam: perPage(count('Foam')) },
  duration: 'height',
  groupBy: [runLocation, statusCode, pageIndex],
  settings: Type.Object({}),
  target: () => ({}),
  demo: {
    name: 'Surf',
    tags: [],
    settings: () => ({}),
    files: {},
    run: () => ({ metrics: { height: 1 }, pages: [], failure: null, broken: false }),
  },
})
const now = Date.parse('2026-11-14T10:00:00.000Z')
const find = metricFinder(surf)

function ask(names: readonly string[], more: Partial<AnalyticsRequest> = {}) {
  const request = {
    quickRange: 'last24Hours',
    from: null,
    to: null,
    timezone: null,
    interval: null,
    fill: false,
    statuses: [],
    groupBy: null,
    limit: 10,
    page: 1,
  } as const
  return plan(testCheck(surf, { everyMs: 90_000 }), { ...request, metrics: names.map(find), ...more }, now)
}
function aggregated(groups: readonly AggregateGroup[], names: readonly string[], more: Partial<AnalyticsRequest> = {}) {
  const question = ask(names, more)
  if (question.kind !== 'aggregate') throw new Error('not aggregated')
  return aggregateReport(question, groups)
}
const row = (more: Partial<AggregateRow> = {}): AggregateRow => ({
  start: null,
  counts: { total: 4, success: 3, retries: 2 },
  pageUrl: null,
  values: [],
  histogram: null,
  ...more,
})

describe('a report', () => {
  test('has its keys in an order that never changes', async () => {
    const report = await aggregated([{ keys: [], rows: [row({ values: [9.5] })] }], ['availability', 'height_p99'])
    expect(JSON.stringify(report)).toBe(
      '{"checkId":"check-surf","name":"The Surf check","checkType":"SURF","activated":true,"muted":false,"frequency":1,' +
        '"from":"2026-11-13T10:00:00.000Z","to":"2026-11-14T10:00:00.000Z","tags":["web"],' +
        '"series":[{"data":[{"total":4,"success":3,"availability":75,"height_p99":9.5}]}],' +
        '"metadata":{"availability":{"unit":"percentage","label":"Availability"},' +
        '"height_p99":{"unit":"milliseconds","label":"Height","aggregation":"p99"}},"pagination":{"page":1,"limit":10}}',
    )
  })
  test('has the counts before availability, wherever it is requested', async () => {
    const { series } = await aggregated([{ keys: [], rows: [row({ values: [1] })] }], ['retries', 'height_avg', 'availability'])
    expect(JSON.stringify(series)).toBe('[{"data":[{"retries":2,"height_avg":1,"total":4,"success":3,"availability":75}]}]')
  })
  test('states that a base name next to suffixed names is an average', async () => {
    const report = await aggregated([{ keys: [], rows: [row({ values: [1, 2] })] }], ['height_max', 'height'])
    expect(report.series).toEqual([{ data: [{ height_max: 1, height: 2 }] }])
    expect(report.metadata.height).toEqual({ unit: 'milliseconds', label: 'Height', aggregation: 'avg' })
  })
})

describe('without data', () => {
  test('there is still one row for the whole window, with counts of 0 and null values', async () => {
    const empty = row({ counts: { total: 0, success: 0, retries: 0 }, values: [null] })
    const { series } = await aggregated([{ keys: [], rows: [empty] }], ['availability', 'retries', 'height_p50'])
    expect(series).toEqual([{ data: [{ total: 0, success: 0, availability: null, retries: null, height_p50: null }] }])
  })
  test('a series of buckets has no rows', async () => {
    expect((await aggregated([], ['availability'], { interval: 5 })).series).toEqual([{ data: [] }])
  })
  test('there are no groups', async () => {
    expect((await aggregated([], ['availability'], { groupBy: runLocation })).series).toEqual([])
  })
  test('a second page of the single row is empty', async () => {
    expect((await aggregated([], ['availability'], { page: 2 })).series).toEqual([{ data: [] }])
  })
})

describe('in a time zone', () => {
  const berlin = { name: 'Europe/Berlin' }
  test('a report has the name of the zone after its window, and periods are local times with their offset', async () => {
    const groups = [{ keys: [], rows: [row({ start: Date.parse('2026-10-24T22:00:00Z') })] }]
    const report = await aggregated(groups, ['availability'], { interval: 'day', timezone: berlin })
    expect(Object.keys(report).slice(6, 9)).toEqual(['from', 'to', 'timezone'])
    expect(report.timezone).toBe('Europe/Berlin')
    expect(report.series[0]?.data[0]?.period).toBe('2026-10-25T00:00:00.000+02:00')
  })
  test('UTC keeps periods in Z, and is named if it was requested', async () => {
    const report = await aggregated([{ keys: [], rows: [row({ start: now })] }], ['availability'], {
      interval: 60,
      timezone: { name: 'UTC' },
    })
    expect(report.timezone).toBe('UTC')
    expect(report.series[0]?.data[0]?.period).toBe('2026-11-14T10:00:00.000Z')
  })
})

describe('a row', () => {
  test('begins with the key of its group', async () => {
    const groups = [
      { keys: [200], rows: [row({ values: [1] })] },
      { keys: [null], rows: [row({ values: [null] })] },
    ]
    expect(JSON.stringify((await aggregated(groups, ['height_avg'], { groupBy: statusCode })).series)).toBe(
      '[{"statusCode":200,"data":[{"statusCode":200,"height_avg":1}]},{"statusCode":null,"data":[{"statusCode":null,"height_avg":null}]}]',
    )
  })
  test('has its period before the key of its group', async () => {
    const groups = [{ keys: ['eu'], rows: [row({ start: now, values: [1] })] }]
    const { series } = await aggregated(groups, ['height_avg'], { groupBy: runLocation, interval: 60 })
    expect(JSON.stringify(series)).toBe(
      '[{"runLocation":"eu","data":[{"period":"2026-11-14T10:00:00.000Z","runLocation":"eu","height_avg":1}]}]',
    )
  })
  test('of a page has its URL and number', async () => {
    const groups = [{ keys: [0], rows: [row({ pageUrl: 'https://a.test/', values: [1] })] }]
    expect(JSON.stringify((await aggregated(groups, ['foam_avg'], { groupBy: pageIndex })).series)).toBe(
      '[{"pageIndex":0,"data":[{"pageUrl":"https://a.test/","pageIndex":0,"foam_avg":1}]}]',
    )
  })
})

describe('a raw row', () => {
  const run: RawRow = { startedAt: now, runLocation: 'eu', hasFailures: true, attempts: 3, pageUrl: null, pageIndex: null, values: [1.5] }
  const raw = (names: readonly string[], rows: readonly RawRow[], more: Partial<AnalyticsRequest> = {}, key: number | null = null) => {
    const question = ask(names, more)
    if (question.kind !== 'raw') throw new Error('not raw')
    return rawReport(question, rows.length === 0 ? [] : [{ key, rows }])
  }
  test('is one run, with an availability of 100 or 0 and attempts - 1 as retries', async () => {
    const { series, metadata } = await raw(
      ['height', 'availability', 'retries'],
      [run, { ...run, hasFailures: false, attempts: 1, values: [null] }],
    )
    expect(JSON.stringify(series)).toBe(
      '[{"data":[{"startedAt":"2026-11-14T10:00:00.000Z","runLocation":"eu","hasFailures":true,"attempts":3,"height":1.5,"availability":0,"retries":2},' +
        '{"startedAt":"2026-11-14T10:00:00.000Z","runLocation":"eu","hasFailures":false,"attempts":1,"height":null,"availability":100,"retries":0}]}]',
    )
    expect(metadata.height).toEqual({ unit: 'milliseconds', label: 'Height' })
  })
  test('of a page has its URL and number after the run', async () => {
    const { series } = await raw(['foam'], [{ ...run, pageUrl: '/a', pageIndex: 1 }], { groupBy: pageIndex }, 1)
    expect(JSON.stringify(series)).toBe(
      '[{"pageIndex":1,"data":[{"startedAt":"2026-11-14T10:00:00.000Z","runLocation":"eu","hasFailures":true,"attempts":3,"pageUrl":"/a","pageIndex":1,"foam":1.5}]}]',
    )
  })
  test('is missing if nothing ran', async () => {
    expect((await raw(['height'], [])).series).toEqual([{ data: [] }])
    expect((await raw(['height'], [], { groupBy: runLocation })).series).toEqual([])
  })
})
