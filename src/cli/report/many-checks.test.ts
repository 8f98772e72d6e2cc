import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { anyRunType } from '../../../test/support/example-config.ts'
import { httpServer } from '../../../test/support/servers.ts'
import { findZone } from '../../calendar/zone.ts'
import { fetchQuery, type ManyChecksOptions, queryTitle } from './many-checks.ts'

const { type: anyType } = anyRunType()

const answer = {
  ...{ name: '', from: 'a', to: 'b', checks: 2, metadata: {}, pagination: { next: null } },
  series: [
    {
      check: 'shop',
      data: [
        { period: 1, total: 2, previous: { period: 0, check: 'shop', total: 4, p95: null } },
        { period: 2, total: 3, previous: null },
      ],
    },
    { check: 'blog', data: [{ total: 1 }] },
  ],
}

async function ask(options: Partial<ManyChecksOptions>) {
  const posted: unknown[] = []
  const port = await httpServer(async (request, response) => {
    posted.push(request.method, request.url, JSON.parse(await text(request)))
    response.end(JSON.stringify(answer))
  })
  const remote = { url: new URL(`http://127.0.0.1:${port}/`), key: 'k', account: 'acme' }
  return { ...(await fetchQuery(remote, { metrics: ['p95'], ...options })), posted }
}

test('rows have figures of the compared period next to their own, without its labels', async () => {
  const { body, json } = await ask({})
  expect(JSON.parse(json)).toEqual(answer)
  expect(body.series).toEqual([
    {
      check: 'shop',
      data: [
        { period: 1, total: 2, 'total before': 4, 'p95 before': null },
        { period: 2, total: 3 },
      ],
    },
    { check: 'blog', data: [{ total: 1 }] },
  ])
})

test.each([
  [{}, {}],
  [{ tag: ['web'], type: [anyType] }, { checks: { tags: ['web'], checkTypes: [anyType] } }],
  [{ range: 'last7Days' }, { quickRange: 'last7Days' }],
  [
    { from: '2026-11-14', to: '2026-11-15' },
    { from: '2026-11-14', to: '2026-11-15' },
  ],
  [{ timezone: findZone('Europe/Berlin') }, { timezone: 'Europe/Berlin' }],
  [
    { every: 60, groupBy: ['check'] },
    { aggregationInterval: 60, groupBy: ['check'] },
  ],
  [{ filter: 'success,failure' }, { filter: { status: ['success', 'failure'] } }],
  [{ limit: '5' }, { limit: 5 }],
  [
    { compare: 'previousPeriod', confidence: 95 },
    { compare: 'previousPeriod', confidence: 95 },
  ],
  [{ orderBy: 'p95' }, { orderBy: { metric: 'p95' } }],
])('%j requests %j', async (options, question) => {
  const { posted } = await ask(options as Partial<ManyChecksOptions>)
  expect(posted).toEqual(['POST', '/v1/analytics/query', { checks: {}, metrics: ['p95'], limit: 1000, ...question }])
})

test('all pages of an answer are read, up to 10,000 rows, and with a limit only one', async () => {
  const cursors: (string | undefined)[] = []
  const port = await httpServer(async (request, response) => {
    const { cursor, limit } = JSON.parse(await text(request))
    cursors.push(cursor)
    const start = Number(cursor ?? 0)
    const series = Array.from({ length: limit }, (_, i) => ({ check: `check-${start + i}`, data: [{ total: 1 }] }))
    response.end(JSON.stringify({ ...answer, series, pagination: { limit, next: start + limit < 10_001 ? String(start + limit) : null } }))
  })
  const remote = { url: new URL(`http://127.0.0.1:${port}/`), key: 'k', account: 'acme' }
  const { body, json } = await fetchQuery(remote, { metrics: ['availability'], groupBy: ['check'] })
  expect(cursors).toEqual([undefined, ...Array.from({ length: 9 }, (_, i) => String((i + 1) * 1000))])
  expect(body.series.map(({ check }) => check)).toEqual(Array.from({ length: 10_000 }, (_, i) => `check-${i}`))
  expect(JSON.parse(json)).toEqual(body)
  expect(body.pagination.next).toBe('10000')
  expect((await fetchQuery(remote, { metrics: ['availability'], groupBy: ['check'], limit: '7' })).body.series).toHaveLength(7)
})

test('the title has the number of checks, and the compared period', () => {
  const title = (more: object) => queryTitle({ ...answer, timezone: 'UTC', ...more } as never)
  expect([0, 1, 2].map((checks) => title({ checks }))).toEqual(['0 checks', '1 check', '2 checks'])
  expect(title({ compared: { from: 'x', to: 'y' } })).toBe('2 checks, compared with x to y')
})
