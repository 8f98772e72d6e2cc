import { expect, test } from 'vitest'
import type { Row } from '../api/answers.ts'
import { queryRequest } from '../api/windowed-query.ts'
import type { Drawing } from '../chart/line.ts'
import type { ChartInterval } from '../state/bucket-choice.ts'
import { showZone } from '../state/zone.ts'
import { type ComparedRow, comparedQuery, figureChange, hadNoRuns, withLineBefore } from './compare.ts'
import type { PanelContext } from './panel.ts'

const row = (now: Row, previous: Row | null) => ({ ...now, previous }) as ComparedRow
const p95 = { metric: 'total_p95', unit: 'milliseconds' as const, value: (of: Row) => (of.total_p95 ?? null) as number | null }
const availability = { metric: 'availability', unit: 'percentage' as const, value: (of: Row) => (of.availability ?? null) as number | null }

test('a percentile that has evidently risen is worse, and one that has fallen is better', () => {
  expect(figureChange(p95, row({ total_p95: 150, total_p95_change: 'higher' }, { total_p95: 100 }))).toMatchObject({
    short: '+50 %',
    verdict: 'worse',
  })
  expect(figureChange(p95, row({ total_p95: 50, total_p95_change: 'lower' }, { total_p95: 100 }))).toMatchObject({
    short: '−50 %',
    verdict: 'better',
  })
})

test('a change without evidence is shown as such, whatever its size', () => {
  const change = figureChange(p95, row({ total_p95: 300, total_p95_change: 'no evidence' }, { total_p95: 100 }))
  expect(change).toMatchObject({ short: '≈ +200 %', verdict: 'unclear' })
  const close = figureChange(p95, row({ total_p95: 100.1, total_p95_change: 'no evidence' }, { total_p95: 100 }))
  expect(close?.short).toBe('≈ same')
  expect(change?.sentence).toBe('100 ms before; no evidence of a change at 95 % confidence')
})

test('percentages differ in points, and equal values by ±0', () => {
  expect(figureChange(availability, row({ availability: 99.5 }, { availability: 99.9 }))?.short).toBe('−0.4 pp')
  expect(figureChange(availability, row({ availability: 100 }, { availability: 100 }))?.short).toBe('±0')
  expect(figureChange(availability, row({ availability: 99.999 }, { availability: 100 }))?.short).toBe('±0 pp')
})

test('without a previous figure there is no change', () => {
  expect(figureChange(p95, row({ total_p95: 1 }, null))).toBeNull()
  expect(figureChange(p95, row({ total_p95: 1 }, { total_p95: null }))).toBeNull()
})

test('a previous window without runs cannot be compared', () => {
  const compared = (total: number) => ({ compared: { from: '', to: '' }, series: [{ data: [row({ total: 10 }, { total })] }] })
  expect([hadNoRuns(compared(0)), hadNoRuns(compared(1))]).toEqual([true, false])
})

test('the previous line is aligned with the buckets of the window', () => {
  const times = [0, 60_000, 120_000]
  const drawing: Drawing = { unit: 'milliseconds', times, ends: [60_000, 120_000, 180_000], from: 0, to: 180_000, lines: [] }
  const data = [row({ period: new Date(60_000).toISOString() }, { total_p95: 7 })]
  const compared = { compared: { from: '', to: '' }, series: [{ data }] }
  const [line] = withLineBefore(drawing, compared, { metric: 'total_p95', label: 'p95' }).lines
  expect([line?.label, line?.values]).toEqual(['p95 before', [null, 7, null]])
})

const context = (state: object) =>
  ({
    check: { id: 'shop' },
    state: { status: null, by: 'runs', compare: null, window: { preset: 'lastWeek' }, ...state },
  }) as unknown as PanelContext
const asked = (state: object, interval: ChartInterval | null = null) => {
  const query = comparedQuery(context(state), ['availability'], interval)
  return query && queryRequest(query)
}

test('figures are queried together with those of the previous window', () => {
  const body = {
    checks: { ids: ['shop'] },
    metrics: ['availability'],
    quickRange: 'lastWeek',
    compare: 'previousPeriod',
    confidence: 95,
  }
  showZone('UTC')
  expect(asked({})).toEqual({ path: '/v1/analytics/query', body })
  expect(asked({ by: 'time', compare: 'previousYear', status: 'failure' })?.body).toEqual({
    ...body,
    compare: 'previousYear',
    availabilityBy: 'time',
    filter: { status: ['failure'] },
  })
  showZone('Asia/Kolkata')
  expect(asked({}, 'day')?.body).toEqual({
    ...body,
    timezone: 'Asia/Kolkata',
    aggregationInterval: 'day',
    fill: 'null',
    limit: 1000,
  })
  showZone(null)
})

test("the same weekdays are those of the reader's zone, of the whole window and of its buckets", () => {
  showZone('Europe/Berlin')
  const rolling = { compare: 'sameWeekdays', window: { preset: 'last7Days' } }
  expect([asked(rolling), asked(rolling, 60)].map((request) => request?.body)).toEqual([
    expect.objectContaining({ timezone: 'Europe/Berlin' }),
    expect.objectContaining({ timezone: 'Europe/Berlin' }),
  ])
  showZone(null)
})

test.each([
  ['success', true],
  ['failure', true],
  ['a state of the type', false],
])('a view of %s has previous figures: %s', (status, has) => {
  expect(asked({ status }) !== null).toBe(has)
})

const count = { metric: 'total', unit: 'count' as const, value: (of: Row) => (of.total ?? null) as number | null }

test.each([
  [count, { total: 12 }, { total: 10 }, '+2', '10 before'],
  [count, { total: 10.04 }, { total: 10 }, '±0', '10 before'],
  [p95, { total_p95: 20 }, { total_p95: 0 }, '+20 ms', '0 ms before'],
  [p95, { total_p95: 10, total_p95_change: 'unknown' }, { total_p95: 20 }, '−50 %', '20 ms before'],
])('without a verdict a change is neutral: %#', (figure, now, before, short, sentence) => {
  expect(figureChange(figure, row(now, before))).toEqual({ short, sentence, verdict: 'unclear' })
})

test('a change with evidence states its confidence', () => {
  expect(figureChange(p95, row({ total_p95: 150, total_p95_change: 'higher' }, { total_p95: 100 }))?.sentence).toBe(
    '100 ms before; higher at 95 % confidence',
  )
  expect(figureChange(p95, row({ total_p95: 100, total_p95_change: 'no evidence' }, { total_p95: 100 }))?.short).toBe('≈ same')
})

test('the previous line is faint, and comes after those of the window', () => {
  const own = { label: 'p95', values: [1], colour: 'series-1', shape: 'line' } as const
  const drawing: Drawing = { unit: 'milliseconds', times: [0], ends: [1], from: 0, to: 1, lines: [own] }
  const none = { compared: { from: '', to: '' }, series: [] }
  expect(hadNoRuns(none)).toBe(false)
  expect(withLineBefore(drawing, none, { metric: 'total_p95', label: 'p95' }).lines).toEqual([
    own,
    { label: 'p95 before', values: [null], colour: 'before', shape: 'line', dash: [3, 4], width: 1.5 },
  ])
})
