import { afterEach, expect, test } from 'vitest'
import { showZone } from '../state/zone.ts'
import { tableOf } from './table.ts'

const at = (time: string) => Date.parse(`2026-11-01T${time}:00Z`)
const row = (time: string, figures: Readonly<Record<string, unknown>>) => ({ period: `2026-11-01T${time}:00Z`, ...figures })
const report = (series: readonly object[]) => ({ name: '', from: '', to: '', metadata: {}, series }) as Parameters<typeof tableOf>[0]

afterEach(() => showZone(null))

test('a column has a value for each bucket of any group, in order of time, or null', () => {
  const series = [
    { runLocation: 'eu', data: [row('02:00', { p95: 3, max: 4 }), row('01:00', { p95: 1, max: 'x' })] },
    { runLocation: null, data: [row('00:00', { p95: 7 })] },
    { data: [] },
  ]
  expect(tableOf(report(series), { metrics: ['p95', 'max'], groupBy: 'runLocation', interval: 60 })).toEqual({
    times: [at('00:00'), at('01:00'), at('02:00')],
    ends: [at('01:00'), at('02:00'), at('03:00')],
    columns: [
      { metric: 'p95', group: 'eu', values: [null, 1, 3] },
      { metric: 'max', group: 'eu', values: [null, null, 4] },
      { metric: 'p95', group: 'none', values: [7, null, null] },
      { metric: 'max', group: 'none', values: [null, null, null] },
      { metric: 'p95', group: 'none', values: [null, null, null] },
      { metric: 'max', group: 'none', values: [null, null, null] },
    ],
  })
})

test('missing buckets are gaps between the first and the last', () => {
  const series = [{ data: [row('00:00', { p95: 1 }), row('00:20', { p95: 2 })] }]
  expect(tableOf(report(series), { metrics: ['p95'], groupBy: null, interval: 10 })).toEqual({
    times: [at('00:00'), at('00:10'), at('00:20')],
    ends: [at('00:10'), at('00:20'), at('00:30')],
    columns: [{ metric: 'p95', group: null, values: [1, null, 2] }],
  })
})

test('a report without an interval is a single bucket without an end', () => {
  const series = [{ data: [row('00:00', { p95: 1 })] }]
  expect(tableOf(report(series), { metrics: ['p95'], groupBy: null, interval: null })).toMatchObject({
    times: [at('00:00')],
    ends: [Number.POSITIVE_INFINITY],
  })
})

test("missing days in the reader's zone are gaps", () => {
  showZone('Europe/Berlin')
  const day = (date: string) => ({ period: `${date}T23:00:00Z`, p95: 1 })
  const { times } = tableOf(report([{ data: [day('2026-11-01'), day('2026-11-03')] }]), {
    metrics: ['p95'],
    groupBy: null,
    interval: 'day',
  })
  expect(times.map((time) => new Date(time).toISOString().slice(0, 10))).toEqual(['2026-11-01', '2026-11-02', '2026-11-03'])
})

test('pages are shown by path and query, and invalid URLs unchanged', () => {
  const page = (pageUrl: string) => ({ pageUrl, data: [row('00:00', { pageUrl, LCP: 1 })] })
  const series = [page('https://shop.example/cart?step=2'), page('cart')]
  const { columns } = tableOf(report(series), { metrics: ['LCP'], groupBy: 'pageUrl', interval: 60 })
  expect(columns.map(({ group }) => group)).toEqual(['/cart?step=2', 'cart'])
})
