import { afterEach, expect, test } from 'vitest'
import { aggregationChoices } from '../check/check-options.ts'
import { showZone } from '../state/zone.ts'
import { badgeMetrics, badgePath, badgeState } from './badge-options.ts'

const pathOf = (query: string) => badgePath('shop', badgeState({ query: new URLSearchParams(query) }))

afterEach(() => showZone(null))

test('weeks and months of a badge are those of the reader who makes it', () => {
  showZone('Europe/Berlin')
  expect(pathOf('metric=availability&range=lastMonth')).toBe(
    '/v1/badges/checks/shop?metric=availability&range=lastMonth&timezone=Europe%2FBerlin',
  )
})

test('a badge without a calendar, or of UTC, names no zone', () => {
  showZone('Europe/Berlin')
  expect(pathOf('metric=availability&range=last7Days')).toBe('/v1/badges/checks/shop?metric=availability&range=last7Days')
  expect(pathOf('range=lastMonth')).toBe('/v1/badges/checks/shop')
  showZone('UTC')
  expect(pathOf('metric=availability&range=lastMonth')).toBe('/v1/badges/checks/shop?metric=availability&range=lastMonth')
})

const choice = (query: string) => badgeState({ query: new URLSearchParams(query) })

test('a badge of an address that says nothing shows the state as a badge without options does', () => {
  expect(choice('')).toEqual({ style: 'flat', theme: 'default', shows: 'state', metric: '', range: 'last24Hours', label: '' })
  expect(choice('style=none&theme=none&range=never&responseTime=false')).toEqual(choice(''))
  expect(pathOf('')).toBe('/v1/badges/checks/shop')
})

test('what a badge shows is the metric before the response time', () => {
  expect(['', 'responseTime=true', 'metric=retries', 'metric=retries&responseTime=true'].map((query) => choice(query).shows)).toEqual([
    'state',
    'responseTime',
    'metric',
    'metric',
  ])
})

test('the options of a badge are read back from its address, but for those of other badges', () => {
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

test('a badge can show every aggregation of every metric of its type', () => {
  const checkType = { metrics: [{ name: 'time', label: 'Time' }] } as unknown as Parameters<typeof badgeMetrics>[0]
  const shown = badgeMetrics(checkType)
  expect(shown.slice(0, 2)).toEqual([
    { value: 'availability', label: 'Availability' },
    { value: 'retries', label: 'Retries' },
  ])
  expect(shown).toContainEqual({ value: 'time_p95', label: 'Time, p95' })
  expect(shown).toHaveLength(2 + aggregationChoices.length)
})
