import { afterEach, expect, test } from 'vitest'
import { showZone } from '../state/zone.ts'
import { headWithZone, spanText } from './time.tsx'

afterEach(() => showZone(null))

const span = (from: string, to: string) => spanText(Date.parse(from), Date.parse(to))

test('a span has the zone of both ends, or once if it is the same', () => {
  showZone('Europe/Berlin')
  expect(span('2026-11-10T08:00:00Z', '2026-11-10T09:30:00Z')).toMatch(/ 09:00 – 10:30 GMT\+1$/)
  expect(span('2026-10-17T19:44:00Z', '2026-11-16T19:44:00Z')).toMatch(/ 21:44 GMT\+2 – .* 20:44 GMT\+1$/)
  showZone('America/New_York')
  expect(span('2026-11-01T00:00:00Z', '2026-11-16T20:13:00Z')).toMatch(/ 20:00 EDT – .* 15:13 EST$/)
  showZone('Asia/Kolkata')
  expect(span('2026-10-17T19:44:00Z', '2026-11-16T19:44:00Z')).toMatch(/ 01:14 – .* 01:14 GMT\+5:30$/)
})

test('a column header has a zone only if it applies to all its times', () => {
  showZone('Europe/Berlin')
  const [summer, winter] = [Date.parse('2026-10-01T00:00:00Z'), Date.parse('2026-11-01T00:00:00Z')]
  expect([headWithZone('Period', [winter]), headWithZone('Period', [summer]), headWithZone('Period', [summer, winter])]).toEqual([
    'Period, GMT+1',
    'Period, GMT+2',
    'Period',
  ])
})
