import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { presetWindow, quickRanges } from './resolve-window.ts'

const iso = ({ from, to }: { readonly from: number; readonly to: number }) => [new Date(from).toISOString(), new Date(to).toISOString()]
const at = (text: string) => Date.parse(text)

describe('presets', () => {
  const now = at('2026-11-14T10:20:30.456Z')
  test.each([
    ['last24Hours', '2026-11-13T10:20:30.456Z', '2026-11-14T10:20:30.456Z'],
    ['last7Days', '2026-11-07T10:20:30.456Z', '2026-11-14T10:20:30.456Z'],
    ['last30Days', '2026-10-15T10:20:30.456Z', '2026-11-14T10:20:30.456Z'],
    ['thisWeek', '2026-11-09T00:00:00.000Z', '2026-11-14T10:20:30.456Z'],
    ['thisMonth', '2026-11-01T00:00:00.000Z', '2026-11-14T10:20:30.456Z'],
    ['lastWeek', '2026-11-02T00:00:00.000Z', '2026-11-08T23:59:59.999Z'],
    ['lastMonth', '2026-10-01T00:00:00.000Z', '2026-10-31T23:59:59.999Z'],
  ] as const)('%s on a Saturday in November', (range, from, to) => {
    expect(iso(presetWindow(range, now))).toEqual([from, to])
  })
  test.each([
    ['thisWeek', '2026-11-16T00:00:00.000Z', '2026-11-16T00:00:00.000Z', '2026-11-16T00:00:00.000Z'],
    ['thisWeek', '2026-11-15T23:59:59.999Z', '2026-11-09T00:00:00.000Z', '2026-11-15T23:59:59.999Z'],
    ['lastWeek', '2026-11-16T00:00:00.000Z', '2026-11-09T00:00:00.000Z', '2026-11-15T23:59:59.999Z'],
    ['lastWeek', '2026-11-15T23:59:59.999Z', '2026-11-02T00:00:00.000Z', '2026-11-08T23:59:59.999Z'],
    ['thisMonth', '2026-12-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
    ['lastMonth', '2024-03-31T12:00:00.000Z', '2024-02-01T00:00:00.000Z', '2024-02-29T23:59:59.999Z'],
    ['lastMonth', '2026-03-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z', '2026-02-28T23:59:59.999Z'],
    ['lastMonth', '2026-01-01T00:00:00.000Z', '2025-12-01T00:00:00.000Z', '2025-12-31T23:59:59.999Z'],
    ['lastWeek', '2026-01-01T12:00:00.000Z', '2025-12-22T00:00:00.000Z', '2025-12-28T23:59:59.999Z'],
  ] as const)('%s at the edge instant %s', (range, instant, from, to) => {
    expect(iso(presetWindow(range, at(instant)))).toEqual([from, to])
  })
  test('every preset ends no later than now, and never before it begins', () => {
    const anyNow = fc.integer({ min: at('1971-01-01T00:00:00Z'), max: at('2200-01-01T00:00:00Z') })
    fc.assert(
      fc.property(anyNow, fc.constantFrom(...quickRanges), (instant, range) => {
        const { from, to } = presetWindow(range, instant)
        return from <= to && to <= instant
      }),
    )
  })
})
