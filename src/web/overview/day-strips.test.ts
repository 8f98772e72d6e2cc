import { expect, test } from 'vitest'
import type { Outage } from '../api/answers.ts'
import { daysAvailability, outagesText } from './day-strips.tsx'

const day = (total: number, success: number) => ({ from: 0, to: 1, total, success })

test('the figure of a line is over all its runs, instead of the mean of its days', () => {
  expect(daysAvailability([day(0, 0), day(900, 900), day(100, 0)])).toBe(90)
  expect(daysAvailability([day(0, 0)])).toBeNull()
})

const outage = (name: string): Outage => ({
  checkId: 'shop',
  name,
  checkType: 'X',
  from: '2026-11-14T10:00:00.000Z',
  to: '2026-11-14T10:12:00.000Z',
  seconds: 720,
  locations: ['eu'],
  reason: 'status 503\nmore',
  firstResultId: null,
  lastResultId: null,
  maintenance: false,
})

test('outages of a day are listed, and further ones counted', () => {
  expect(outagesText({ outages: [], total: 0 })).toBe('No outage.')
  expect(outagesText({ outages: [outage('Shop')], total: 1 })).toMatch(/^1 outage: \d\d:\d\d for 12 min, Shop, status 503\.$/)
  expect(outagesText({ outages: ['A', 'B', 'C', 'D', 'E'].map(outage), total: 9 })).toMatch(/^9 outages: .*D, status 503; and 5 more\.$/)
})
