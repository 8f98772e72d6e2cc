import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arbitraryInstant, naiveClock, naiveDayStart, naiveLocal, oddZones } from '../../test/support/naive-calendar.ts'
import { triesOf } from '../../test/support/tries.ts'
import { zoneOf } from '../../test/support/zone.ts'
import type { RepeatedMaintenance } from './repetition.ts'
import { occurrences } from './schedule.ts'
import type { Span } from './window.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const quarterMs = hourMs / 4
const at = (text: string) => Date.parse(text)
const starts = (spans: readonly Span[]) => spans.map(({ from }) => new Date(from).toISOString())
const year2026 = { from: at('2026-01-01T00:00:00Z'), to: at('2026-12-31T23:59:59.999Z') }

function repeated(first: string, repeat: Partial<RepeatedMaintenance['repeat']>, zone = 'UTC'): RepeatedMaintenance {
  const from = at(first)
  return { from, to: from + hourMs, repeat: { unit: 'day', interval: 1, until: null, ...repeat }, zone: zoneOf(zone) }
}

describe.each(oddZones)('in %s', (name) => {
  test('a maintenance window repeats as in a naive calendar', () => {
    const repeat = fc.record({ unit: fc.constantFrom('day', 'week', 'month'), interval: fc.integer({ min: 1, max: 5 }) })
    const first = arbitraryInstant(name).map((instant) => Math.floor(instant / quarterMs) * quarterMs)
    fc.assert(
      fc.property(first, repeat, fc.integer({ min: 1, max: 50 * hourMs }), fc.nat(400), fc.nat(60), (from, repeat, forMs, later, days) => {
        const maintenance = { from, to: from + forMs, repeat: { ...repeat, until: null }, zone: zoneOf(name) }
        const window = { from: from + later * dayMs, to: from + (later + days) * dayMs }
        const expected = naiveStarts(maintenance, name, window.to).filter((start) => start + forMs > window.from)
        expect(occurrences(maintenance, window).map(({ from: start }) => start)).toEqual(expected)
      }),
      { numRuns: triesOf(15) },
    )
  })
})

describe('a repeated maintenance window', () => {
  test('every other week keeps its local time across clock changes', () => {
    const found = occurrences(repeated('2026-03-20T01:30:30.250Z', { unit: 'week', interval: 2 }, 'Europe/Berlin'), year2026)
    expect(starts(found).slice(0, 3)).toEqual(['2026-03-20T01:30:30.250Z', '2026-04-03T00:30:30.250Z', '2026-04-17T00:30:30.250Z'])
  })

  test('every month is skipped in months without such a day', () => {
    const found = occurrences(repeated('2026-01-31T10:00:00Z', { unit: 'month' }), year2026)
    expect(starts(found).map((text) => text.slice(5, 10))).toEqual(['01-31', '03-31', '05-31', '07-31', '08-31', '10-31', '12-31'])
  })

  test('every few months is counted across years', () => {
    const found = occurrences(repeated('2025-04-10T10:00:00Z', { unit: 'month', interval: 7 }), year2026)
    expect(starts(found).map((text) => text.slice(0, 7))).toEqual(['2026-06'])
  })

  test('does not begin at or after its end, except for the first time', () => {
    const until = at('2026-01-04T10:00:00Z')
    expect(starts(occurrences(repeated('2026-01-02T10:00:00Z', { until }), year2026))).toEqual([
      '2026-01-02T10:00:00.000Z',
      '2026-01-03T10:00:00.000Z',
    ])
    expect(occurrences(repeated('2026-01-02T10:00:00Z', { until: 0 }), year2026)).toHaveLength(1)
  })

  test('does not occur before the first time', () => {
    const window = { from: at('2025-12-01T00:00:00Z'), to: at('2026-01-02T09:00:00Z') }
    expect(occurrences(repeated('2026-01-02T10:00:00Z', {}), window)).toEqual([])
  })
})

/** Counts every date from the first one on. */
function naiveStarts({ from, repeat }: RepeatedMaintenance, name: string, end: number): readonly number[] {
  const local = naiveLocal(from, name)
  const first = Math.floor(local / dayMs) * dayMs
  const found = from <= end ? [from] : []
  const sinceFirst = { days: 0, months: 0 }
  for (let day = first + dayMs; day <= end + 2 * dayMs; day += dayMs) {
    sinceFirst.days++
    if (new Date(day).getUTCDate() === 1) sinceFirst.months++
    const isDay = {
      day: sinceFirst.days % repeat.interval === 0,
      week: sinceFirst.days % (repeat.interval * 7) === 0,
      month: new Date(day).getUTCDate() === new Date(first).getUTCDate() && sinceFirst.months % repeat.interval === 0,
    }[repeat.unit]
    const isSkipped = naiveLocal(naiveDayStart(day, name), name) >= day + dayMs
    const start = isDay && !isSkipped ? naiveClock(day, (local - first) / 60_000, name) : Infinity
    if (start <= end) found.push(start)
  }
  return found
}
