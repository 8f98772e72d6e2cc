import { afterEach, expect, test } from 'vitest'
import { answerPage } from '../../../test/support/page-api.ts'
import { showZone } from '../state/zone.ts'
import { createApi } from './client.ts'
import { loadGroups, loadReport, queryPath, type ReportQuery } from './report-query.ts'

const query: ReportQuery = {
  endpoint: '/v1/analytics/any',
  checkId: 'shop',
  metrics: ['total_p95', 'availability'],
  window: { preset: 'last7Days' },
  interval: null,
  groupBy: null,
  status: null,
  by: 'runs',
  calls: 1,
}
const api = createApi({ key: 'key', account: 'account' })
const signal = new AbortController().signal

afterEach(() => showZone(null))

test('a report request has only parameters that differ from the defaults of the API', () => {
  showZone('Europe/Berlin')
  expect(queryPath(query, 1)).toBe('/v1/analytics/any/shop?metrics=total_p95,availability&quickRange=last7Days&limit=100')
  expect(queryPath({ ...query, interval: 60, groupBy: 'runLocation', status: 'failed', by: 'time' }, '[2-3]')).toBe(
    '/v1/analytics/any/shop?metrics=total_p95,availability&quickRange=last7Days&aggregationInterval=60&timezone=Europe/Berlin' +
      '&groupBy=runLocation&filterByStatus=failed&availabilityBy=time&limit=100&page=[2-3]',
  )
})

test('a calendar window has its zone once', () => {
  showZone('Europe/Berlin')
  expect(queryPath({ ...query, window: { preset: 'thisWeek' }, interval: 'day' }, 1)).toBe(
    '/v1/analytics/any/shop?metrics=total_p95,availability&quickRange=thisWeek&timezone=Europe/Berlin&aggregationInterval=day&limit=100',
  )
})

test('pages of a report have the window of the first one, and are joined in order', async () => {
  const asked = answerPage(({ query: { page = '1' } }) => ({
    from: '2026-11-01T00:00:00.000Z',
    to: '2026-11-08T00:00:00.000Z',
    series: [{ data: [{ period: page }] }],
  }))
  const report = await loadReport(api, { ...query, interval: 10, calls: 3 }, signal)
  expect(report.series).toEqual([{ data: [{ period: '1' }, { period: '2' }, { period: '3' }] }])
  expect(asked.map(({ query: { quickRange, from, to, page } }) => [quickRange, from, to, page])).toEqual([
    ['last7Days', undefined, undefined, undefined],
    [undefined, '2026-11-01T00:00:00.000Z', '2026-11-08T00:00:00.000Z', '2'],
    [undefined, '2026-11-01T00:00:00.000Z', '2026-11-08T00:00:00.000Z', '3'],
  ])
})

test('pages are joined by group, and a group may begin on a later page', async () => {
  const pages = [
    [{ runLocation: 'eu', data: [{ period: 'a' }] }],
    [
      { runLocation: 'eu', data: [{ period: 'b' }] },
      { runLocation: 'us', data: [{ period: 'b' }] },
    ],
  ]
  answerPage(({ query: { page = '1' } }) => ({ from: '2026-11-01', to: '2026-11-08', series: pages[Number(page) - 1] }))
  expect((await loadReport(api, { ...query, groupBy: 'runLocation', calls: 2 }, signal)).series).toEqual([
    { runLocation: 'eu', data: [{ period: 'a' }, { period: 'b' }] },
    { runLocation: 'us', data: [{ period: 'b' }] },
  ])
})

test('a page without series adds nothing', async () => {
  answerPage(({ query: { page } }) => ({
    from: '2026-11-01',
    to: '2026-11-08',
    series: page === undefined ? [{ data: [{ period: 'a' }] }] : [],
  }))
  expect((await loadReport(api, { ...query, calls: 2 }, signal)).series).toEqual([{ data: [{ period: 'a' }] }])
})

test.each([
  [230, 3],
  [200, 3],
  [99, 1],
])('%d groups without buckets are loaded in %d pages of the same window', async (count, pages) => {
  const names = Array.from({ length: count }, (_, index) => `location-${index}`)
  const asked = answerPage(({ query: { page = '1' } }) => ({
    from: '2026-11-01T00:00:00.000Z',
    to: '2026-11-08T00:00:00.000Z',
    series: names.slice((Number(page) - 1) * 100, Number(page) * 100).map((runLocation) => ({ runLocation, data: [{ total: 1 }] })),
  }))
  const { series } = await loadGroups(api, { ...query, groupBy: 'runLocation' }, signal)
  expect(series.map(({ runLocation }) => runLocation)).toEqual(names)
  expect(asked).toHaveLength(pages)
  expect(asked.slice(1).every((one) => one.query.from === '2026-11-01T00:00:00.000Z')).toBe(true)
})
