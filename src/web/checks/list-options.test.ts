import { expect, test } from 'vitest'
import type { Check, CheckStatus, Summary } from '../api/answers.ts'
import { countsByState, entryOf, filtered, listPage, listState, sorted } from './list-options.ts'

const check = (id: string) =>
  ({ id, name: id, checkType: 'ANY', activated: true, tags: [], locations: [], request: {} }) as unknown as Check
const days = { soon: 3, late: -1, far: 60, none: null }
const statuses = new Map(
  Object.entries(days).map(([id, sslDaysRemaining]) => [id, { state: 'passing', sslDaysRemaining } as unknown as CheckStatus]),
)
const entries = Object.keys(days).map((id) => entryOf(check(id), { statuses, summaries: new Map(), labels: new Map() }))
const stateOf = (query: string) => listState({ path: '/', query: new URLSearchParams(query), above: {}, zooms: [] })
const names = (query: string) => sorted(filtered(entries, stateOf(query)), stateOf(query)).map(({ check: { id } }) => id)

test('certificates are sorted by remaining days, and checks without one come last', () => {
  expect(names('sort=certificate')).toEqual(['late', 'soon', 'far', 'none'])
})

test('only certificates that expire within 14 days are listed, including expired ones', () => {
  expect(names('certificate=14&sort=certificate')).toEqual(['late', 'soon'])
  expect(names('certificate=x')).toHaveLength(4)
})

const alpha = {
  ...check('alpha'),
  name: 'Alpha 10',
  checkType: 'B',
  tags: ['web'],
  locations: ['eu'],
  request: { url: 'https://shop.example/cart' },
} as Check
const beta = { ...check('beta'), name: 'Alpha 9', request: { hostname: 'db.example' } } as Check
const gamma = { ...check('gamma'), name: 'Gamma', activated: false, request: { query: 'mail.example', url: 'no address' } } as Check
const loaded = {
  statuses: new Map<string, CheckStatus>([
    ['alpha', { state: 'failing', lastCheckRunId: 'a', updated_at: '2026-11-14T10:00:00Z', sslDaysRemaining: null } as CheckStatus],
    ['beta', { state: 'passing', lastCheckRunId: 'b', updated_at: '2026-11-14T11:00:00Z' } as CheckStatus],
    ['gamma', { state: 'paused', lastCheckRunId: null, updated_at: '2026-11-14T12:00:00Z' } as CheckStatus],
  ]),
  summaries: new Map<string, Summary>([
    ['alpha', { checkId: 'alpha', availability: 90, total_avg: 7, total_p95: 100, data: [] } as unknown as Summary],
    ['beta', { checkId: 'beta', availability: 100, total_p95: null } as unknown as Summary],
  ]),
  labels: new Map([['B', 'Bells']]),
}
const rows = [alpha, beta, gamma].map((one) => entryOf(one, loaded))
const listed = (query: string) => sorted(filtered(rows, stateOf(query)), stateOf(query)).map(({ check: { id } }) => id)

test('a row has what is known of its check, and distinguishes missing from unloaded data', () => {
  expect(rows.map(({ check: { id }, ...row }) => [id, row])).toEqual([
    [
      'alpha',
      {
        typeLabel: 'Bells',
        state: 'failing',
        status: loaded.statuses.get('alpha'),
        lastRun: Date.parse('2026-11-14T10:00:00Z'),
        availability: 90,
        p95: 100,
        certificate: null,
        hours: [],
      },
    ],
    ['beta', expect.objectContaining({ typeLabel: 'ANY', state: 'passing', availability: 100, p95: null, hours: undefined })],
    ['gamma', expect.objectContaining({ state: 'paused', lastRun: null, availability: undefined, p95: undefined })],
  ])
  const early = [alpha, gamma].map((one) => entryOf(one, { ...loaded, statuses: undefined }))
  expect(early.map(({ state }) => state)).toEqual([null, 'paused'])
})

test('each filter lists matching checks, and the search finds names, tags and hosts in any case', () => {
  for (const [query, ids] of [
    ['checkType=B', ['alpha']],
    ['tag=web', ['alpha']],
    ['location=eu', ['alpha']],
    ['status=passing', ['beta']],
    ['search=%20GAMMA%20', ['gamma']],
    ['search=WEB', ['alpha']],
    ['search=shop.example', ['alpha']],
    ['search=cart', []],
    ['search=db.ex', ['beta']],
    ['search=mail.ex', ['gamma']],
  ] as const)
    expect([query, listed(query)]).toEqual([query, ids])
})

test('rows are sorted by each column, the slowest and latest first, and reversed with a minus', () => {
  for (const [sort, ids] of [
    ['state', ['alpha', 'beta', 'gamma']],
    ['x', ['alpha', 'beta', 'gamma']],
    ['name', ['beta', 'alpha', 'gamma']],
    ['type', ['beta', 'gamma', 'alpha']],
    ['availability', ['alpha', 'beta', 'gamma']],
    ['p95', ['alpha', 'beta', 'gamma']],
    ['lastRun', ['beta', 'alpha', 'gamma']],
    ['-state', ['gamma', 'beta', 'alpha']],
    ['-name', ['gamma', 'alpha', 'beta']],
    ['-availability', ['gamma', 'beta', 'alpha']],
  ] as const)
    expect([sort, listed(`sort=${sort}`)]).toEqual([sort, ids])
})

test('unknown states come first', () => {
  const early = entryOf(alpha, { ...loaded, statuses: undefined })
  expect(sorted([...rows.slice(1), early], stateOf('')).map(({ check: { id } }) => id)).toEqual(['alpha', 'beta', 'gamma'])
})

test('states are counted independently of the selected state, but within the other filters', () => {
  const counts = (query: string) => countsByState(rows, stateOf(query)).map(({ state, count }) => `${count} ${state}`)
  expect(counts('status=passing')).toEqual(['1 failing', '1 passing', '1 paused'])
  expect(counts('tag=web')).toEqual(['1 failing'])
})

test('a page has a hundred rows, and one beyond the last is the last', () => {
  const many = Array.from({ length: 201 }, (_, index) => entryOf(check(`c${index}`), loaded))
  const pageOf = (page: number) => {
    const { entries, ...rest } = listPage(many, page)
    return { ...rest, ids: [entries[0]?.check.id, entries.length] }
  }
  expect(pageOf(1)).toEqual({ page: 1, pages: 3, ids: ['c0', 100] })
  expect(pageOf(2)).toEqual({ page: 2, pages: 3, ids: ['c100', 100] })
  expect(pageOf(9)).toEqual({ page: 3, pages: 3, ids: ['c200', 1] })
  expect(listPage([], 1)).toEqual({ entries: [], page: 1, pages: 1 })
  expect([stateOf('page=2').page, stateOf('page=0').page, stateOf('page=x').page]).toEqual([2, 1, 1])
})
