import { expect, test } from 'vitest'
import { answerPage } from '../../../test/support/page-api.ts'
import { createApi } from '../api/client.ts'
import { anyOutage, loadOutages, outageFilter, outagesExport, outagesPath } from './outage-query.ts'

const window = { from: Date.parse('2026-11-01T00:00:00Z'), to: Date.parse('2026-11-02T00:00:00Z') }
const [from, to] = ['2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z']
const api = createApi({ key: 'key', account: 'account' })
const signal = new AbortController().signal

/** An account with this many outages of each state, each lasting a minute. A response has at most `most` open ones. */
function accountWith({ open, over, most = 1000 }: { open: number; over: number; most?: number }) {
  return answerPage(({ query }) => {
    const [all, limit] = query.state === 'open' ? [open, Math.min(most, Number(query.limit))] : [over, Number(query.limit)]
    const start = Number(query.cursor ?? 0)
    const outages = Array.from({ length: Math.min(limit, all - start) }, (_, index) => `${query.state}-${start + index}`)
    const next = start + outages.length < all ? String(start + outages.length) : null
    return { outages, totals: { outages: all, seconds: 60 * all }, pagination: { next } }
  })
}

test('the filter of outages comes from the URL, and an unknown state is ignored', () => {
  const filterOf = (query: string) => outageFilter({ query: new URLSearchParams(query) })
  expect(filterOf('')).toEqual(anyOutage)
  expect(filterOf('checkId=a&tag=b&checkType=c&location=d&state=open')).toEqual({
    checkId: 'a',
    tag: 'b',
    checkType: 'c',
    location: 'd',
    state: 'open',
  })
  expect([filterOf('state=over').state, filterOf('state=x').state]).toEqual(['over', null])
})

test('the request has the filters with the parameter names of the API, encoded', () => {
  const path = outagesPath({ ...anyOutage, tag: 'a&b', location: 'eu' }, window, [['limit', '5']])
  expect(path).toBe(`/v1/analytics/outages?tag=a%26b&runLocation=eu&from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}&limit=5`)
})

test('open outages come before closed ones, and both are counted', async () => {
  const asked = accountWith({ open: 2, over: 5 })
  const found = await loadOutages(api, { filter: anyOutage, window, limit: 3, signal })
  expect(found).toEqual({
    outages: ['open-0', 'open-1', 'over-0', 'over-1', 'over-2'],
    total: 7,
    open: 2,
    seconds: 420,
    next: { state: 'over', cursor: '3' },
  })
  expect(asked.map(({ query }) => query)).toEqual([
    { state: 'open', from, to, limit: '1000', totals: 'true' },
    { state: 'over', from, to, limit: '3', totals: 'true' },
  ])
})

test('a later page lists closed outages, and still counts open ones', async () => {
  const asked = accountWith({ open: 2, over: 5 })
  const found = await loadOutages(api, { filter: anyOutage, window, limit: 3, from: { state: 'over', cursor: '3' }, signal })
  expect(found).toMatchObject({ outages: ['over-3', 'over-4'], total: 7, open: 2, next: null })
  expect(asked.map(({ query: { state, limit, cursor } }) => [state, limit, cursor])).toEqual([
    ['open', '1', undefined],
    ['over', '3', '3'],
  ])
})

test('closed outages are listed only after all open ones', async () => {
  accountWith({ open: 5, over: 1, most: 4 })
  const first = await loadOutages(api, { filter: anyOutage, window, limit: 3, signal })
  expect(first).toMatchObject({ outages: ['open-0', 'open-1', 'open-2', 'open-3'], total: 6, next: { state: 'open', cursor: '4' } })
  const second = await loadOutages(api, { filter: anyOutage, window, limit: 3, from: { state: 'open', cursor: '4' }, signal })
  expect(second).toMatchObject({ outages: ['open-4', 'over-0'], total: 6, next: null })
})

test('a filter by state requests only that state', async () => {
  for (const [state, total] of [
    ['open', 2],
    ['over', 5],
  ] as const) {
    const asked = accountWith({ open: 2, over: 5 })
    const found = await loadOutages(api, { filter: { ...anyOutage, state }, window, limit: 9, signal })
    expect([found.total, found.seconds, asked.map(({ query }) => query.state)]).toEqual([total, 60 * total, [state]])
  }
})

test('a server without totals shows none', async () => {
  answerPage(() => ({ outages: [], pagination: { next: null } }))
  expect(await loadOutages(api, { filter: anyOutage, window, limit: 3, signal })).toMatchObject({ total: 0, open: 0, seconds: 0 })
})

test('an export is for a fixed window, or a rolling one if it has a name', () => {
  const fixed = outagesExport('Shop', { filter: anyOutage, window, total: 1000 })
  const path = outagesPath(anyOutage, window, [
    ['limit', '1000'],
    ['format', 'csv'],
  ])
  expect(fixed).toEqual({ name: 'Shop outages', exact: [{ path }], rolling: null, rows: [], wholeCsv: true, root: '' })
  const rolling = outagesExport('Shop', { filter: anyOutage, window: { preset: 'last7Days' }, total: 1001 })
  expect(rolling.rolling).toEqual([{ path: '/v1/analytics/outages?quickRange=last7Days&limit=1000&format=csv' }])
  expect(rolling.note).toBe(
    'A response has at most 1,000 of these 1,001 outages. The cursor of the next page is in its x-next-cursor header.',
  )
})
