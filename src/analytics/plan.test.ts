import { describe, expect, test } from 'vitest'
import { testCheck } from '../../test/support/catalogue.ts'
import { checkTypes } from '../checks/registry.ts'
import { dayMs, hourMs, minuteMs } from '../time.ts'
import { metricFinder } from './metric-names.ts'
import { type AnalyticsRequest, plan } from './plan.ts'

const now = Date.parse('2026-11-14T10:00:00.000Z')
const measuring = checkTypes.filter(({ duration }) => duration !== null)

const plain = {
  quickRange: 'last24Hours',
  from: null,
  to: null,
  timezone: null,
  interval: null,
  fill: false,
  statuses: [],
  groupBy: null,
  limit: 10,
  page: 1,
} as const satisfies Omit<AnalyticsRequest, 'metrics'>

describe.each(measuring.map((checkType) => [checkType.type, checkType] as const))('a query of %s checks', (_, checkType) => {
  const base = checkType.duration ?? ''
  const check = testCheck(checkType)
  const find = metricFinder(checkType)
  const ask = (names: readonly string[], more: Partial<AnalyticsRequest> = {}) =>
    plan(check, { ...plain, metrics: names.map(find), ...more }, now)

  test('is raw with only base names, with or without availability and retries', () => {
    expect(ask([base]).kind).toBe('raw')
    expect(ask(['availability', base, 'retries']).kind).toBe('raw')
  })
  test('is aggregated with any suffix, or with only availability or retries', () => {
    expect(ask([base, `${base}_p99`]).kind).toBe('aggregate')
    expect(ask(['availability']).kind).toBe('aggregate')
    expect(ask(['retries']).kind).toBe('aggregate')
  })
  test('uses the average for a base name next to suffixed names', () => {
    const { query } = ask([`${base}_max`, 'availability', base])
    expect(query).toMatchObject({
      figures: [
        { column: 0, aggregation: 'max' },
        { column: 0, aggregation: 'avg' },
      ],
    })
  })
  test('ignores an interval next to raw metrics', () => {
    expect(ask([base], { interval: 5 }).query).not.toHaveProperty('buckets')
  })
  test('aligns buckets to a Monday', () => {
    const { query } = ask(['availability'], { interval: 60 })
    expect(query).toMatchObject({ buckets: { originMs: Date.UTC(1970, 0, 5), widthMs: hourMs } })
  })
  test('has one bucket from the start of the window where the interval is at least as long as the window', () => {
    const whole = { buckets: { originMs: now - dayMs, widthMs: dayMs + 1 } }
    expect(ask(['availability'], { interval: 1440 }).query).toMatchObject(whole)
    expect(ask(['availability'], { interval: 43_200 }).query).toMatchObject(whole)
    expect(ask(['availability'], { interval: 1439 }).query).toMatchObject({ buckets: { widthMs: dayMs - minuteMs } })
  })
  test('filters by outcome', () => {
    expect(ask(['availability']).query.filter).toBeNull()
    expect(ask(['availability'], { statuses: ['failure'] }).query.filter).toEqual({
      success: false,
      failure: true,
      states: [],
      locations: null,
      field: null,
    })
    expect(ask(['availability'], { statuses: ['A', 'success'] }).query.filter).toMatchObject({
      success: true,
      failure: false,
      states: ['A'],
    })
  })
  test('converts a page into an offset', () => {
    expect(ask(['availability'], { limit: 7, page: 3 }).query.rowPage).toEqual({ offset: 14, limit: 7 })
  })
})
