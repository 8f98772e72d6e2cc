import { expect, test } from 'vitest'
import { minuteMs } from '../../time.ts'
import { mostLines } from '../chart/line.ts'
import { availabilityDrawing, countsDrawing } from './drawings.ts'

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

const reportOf = (all: readonly ReturnType<typeof series>[]) => ({
  name: 'Shop',
  from: new Date(0).toISOString(),
  to: new Date(120 * minuteMs).toISOString(),
  series: [...all],
  metadata: {},
})

test('of many groups the least available come first, in the chart and in its table', () => {
  const fine = Array.from({ length: 20 }, (_, i) => series(`fine-${i}`, [0, 0]))
  const report = reportOf([...fine, series('short', [1, 0]), series('bad', [0, 9])])
  const { lines, groups, worst } = availabilityDrawing({ report, query, unit: 'percentage' })
  expect(lines.slice(0, 2).map(({ label }) => label)).toEqual(['bad', 'short'])
  expect(groups?.slice(0, 3).map(({ label }) => label)).toEqual(['bad', 'short', 'fine-0'])
  expect(worst).toBe('lowest')
})

test('of many groups whose runs are counted the rarest are one, and a table has them all', () => {
  const counted = (groups: number) => {
    const rare = series('rare', [0])
    const others = Array.from({ length: groups - 1 }, (_, i) => series(`often-${i}`, [0, 0]))
    return countsDrawing({ report: reportOf([rare, ...others]), query, unit: 'percentage' })
  }
  const few = counted(mostLines)
  expect([few.lines.length, few.lines[0]?.label, few.groups]).toEqual([mostLines, 'rare', undefined])
  const many = counted(mostLines + 1)
  expect([many.lines.length, many.lines.at(-1)]).toEqual([mostLines, expect.objectContaining({ label: 'others', values: [20, 10] })])
  expect(many.groups).toHaveLength(mostLines + 1)
  expect(many).toMatchObject({ unit: 'count', stacked: true })
})
