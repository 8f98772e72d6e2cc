import { expect, test } from 'vitest'
import type { Row } from '../api/answers.ts'
import type { Drawing } from '../chart/line.ts'
import { type ComparedRow, figureChange, hadNoRuns, withLineBefore } from './compare.ts'

const row = (now: Row, previous: Row | null) => ({ ...now, previous }) as ComparedRow
const p95 = { metric: 'total_p95', unit: 'milliseconds' as const, value: (of: Row) => (of.total_p95 ?? null) as number | null }
const availability = { metric: 'availability', unit: 'percentage' as const, value: (of: Row) => (of.availability ?? null) as number | null }

test('a percentile that has certainly risen is worse, and one that has fallen better', () => {
  expect(figureChange(p95, row({ total_p95: 150, total_p95_change: 'higher' }, { total_p95: 100 }))).toMatchObject({
    short: '+50 %',
    verdict: 'worse',
  })
  expect(figureChange(p95, row({ total_p95: 50, total_p95_change: 'lower' }, { total_p95: 100 }))).toMatchObject({
    short: '−50 %',
    verdict: 'better',
  })
})

test('a change without evidence is told as such, whatever its size', () => {
  const change = figureChange(p95, row({ total_p95: 300, total_p95_change: 'no evidence' }, { total_p95: 100 }))
  expect(change).toMatchObject({ short: '≈ +200 %', verdict: 'unclear' })
  const close = figureChange(p95, row({ total_p95: 100.1, total_p95_change: 'no evidence' }, { total_p95: 100 }))
  expect(close?.short).toBe('≈ same')
  expect(change?.sentence).toBe('100 ms before; no evidence of a change at 95 % confidence')
})

test('shares differ in points, and what is equal is ±0', () => {
  expect(figureChange(availability, row({ availability: 99.5 }, { availability: 99.9 }))?.short).toBe('−0.4 pp')
  expect(figureChange(availability, row({ availability: 100 }, { availability: 100 }))?.short).toBe('±0')
  expect(figureChange(availability, row({ availability: 99.999 }, { availability: 100 }))?.short).toBe('±0 pp')
})

test('without a figure before there is no change', () => {
  expect(figureChange(p95, row({ total_p95: 1 }, null))).toBeNull()
  expect(figureChange(p95, row({ total_p95: 1 }, { total_p95: null }))).toBeNull()
})

test('a window before in which nothing ran is nothing to compare with', () => {
  const compared = (total: number) => ({ compared: { from: '', to: '' }, series: [{ data: [row({ total: 10 }, { total })] }] })
  expect([hadNoRuns(compared(0)), hadNoRuns(compared(1))]).toEqual([true, false])
})

test('the line before stands in the buckets of the window', () => {
  const times = [0, 60_000, 120_000]
  const drawing: Drawing = { unit: 'milliseconds', times, ends: [60_000, 120_000, 180_000], from: 0, to: 180_000, lines: [] }
  const data = [row({ period: new Date(60_000).toISOString() }, { total_p95: 7 })]
  const compared = { compared: { from: '', to: '' }, series: [{ data }] }
  const [line] = withLineBefore(drawing, compared, { metric: 'total_p95', label: 'p95' }).lines
  expect([line?.label, line?.values]).toEqual(['p95 before', [null, 7, null]])
})
