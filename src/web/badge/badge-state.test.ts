import { afterEach, expect, test } from 'vitest'
import { showZone } from '../state/zone.ts'
import { badgePath, badgeState } from './badge-state.ts'

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
