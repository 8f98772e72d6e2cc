import { afterEach, expect, test } from 'vitest'
import { answerPage } from '../../../test/support/page-api.ts'
import { dayMs, hourMs } from '../../time.ts'
import { createApi } from '../api/client.ts'
import { readerZone, showZone } from '../state/zone.ts'
import { localStart } from '../state/zone-calendar.ts'
import { loadCheckDays, loadDays, loadFigures } from './load-figures.ts'

const api = createApi({ key: 'key', account: 'account' })
const signal = new AbortController().signal
const window = { preset: 'last30Days' } as const
const days = { from: Date.parse('2026-10-01T00:00:00+02:00'), to: Date.parse('2026-11-01T12:00:00+01:00') }

afterEach(() => showZone(null))

test('figures of tags are rows by tag, and those of untagged checks are under null', async () => {
  showZone('Europe/Berlin')
  const asked = answerPage(({ body }) => {
    const { groupBy } = body as { groupBy?: unknown }
    const data = groupBy ? [{ tag: 'web' }, { tag: 'db' }, { tag: 'web', period: 'later' }] : [{ period: 'untagged' }]
    return { series: data.map((row) => ({ data: [row] })), pagination: { next: null } }
  })
  const figures = await loadDays(api, { days, untagged: ['a', 'b'], tags: 2 }, signal)
  expect([...figures]).toEqual([
    ['web', [{ tag: 'web' }, { tag: 'web', period: 'later' }]],
    ['db', [{ tag: 'db' }]],
    [null, [{ period: 'untagged' }]],
  ])
  const common = {
    metrics: ['availability'],
    from: '2026-09-30T22:00:00.000Z',
    to: '2026-11-01T11:00:00.000Z',
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
  const figures = await loadDays(api, { days, untagged, tags: 0 }, signal)
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
  expect((await loadCheckDays(api, 'shop', days, signal)).get(null)).toEqual(
    Array.from({ length: pages }, (_, page) => ({ period: String(page) })),
  )
  expect(asked[0]?.body).toMatchObject({ checks: { ids: ['shop'] }, aggregationInterval: 'day' })
})

/** Answers with a row for each day and tag; refuses windows longer than `mostDays`. */
function serverOfDays(tags: number, mostDays = 90) {
  const asked = answerPage(({ body }) => {
    const { from, to, groupBy } = body as { readonly from: string; readonly to: string; readonly groupBy?: unknown }
    const count = Math.ceil((Date.parse(to) - Date.parse(from)) / dayMs)
    if (count > mostDays) return Response.json({ message: 'Too large.', code: 'QUERY_TOO_LARGE' }, { status: 400 })
    const starts = Array.from({ length: count }, (_, i) => new Date(localStart('day', Date.parse(from) + i * dayMs + hourMs, readerZone())))
    const data = starts.map((start) => ({ period: start.toISOString(), total: 1, success: 1, availability: 100 }))
    const names = groupBy ? Array.from({ length: tags }, (_, i) => `tag-${i}`) : ['none']
    const series = names.map((tag) => ({ data: data.map((row) => ({ tag, ...row })) }))
    return { series, pagination: { next: 'cursor' in (body as object) || series.length * count <= 1000 ? null : 'more' } }
  })
  return () => asked.map(({ body }) => body as { readonly from: string; readonly to: string; readonly groupBy?: unknown })
}

/** Clocks go back on October 25. */
const october = Array.from({ length: 32 }, (_, i) => new Date(days.from + i * dayMs + (i > 24 ? hourMs : 0)).toISOString())

test('days of many tags are asked for in parts that fit into one answer', async () => {
  showZone('Europe/Berlin')
  const bodies = serverOfDays(100)
  const figures = await loadDays(api, { days, untagged: [], tags: 100 }, signal)
  expect(figures.get('tag-99')?.map(({ period }) => period)).toEqual(october)
  expect(bodies().map(({ from, to }) => [from, to])).toEqual([
    ['2026-09-30T22:00:00.000Z', '2026-10-07T21:59:59.999Z'],
    ['2026-10-07T22:00:00.000Z', '2026-10-15T21:59:59.999Z'],
    ['2026-10-15T22:00:00.000Z', '2026-10-23T21:59:59.999Z'],
    ['2026-10-23T22:00:00.000Z', '2026-11-01T11:00:00.000Z'],
  ])
})

test('days that read more than the server accepts are asked for in parts', async () => {
  showZone('Europe/Berlin')
  const bodies = serverOfDays(1, 20)
  const figures = await loadDays(api, { days, untagged: ['a'], tags: 1 }, signal)
  expect([...figures.keys()]).toEqual(['tag-0', null])
  for (const rows of figures.values()) expect(rows.map(({ period }) => period)).toEqual(october)
  expect(bodies()).toHaveLength(6)
})

test('a single day that is too large is a problem, and so is another error', async () => {
  showZone('Europe/Berlin')
  const bodies = serverOfDays(1, 0)
  await expect(loadDays(api, { days, untagged: [], tags: 1 }, signal)).rejects.toMatchObject({ code: 'QUERY_TOO_LARGE' })
  expect(bodies()).toHaveLength(5)
  const asked = answerPage(() => Response.json({ message: 'Broken.' }, { status: 500 }))
  await expect(loadDays(api, { days, untagged: [], tags: 1 }, signal)).rejects.toMatchObject({ status: 500 })
  expect(asked).toHaveLength(1)
})
