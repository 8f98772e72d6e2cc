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

test('all pages of a response are read, up to a limit', async () => {
  const pages = (count: number) =>
    answerPage(({ body }) => {
      const page = Number((body as { cursor?: string }).cursor ?? 0)
      return { series: [{ data: [{ period: String(page) }] }], pagination: { next: page + 1 < count ? String(page + 1) : null } }
    })
  const asked = pages(3)
  expect(await loadCheckDays(api, 'shop', { window }, signal)).toEqual([{ period: '0' }, { period: '1' }, { period: '2' }])
  expect(asked[0]?.body).toMatchObject({ checks: { ids: ['shop'] }, aggregationInterval: 'day' })
  pages(Number.POSITIVE_INFINITY)
  expect(await loadCheckDays(api, 'shop', { window }, signal)).toHaveLength(20)
})
