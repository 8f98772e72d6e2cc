import { expect, test } from 'vitest'
import { minuteMs } from '../../time.ts'
import { availabilityDrawing } from './drawings.ts'

const query = {
  endpoint: '',
  checkId: 'shop',
  metrics: ['availability'],
  window: { preset: 'last24Hours' },
  interval: 60,
  groupBy: 'runLocation',
  status: null,
  by: 'runs',
  calls: 1,
} as const

/** A location whose hours failed so many of ten runs. */
const series = (runLocation: string, failed: readonly number[]) => ({
  runLocation,
  data: failed.map((count, hour) => ({
    period: new Date(hour * 60 * minuteMs).toISOString(),
    availability: (10 - count) * 10,
    success: 10 - count,
    total: 10,
  })),
})

test('of many groups the least available come first, in the chart and in its table', () => {
  const fine = Array.from({ length: 20 }, (_, i) => series(`fine-${i}`, [0, 0]))
  const report = {
    name: 'Shop',
    from: new Date(0).toISOString(),
    to: new Date(120 * minuteMs).toISOString(),
    series: [...fine, series('short', [1, 0]), series('bad', [0, 9])],
    metadata: {},
  }
  const { lines, groups, worst } = availabilityDrawing({ report, query, unit: 'percentage' })
  expect(lines.slice(0, 2).map(({ label }) => label)).toEqual(['bad', 'short'])
  expect(groups?.slice(0, 3).map(({ label }) => label)).toEqual(['bad', 'short', 'fine-0'])
  expect(worst).toBe('lowest')
})
