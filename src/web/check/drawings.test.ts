import { expect, test } from 'vitest'
import { minuteMs } from '../../time.ts'
import { mostLines } from '../chart/line.ts'
import { availabilityDrawing, bandDrawing, countsDrawing, groupsDrawing, stackDrawing, timeDrawing } from './drawings.ts'

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

/** A location with this many failures among ten runs, per hour. */
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

test('of many groups with counted runs the rarest are combined in the chart, and all are in the table', () => {
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

const rowsOf = (...rows: readonly Readonly<Record<string, number | null>>[]) => ({
  ...reportOf([]),
  series: [{ data: rows.map((row, hour) => ({ period: new Date(hour * 60 * minuteMs).toISOString(), ...row })) }],
})
const alone = { ...query, groupBy: null }
const shapeOf = ({ lines }: { readonly lines: readonly { readonly label: string; readonly values: readonly unknown[] }[] }) =>
  lines.map(({ label, values }) => [label, values])

test('the time of each bucket is drawn by state, without states that do not occur', () => {
  const none = { degradedSeconds: 0, maintenanceSeconds: 0, unknownSeconds: 0, availability: 100 }
  const draw = (...rows: readonly Readonly<Record<string, number | null>>[]) =>
    timeDrawing({ report: rowsOf(...rows), query: alone, unit: 'percentage' })
  const usual = draw({ ...none, upSeconds: 3600, downSeconds: 0 }, { ...none, upSeconds: null, downSeconds: 1, availability: 50 })
  expect(shapeOf(usual)).toEqual([
    ['down', [0, 1000]],
    ['up', [3_600_000, null]],
  ])
  expect(usual).toMatchObject({ unit: 'milliseconds', stacked: true, from: 0, to: 120 * minuteMs })
  expect(usual.readouts).toEqual([{ label: 'availability', unit: 'percentage', values: [100, 50] }])
  expect(usual.lines.map(({ colour, shape }) => [colour, shape])).toEqual([
    ['failing', 'bars'],
    ['passing-soft', 'bars'],
  ])
  const odd = draw({ upSeconds: 0, downSeconds: 0, degradedSeconds: 1, maintenanceSeconds: 2, unknownSeconds: 3, availability: null })
  expect(odd.lines.map(({ label, colour }) => [label, colour])).toEqual([
    ['down', 'failing'],
    ['degraded', 'degraded'],
    ['up', 'passing-soft'],
    ['maintenance', 'paused'],
    ['unknown', 'unknown'],
  ])
})

test('runs without groups are drawn as failed and passed', () => {
  const report = rowsOf({ availability: 70, success: 7, total: 10 }, { availability: null, success: null, total: null })
  const drawing = availabilityDrawing({ report, query: alone, unit: 'percentage' })
  expect(shapeOf(drawing)).toEqual([
    ['failed', [3, null]],
    ['passed', [7, null]],
  ])
  expect(drawing).toMatchObject({ unit: 'count', stacked: true, readouts: [{ values: [70, null] }] })
})

test.each([
  [0, 98],
  [1, 75],
  [3, 50],
  [5, 0],
])('if %d of ten runs failed, the scale begins at %d %%', (failed, floor) => {
  const { scale } = availabilityDrawing({ report: reportOf([series('a', [failed])]), query, unit: 'percentage' })
  expect(scale).toEqual([floor, 100 + (100 - floor) * 0.02])
})

test('percentiles are bands, with the middle one as a line', () => {
  const metrics = ['a', 'b', 'c', 'd', 'e']
  const report = rowsOf(Object.fromEntries(metrics.map((name, index) => [name, index])))
  const { lines } = bandDrawing({ report, query: { ...alone, metrics }, unit: 'milliseconds' })
  for (const { label, colour, band, width, shape } of lines)
    expect([colour, band, width, shape]).toEqual([`band-${label}`, label !== 'p50', label === 'p50' ? 2 : 1.25, 'line'])
  expect(lines.some(({ label }) => label === 'p50')).toBe(true)
})

test('groups are ordered by their highest value, and duplicate names get a number', () => {
  const report = reportOf([series('same', [5]), series('same', [0]), series('c', [9])])
  const drawing = groupsDrawing({ report, query, unit: 'percentage' }, 'bars', 'alone')
  expect(shapeOf(drawing)).toEqual([
    ['same (2)', [100]],
    ['same', [50]],
    ['c', [10]],
  ])
  expect([drawing.lines[0]?.shape, drawing.groups]).toEqual(['line', undefined])
  const one = groupsDrawing({ report: rowsOf({ availability: 1 }), query: alone, unit: 'percentage' }, 'bars', 'alone')
  expect(one.lines).toMatchObject([{ label: 'alone', shape: 'bars' }])
})

test('phases are stacked with their labels', () => {
  const report = rowsOf({ a: 1, b: 2 })
  const drawing = stackDrawing({ report, query: { ...alone, metrics: ['a', 'b'] }, unit: 'milliseconds' }, ['First'])
  expect(shapeOf(drawing)).toEqual([
    ['First', [1]],
    ['', [2]],
  ])
  expect(drawing).toMatchObject({ stacked: true, lines: [{ shape: 'bars' }, { shape: 'bars' }] })
})
