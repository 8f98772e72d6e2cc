import { expect, test } from 'vitest'
import type { Check, CheckType } from '../api/answers.ts'
import { canCountTime, checkViewState } from './check-options.ts'

const now = Date.parse('2026-11-14T10:00:00Z')
const check = { frequency: 5 } as unknown as Check
const total = { name: 'total', unit: 'milliseconds', label: 'Total', perPage: false }
const connect = { ...total, name: 'connect', label: 'Connect' }
const checkType = {
  duration: 'total',
  metrics: [connect, total],
  groupBy: [
    { name: 'runLocation', by: 'location' },
    { name: 'statusCode', by: 'field' },
  ],
  filterByStatus: ['passed', 'failed'],
} as unknown as CheckType
const stateOf = (query: string, type = checkType) =>
  checkViewState({ path: '/', query: new URLSearchParams(query), above: {}, zooms: [] }, check, type, now)

test('by default the duration of a check is shown for a day, as percentiles', () => {
  expect(stateOf('')).toEqual({
    window: { preset: 'last24Hours' },
    metric: total,
    aggregation: 'percentiles',
    groupBy: null,
    status: null,
    by: 'runs',
    compare: null,
    location: null,
    chosenBucket: null,
    bucket: 15,
    calls: 1,
    page: 1,
  })
})

test('options in the URL are used if the type supports them', () => {
  const query = 'metric=connect&aggregation=max&groupBy=runLocation&filterByStatus=failed&location=eu&aggregationInterval=5&page=3'
  expect(stateOf(`${query}&compare=sameWeekdays`)).toMatchObject({
    metric: connect,
    aggregation: 'max',
    groupBy: 'runLocation',
    status: 'failed',
    compare: 'sameWeekdays',
    location: 'eu',
    chosenBucket: 5,
    bucket: 5,
    calls: 3,
    page: 3,
  })
  expect(stateOf('compare=previousPeriod').compare).toBe('previousPeriod')
})

test('options that the type does not support are ignored', () => {
  const query = 'metric=x&aggregation=x&groupBy=x&filterByStatus=x&compare=x&aggregationInterval=x&page=x'
  expect(stateOf(query)).toEqual(stateOf(''))
  expect([stateOf('page=-1').page, stateOf('page=2.7').page]).toEqual([1, 2])
})

test('groups show a single percentile, and metrics of every check have no aggregation', () => {
  expect(stateOf('groupBy=statusCode').aggregation).toBe('p95')
  expect(stateOf('metric=retries&aggregation=max')).toMatchObject({ metric: { name: 'retries', unit: 'count' }, aggregation: null })
})

test('the default metric of a type without a duration is availability', () => {
  expect(stateOf('', { ...checkType, duration: null } as unknown as CheckType)).toMatchObject({
    metric: { name: 'availability', unit: 'percentage' },
    aggregation: null,
  })
})

test('availability by time is only for all runs, together or by location', () => {
  const byOf = (query: string) => stateOf(`availabilityBy=time${query}`).by
  expect([byOf(''), byOf('&groupBy=runLocation'), byOf('&groupBy=statusCode'), byOf('&filterByStatus=failed')]).toEqual([
    'time',
    'time',
    'runs',
    'runs',
  ])
  expect([canCountTime(checkType, null), canCountTime(checkType, 'runLocation'), canCountTime(checkType, 'x')]).toEqual([true, true, false])
})
