import { expect, test } from 'vitest'
import type { ReportQuery } from '../api/report-query.ts'
import { reportExport } from './exports.ts'

const query: ReportQuery = {
  endpoint: '/v1/analytics/any',
  checkId: 'shop',
  metrics: ['total_p95', 'total_max'],
  window: { preset: 'last7Days' },
  interval: null,
  groupBy: null,
  status: null,
  by: 'runs',
  calls: 1,
}
const report = {
  name: 'Shop',
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-11-08T00:00:00.000Z',
  series: [{ data: [{ period: 'a', total_p95: 1 }] }, { data: [{ period: 'b', total_max: 2 }] }],
  metadata: {},
}
const path = '/v1/analytics/any/shop?metrics=total_p95,total_max'

test('a chart is exported with its rows, and requests for the exact window and for the rolling one', () => {
  expect(reportExport(query, report)).toEqual({
    name: 'Shop total_p95 total_max',
    exact: [{ path: `${path}&from=2026-11-01T00:00:00.000Z&to=2026-11-08T00:00:00.000Z&limit=100` }],
    rolling: [{ path: `${path}&quickRange=last7Days&limit=100` }],
    rows: [
      ['period', 'total_p95', 'total_max'],
      ['a', 1, null],
      ['b', null, 2],
    ],
    root: 'series.data',
  })
})

test('a window without a name does not roll, and several pages are one request for curl', () => {
  const { exact, rolling } = reportExport({ ...query, window: { preset: 'last6Hours' }, calls: 3 }, report)
  expect([exact[0]?.path.endsWith('&page=[1-3]'), rolling]).toEqual([true, null])
})
