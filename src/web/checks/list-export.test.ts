import { afterEach, expect, test } from 'vitest'
import type { Check, CheckStatus, Summary } from '../api/answers.ts'
import { showZone } from '../state/zone.ts'
import { listExport } from './list-export.ts'
import { entryOf } from './list-options.ts'

const now = Date.parse('2026-11-14T10:40:00Z')
const check = (id: string) => ({ id, name: `${id}!`, checkType: 'ANY', activated: true, tags: ['a', 'b'] }) as unknown as Check
const status = { state: 'passing', sslDaysRemaining: 3, lastCheckRunId: 'r', updated_at: '2026-11-14T10:30:00.000Z' }
const summary = {
  availability: 99.5,
  data: [
    { period: '2026-11-14T10:00:00.000Z', total: 6, success: 4, availability: 66 },
    { period: '2026-11-14T08:00:00.000Z', total: 6, success: 6, availability: 100 },
  ],
}
const loaded = {
  statuses: new Map([['known', status as unknown as CheckStatus]]),
  summaries: new Map([['known', summary as unknown as Summary]]),
  labels: new Map(),
}
const exported = (total: number, rolling: string | null = null) =>
  listExport({ path: '/exact', rolling, window: 'day', entries: ['known', 'new'].map((id) => entryOf(check(id), loaded)), total, now })

afterEach(() => showZone(null))

test('each check is a row, with failures by hour', () => {
  showZone('UTC')
  const [, known, fresh] = exported(2).rows
  const hours = `${'– '.repeat(21)}0 – 2`
  expect(known).toEqual(['known', 'known!', 'ANY', 'a b', 'passing', 99.5, null, 3, hours, '2026-11-14T10:30:00.000Z'])
  expect(fresh?.slice(5)).toEqual([null, null, null, `${'– '.repeat(23)}–`, null])
})

test('its requests are for the visible checks, and for the names on all pages', () => {
  const body = { checkIds: ['known', 'new'] }
  const others = (page: string) => [{ path: `/v1/checks?limit=100&page=${page}` }, { path: '/v1/check-statuses' }]
  expect(exported(100)).toMatchObject({ exact: [{ path: '/exact', body }, ...others('1')], rolling: null })
  expect(exported(101, '/rolling').rolling).toEqual([{ path: '/rolling', body }, ...others('[1-2]')])
})

test('columns have names, and so has the file', () => {
  const { name, root, rows } = exported(2)
  expect([name, root, rows[0]]).toEqual([
    'checks',
    '',
    ['checkId', 'name', 'checkType', 'tags', 'state', 'availability', 'p95', 'certificateDays', 'failuresByHour', 'lastRun'],
  ])
})
