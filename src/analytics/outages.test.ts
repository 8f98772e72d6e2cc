// @slow
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { testCheck } from '../../test/support/catalogue.ts'
import { anyRunType } from '../../test/support/example-config.ts'
import { triesOf } from '../../test/support/tries.ts'
import { zoneOf } from '../../test/support/zone.ts'
import { occurrences } from '../calendar/schedule.ts'
import { refOf } from '../catalogue/catalogue.ts'
import { type MaintenancePolicy, noPolicies } from '../catalogue/policies/policies.ts'
import type { FoundOutage } from '../store/state-questions.ts'
import { dayMs, hourMs, minuteMs } from '../time.ts'
import { outageEntries } from './outages.ts'

const check = testCheck(anyRunType())
const now = Date.parse('2026-11-14T10:00:00Z')
const zone = zoneOf('Europe/Berlin')

function outageOf(from: number, to: number | null): FoundOutage {
  return { check: refOf(check), from, to, locations: [], reason: null, firstResultId: null, lastResultId: null }
}

const flagsOf = async (found: readonly FoundOutage[], maintenance: readonly MaintenancePolicy[]) => {
  const entries = await outageEntries(found, { checks: [check], now }, { ...noPolicies, maintenance })
  return entries.map((entry) => entry.maintenance)
}

const forAll = { name: 'any', checks: [], tags: [] }

test('an outage is marked as maintenance where an occurrence overlaps it, however far apart the outages are', async () => {
  const start = fc.integer({ min: 0, max: now - 1 })
  const length = fc.oneof(fc.integer({ min: 1, max: 2 * hourMs }), fc.integer({ min: 1, max: 900 * dayMs }))
  const span = fc.tuple(start, length).map(([from, forMs]) => ({ from, to: Math.min(now, from + forMs) }))
  const forMs = fc.integer({ min: 1, max: 31 * dayMs })
  const atMinutes = fc.nat(1439)
  const unit = fc.constantFrom('day' as const, 'week' as const, 'month' as const)
  const maintenance: fc.Arbitrary<MaintenancePolicy> = fc.oneof(
    span.map((once) => ({ ...forAll, ...once })),
    fc
      .record({ atMinutes, forMs: fc.integer({ min: 1, max: hourMs }) })
      .map((daily) => ({ ...forAll, every: 'day' as const, ...daily, zone })),
    fc
      .record({ on: fc.integer({ min: 1, max: 31 }), atMinutes, forMs })
      .map((monthly) => ({ ...forAll, every: 'month' as const, ...monthly, zone })),
    fc
      .record({ from: start, forMs, unit, interval: fc.integer({ min: 1, max: 100 }) })
      .map(({ from, forMs, ...repeat }) => ({ ...forAll, from, to: from + forMs, repeat: { ...repeat, until: null }, zone })),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(span, { minLength: 1, maxLength: 5 }), maintenance, async (spans, policy) => {
      const found = spans.map(({ from, to }) => outageOf(from, to === now ? null : to))
      const overlaps = spans.map((own) => occurrences(policy, own).some(({ from, to }) => from < own.to && to > own.from))
      expect(await flagsOf(found, [policy])).toEqual(overlaps)
    }),
    { numRuns: triesOf(100) },
  )
})

test('other requests are served while the maintenance windows of decades of outages are computed', async () => {
  const noon = Date.UTC(1975, 0, 1, 12)
  const found = Array.from({ length: 100 }, (_, i) => outageOf(noon + i * 180 * dayMs, noon + i * 180 * dayMs + minuteMs))
  const nightly = Array.from({ length: 8 }, (_, i) => ({ ...forAll, every: 'day' as const, atMinutes: i, forMs: minuteMs, zone }))
  let at = 0
  const slow = vi.spyOn(performance, 'now').mockImplementation(() => (at += 20))
  onTestFinished(() => slow.mockRestore())
  let turns = 0
  let isDone = false
  const count = () => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  expect(await flagsOf(found, nightly)).toEqual(found.map(() => false))
  isDone = true
  expect(turns).toBeGreaterThan(4)
})
