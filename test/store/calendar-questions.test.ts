// @slow ci
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BucketWidth, bucketsOf } from '../../src/analytics/window.ts'
import { createEmbeddedStore, type EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import type { Window } from '../../src/store/store.ts'
import { dayMs, hourMs } from '../../src/time.ts'
import { check } from '../support/arbitrary-results.ts'
import { naiveBucket, oddZones } from '../support/naive-calendar.ts'
import { calm } from '../support/results.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { triesOf } from '../support/tries.ts'
import { zoneOf } from '../support/zone.ts'

/**
 * Some hours of each of twelve days around the end of DST in Europe and its start on Lord Howe: a window can contain all results of a
 * day although the day itself extends beyond it, at either end.
 */
const first = Date.UTC(2026, 9, 19)
const days = 12
const hours = [10, 11.5, 12, 13.75, 16, 17.999]
const times = Array.from({ length: days }, (_, day) => hours.map((hour) => first + day * dayMs + Math.round(hour * hourMs))).flat()

let store: EmbeddedStore
beforeAll(async () => {
  store = await createEmbeddedStore({ directory: temporaryFolder(), workers: 0, clock: () => first + (days + 1) * dayMs })
  await store.append(
    times.map((startedAt) => ({ check, result: { ...calm, id: null, startedAt, runLocation: 'eu', values: {}, pages: [] } })),
  )
  await store.seal()
})
afterAll(() => store.close())

type CalendarQuestion = { readonly interval: BucketWidth; readonly zone: string; readonly window: Window; readonly now: number }

async function counted({
  interval,
  zone,
  window,
  now,
}: CalendarQuestion): Promise<readonly (readonly [number | null, number | undefined])[]> {
  const { groups } = await store.aggregate({
    sources: [{ check, columns: [], labels: [] }],
    window,
    filter: null,
    groupBy: [],
    figures: [],
    counts: true,
    buckets: bucketsOf(interval, zoneOf(zone), window, now),
    fill: null,
    histogram: null,
    rowPage: { offset: 0, limit: 10_000 },
    groupPage: null,
  })
  return groups.flatMap(({ rows }) => rows.map(({ start, counts }) => [start, counts?.total] as const))
}

const starts = new Map<string, number>()
function naiveStart(interval: BucketWidth, zone: string, time: number): number {
  const key = `${interval} ${zone} ${time}`
  const start = starts.get(key) ?? naiveBucket(interval, time, zone).start
  starts.set(key, start)
  return start
}

function expected({ interval, zone, window }: CalendarQuestion): readonly (readonly [number, number])[] {
  const totals = new Map<number, number>()
  for (const time of times.filter((time) => time >= window.from && time <= window.to)) {
    const start = naiveStart(interval, zone, time)
    totals.set(start, (totals.get(start) ?? 0) + 1)
  }
  return [...totals]
}

describe.each(['Europe/Berlin', 'Africa/Cairo', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'])('sealed days in %s', (zone) => {
  test.each<BucketWidth>([60, 120, 720, 'day', 'week', 'month'])(
    'with buckets of %s are counted correctly at every hour',
    async (interval) => {
      for (let hour = 0; hour < 48; hour++) {
        const now = first + 5 * dayMs + hour * hourMs + hourMs / 2
        for (const window of [
          { from: now - 3 * dayMs, to: now },
          { from: now, to: now + 3 * dayMs },
          { from: now - 6 * hourMs, to: now + 6 * hourMs },
        ]) {
          const asked = { interval, zone, window, now: Math.max(now, window.to) }
          expect(await counted(asked)).toEqual(expected(asked))
        }
      }
    },
  )
})

test('sealed days are counted correctly for any zone, interval, window and hour', async () => {
  const instant = fc.integer({ min: -2 * 24, max: (days + 2) * 24 }).map((hour) => first + hour * hourMs)
  const minutes = fc.constantFrom(0, 1, 30 * 60_000, hourMs - 1)
  const questions = fc.record({
    interval: fc.constantFrom<BucketWidth>(15, 60, 90, 180, 240, 480, 1440, 10080, 'day', 'week', 'month'),
    zone: fc.constantFrom(...oddZones.filter((zone) => zone !== 'UTC')),
    window: fc.tuple(instant, instant, minutes, minutes).map(([a, b, before, behind]) => ({
      from: Math.min(a, b) - before,
      to: Math.max(a, b) + behind,
    })),
    ahead: fc.integer({ min: -12, max: 48 }),
  })
  await fc.assert(
    fc.asyncProperty(questions, async ({ ahead, ...question }) => {
      const asked = { ...question, now: Math.max(question.window.to, times.at(-1) ?? 0) + ahead * hourMs }
      expect(await counted(asked)).toEqual(expected(asked))
    }),
    { numRuns: triesOf(300) },
  )
})
