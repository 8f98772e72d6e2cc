import { afterEach, expect, test } from 'vitest'
import { answerPage } from '../../../test/support/page-api.ts'
import { createApi } from '../api/client.ts'
import { showZone } from '../state/zone.ts'
import { loadCheckDays, loadFigures } from './load-figures.ts'

const api = createApi({ key: 'key', account: 'account' })
const signal = new AbortController().signal
const window = { preset: 'last30Days' } as const

afterEach(() => showZone(null))

test('figures of tags are rows by tag, and those of untagged checks are under null', async () => {
  showZone('Europe/Berlin')
  const asked = answerPage(({ body }) => {
    const { groupBy } = body as { groupBy?: unknown }
    const data = groupBy ? [{ tag: 'web' }, { tag: 'db' }, { tag: 'web', period: 'later' }] : [{ period: 'untagged' }]
    return { series: data.map((row) => ({ data: [row] })), pagination: { next: null } }
  })
  const figures = await loadFigures(api, { window, interval: 'day', untagged: ['a', 'b'] }, signal)
  expect([...figures]).toEqual([
    ['web', [{ tag: 'web' }, { tag: 'web', period: 'later' }]],
    ['db', [{ tag: 'db' }]],
    [null, [{ period: 'untagged' }]],
  ])
  const common = {
    metrics: ['availability'],
    quickRange: 'last30Days',
    limit: 1000,
    aggregationInterval: 'day',
    timezone: 'Europe/Berlin',
  }
  expect(asked.map(({ path, body }) => [path, body])).toEqual([
    ['/v1/analytics/query', { ...common, groupBy: ['tag'] }],
    ['/v1/analytics/query', { ...common, checks: { ids: ['a', 'b'] } }],
  ])
})

test('if every check has a tag, untagged ones are not queried', async () => {
  const asked = answerPage(() => ({ series: [], pagination: { next: null } }))
  expect([...(await loadFigures(api, { window, untagged: [] }, signal))]).toEqual([[null, []]])
  expect(asked.map(({ body }) => body)).toEqual([{ metrics: ['availability'], quickRange: 'last30Days', limit: 1000, groupBy: ['tag'] }])
})

test('more untagged checks than a query can name are added up by day', async () => {
  const untagged = Array.from({ length: 2001 }, (_, i) => `check-${i}`)
  const asked = answerPage(({ body }) => {
    const { ids = [] } = (body as { checks?: { ids: readonly string[] } }).checks ?? {}
    const row = (period: string, success: number) => ({ period, total: ids.length, success, availability: (success / ids.length) * 100 })
    const data = ids.length === 1 ? [row('tuesday', 1)] : [row('monday', 0), row('tuesday', 500)]
    return { series: 'groupBy' in (body as object) ? [] : [{ data }], pagination: { next: null } }
  })
  const figures = await loadFigures(api, { window, interval: 'day', untagged }, signal)
  expect(figures.get(null)).toEqual([
    { period: 'monday', total: 2000, success: 0, availability: 0 },
    { period: 'tuesday', total: 2001, success: 1001, availability: (1001 / 2001) * 100 },
  ])
  expect(asked.flatMap(({ body }) => (body as { checks?: { ids: readonly string[] } }).checks?.ids ?? [])).toEqual(untagged)
  answerPage(() => ({ series: [{ data: [{ total: 0, success: 0, availability: null }] }], pagination: { next: null } }))
  expect((await loadFigures(api, { window, untagged }, signal)).get(null)).toEqual([{ total: 0, success: 0, availability: null }])
})

test('all pages of a response are read', async () => {
  const pages = 25
  const asked = answerPage(({ body }) => {
    const page = Number((body as { cursor?: string }).cursor ?? 0)
    return { series: [{ data: [{ period: String(page) }] }], pagination: { next: page + 1 < pages ? String(page + 1) : null } }
  })
  expect(await loadCheckDays(api, 'shop', { window }, signal)).toEqual(
    Array.from({ length: pages }, (_, page) => ({ period: String(page) })),
  )
  expect(asked[0]?.body).toMatchObject({ checks: { ids: ['shop'] }, aggregationInterval: 'day' })
})
