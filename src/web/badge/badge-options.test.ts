import { afterEach, expect, test } from 'vitest'
import { aggregationChoices } from '../check/check-options.ts'
import { showZone } from '../state/zone.ts'
import { badgeMetrics, badgePath, badgeState } from './badge-options.ts'

const pathOf = (query: string) => badgePath('shop', badgeState({ query: new URLSearchParams(query) }))

afterEach(() => showZone(null))

test('calendar ranges of a badge are in the zone of the reader who creates it', () => {
  showZone('Europe/Berlin')
  expect(pathOf('metric=availability&range=lastMonth')).toBe(
    '/v1/badges/checks/shop?metric=availability&range=lastMonth&timezone=Europe%2FBerlin',
  )
})

test('a badge without a calendar range, or in UTC, has no zone', () => {
  showZone('Europe/Berlin')
  expect(pathOf('metric=availability&range=last7Days')).toBe('/v1/badges/checks/shop?metric=availability&range=last7Days')
  expect(pathOf('range=lastMonth')).toBe('/v1/badges/checks/shop')
  showZone('UTC')
  expect(pathOf('metric=availability&range=lastMonth')).toBe('/v1/badges/checks/shop?metric=availability&range=lastMonth')
})

const choice = (query: string) => badgeState({ query: new URLSearchParams(query) })

test('a badge URL without options shows the state', () => {
  expect(choice('')).toEqual({ style: 'flat', theme: 'default', shows: 'state', metric: '', range: 'last24Hours', label: '' })
  expect(choice('style=none&theme=none&range=never&responseTime=false')).toEqual(choice(''))
  expect(pathOf('')).toBe('/v1/badges/checks/shop')
})

test('a metric in a badge URL has precedence over the response time', () => {
  expect(['', 'responseTime=true', 'metric=retries', 'metric=retries&responseTime=true'].map((query) => choice(query).shows)).toEqual([
    'state',
    'responseTime',
    'metric',
    'metric',
  ])
})

test('options of a badge are read back from its URL, except those of other badges', () => {
  const all = 'style=flat-square&theme=dark&metric=retries&range=last7Days&label=Our+shop'
  expect(pathOf(all)).toBe(`/v1/badges/checks/shop?${all}`)
  expect(choice(all)).toEqual({
    style: 'flat-square',
    theme: 'dark',
    shows: 'metric',
    metric: 'retries',
    range: 'last7Days',
    label: 'Our shop',
  })
  expect(pathOf('responseTime=true&range=last7Days')).toBe('/v1/badges/checks/shop?responseTime=true')
})

test('a badge can show every aggregation of all metrics of its type', () => {
  const checkType = { metrics: [{ name: 'time', label: 'Time' }] } as unknown as Parameters<typeof badgeMetrics>[0]
  const shown = badgeMetrics(checkType)
  expect(shown.slice(0, 2)).toEqual([
    { value: 'availability', label: 'Availability' },
    { value: 'retries', label: 'Retries' },
  ])
  expect(shown).toContainEqual({ value: 'time_p95', label: 'Time, p95' })
  expect(shown).toHaveLength(2 + aggregationChoices.length)
})
