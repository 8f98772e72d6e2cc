import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { hourMs } from '../../time.ts'
import { showZone } from '../state/zone.ts'
import type { ChartLine, Drawing } from './line.ts'
import { plotColumns, plotOptions } from './plot-options.ts'

const line = (more: Partial<ChartLine> = {}): ChartLine => ({
  label: 'p95',
  values: [1, null, 3],
  colour: 'series-1',
  shape: 'line',
  ...more,
})
const drawing: Drawing = {
  unit: 'milliseconds',
  times: [0, hourMs, 2 * hourMs],
  ends: [hourMs, 2 * hourMs, 3 * hourMs],
  from: 0,
  to: 3 * hourMs,
  lines: [line()],
}
const calls: unknown[] = []

beforeEach(() => {
  showZone('UTC')
  calls.length = 0
})
afterEach(() => showZone(null))

function options(more: Partial<Drawing> = {}, { width = 800, height = 260, resting = null as { left: number; top: number } | null } = {}) {
  return plotOptions(
    { ...drawing, ...more },
    { width, height, ink: (name) => `ink ${name}` },
    {
      resting,
      onCursor: (...given) => calls.push(['cursor', ...given]),
      onZoom: (...given) => calls.push(['zoom', ...given]),
      onUnzoom: () => calls.push(['unzoom']),
    },
  )
}

/** A stub of uPlot while drawing: one pixel per minute from x = 10, and one pixel per unit from y = 100 upwards. */
function drawn(more: object = {}) {
  const filled: unknown[] = []
  const ctx = {
    fillStyle: '',
    globalAlpha: 1,
    save: () => filled.push('save'),
    restore: () => filled.push('restore'),
    fillRect: (...given: readonly number[]) => filled.push([ctx.fillStyle, ctx.globalAlpha, ...given]),
  }
  const u = {
    ctx,
    bbox: { left: 10, width: 100, top: 0, height: 100 },
    cursor: {},
    valToPos: (value: number, scale: string) => (scale === 'x' ? 10 + value / 60 : 100 - value),
    posToVal: (position: number) => (position - 10) * 60,
    setCursor: (given: unknown) => calls.push(['setCursor', given]),
    setSelect: (...given: readonly unknown[]) => calls.push(['setSelect', ...given]),
    ...more,
  }
  return { u: u as never, filled }
}

const call = (hook: unknown, ...given: readonly unknown[]): unknown => (hook as (...all: readonly unknown[]) => unknown)(...given)

test('a chart is as wide as its element, with a minimum', () => {
  expect([options({}, { width: 800, height: 260 }), options({}, { width: 100 })].map(({ width, height }) => [width, height])).toEqual([
    [800, 260],
    [120, 260],
  ])
  expect([480, 479].map((width) => options({}, { width }).padding)).toEqual([
    [8, 20, 0, 0],
    [8, 16, 0, 0],
  ])
})

test('uPlot selects along the x axis without zooming, has no legend, and syncs the cursor of a view', () => {
  const { legend, cursor, axes } = options()
  expect([legend, cursor?.y, cursor?.drag, cursor?.points]).toEqual([
    { show: false },
    false,
    { x: true, y: false, setScale: false, dist: 6 },
    { size: 7 },
  ])
  expect(cursor?.sync).toMatchObject({ key: 'view', scales: ['x', null] })
  expect(['mousemove', 'mouseleave', 'mousedown', 'dblclick'].map((type) => call(cursor?.sync?.filters?.pub, type))).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect(axes?.map(({ grid, ticks, stroke }) => [grid, ticks, stroke])).toEqual([
    [{ show: false }, { stroke: 'ink line', size: 4, width: 1 }, 'ink quiet'],
    [{ stroke: 'ink grid', width: 1 }, { show: false }, 'ink quiet'],
  ])
})

test('times are in the shown zone, which uPlot gets only if it differs from that of the computer', () => {
  showZone('Asia/Kolkata')
  const { tzDate } = options()
  expect(tzDate?.(0).getHours()).toBe(5)
  showZone(null)
  expect(options()).not.toHaveProperty('tzDate')
})

test('a double click only zooms out', () => {
  expect(call(call(options().cursor?.bind?.dblclick))).toBeNull()
  expect(calls).toEqual([['unzoom']])
})

test('the point under the cursor is that of the bucket, otherwise the closest', () => {
  const at = (seconds: number) => call(options().cursor?.dataIdx, null, 1, 7, seconds)
  expect([at(0), at(3600 * 1.9), at(3600 * 2), at(-100), at(3600 * 9)]).toEqual([0, 1, 2, 7, 7])
})

test('the x axis covers the window, with the first bucket as a whole', () => {
  const range = (more: Partial<Drawing>) => call(options(more).scales?.x?.range)
  expect([range({}), range({ from: -hourMs }), range({ from: hourMs }), range({ times: [], from: hourMs })]).toEqual([
    [0, 3 * 3600],
    [-3600, 3 * 3600],
    [0, 3 * 3600],
    [3600, 3 * 3600],
  ])
})

test.each<[string, Partial<Drawing>, number | null, readonly number[]]>([
  ['a little more than the highest value', {}, 100, [0, 108]],
  ['something where there is no value', {}, null, [0, 1]],
  ['something where all is zero', {}, 0, [0, 1]],
  ['what is given', { scale: [-5, 5] }, 100, [-5, 5]],
  ['the first zone', { zones: [{ label: '', upTo: 100, colour: '' }] }, 50, [0, 129.6]],
  ['values above the first zone', { zones: [{ label: '', upTo: 100, colour: '' }] }, 200, [0, 216]],
])('the y axis shows %s', (_, more, max, range) => {
  const found = call(options(more).scales?.y?.range, null, 0, max) as readonly number[]
  expect(found.map((end) => Number(end.toFixed(6)))).toEqual(range)
})

test('columns have times in seconds and values by line', () => {
  expect(plotColumns({ ...drawing, lines: [line(), line({ values: [4, 5, 6] })] })).toEqual([
    [0, 3600, 7200],
    [1, null, 3],
    [4, 5, 6],
  ])
})

test('a line has its colour, width and dashes, and points only where values are isolated', () => {
  const [, plain, dashed] = options({
    lines: [line(), line({ width: 2, dash: [3, 4], values: [1, 2, null, 4, null, undefined as never, 5] })],
  }).series
  expect(plain).toMatchObject({ label: 'p95', stroke: 'ink series-1', width: 1.5, points: { show: false, size: 6, fill: 'ink series-1' } })
  expect(plain).not.toHaveProperty('dash')
  expect([dashed?.width, dashed?.dash]).toEqual([2, [3, 4]])
  expect([plain, dashed].map((one) => call(one?.points?.filter))).toEqual([
    [0, 2],
    [3, 6],
  ])
  expect(options().series[0]).toEqual({})
})

test('bars are filled, and hatched instead of dashed', () => {
  const [, plain, hatched] = options({ lines: [line({ shape: 'bars' }), line({ shape: 'bars', dash: [1] })] }).series
  expect(plain).toMatchObject({ label: 'p95', width: 0, points: { show: false }, fill: 'ink series-1' })
  const tiles: unknown[] = []
  let ctx: unknown = {}
  vi.stubGlobal('document', { createElement: (name: string) => ({ name, getContext: () => ctx }) })
  onTestFinished(() => void vi.unstubAllGlobals())
  const patterned = (pattern: string | null) => {
    const createPattern = (tile: object, repeat: string) => {
      tiles.push({ ...tile, repeat })
      return pattern
    }
    ctx = { fillStyle: '', fillRect: (...given: readonly number[]) => tiles.push([(ctx as { fillStyle: string }).fillStyle, ...given]) }
    return call(hatched?.fill, { ctx: { createPattern } })
  }
  expect([patterned('pattern'), patterned(null)]).toEqual(['pattern', 'ink series-1'])
  expect(tiles.slice(0, 2)).toEqual([
    ['ink series-1', 0, 0, 8, 4],
    expect.objectContaining({ name: 'canvas', width: 8, height: 8, repeat: 'repeat' }),
  ])
  ctx = null
  expect(call(hatched?.fill, { ctx: { createPattern: () => 'plain' } })).toBe('plain')
})

test('a band is faintly filled between a line and the next one', () => {
  const lines = [line({ band: true }), line(), line({ band: true })]
  expect(options({ lines }).bands).toEqual([{ series: [1, 2], fill: 'ink series-122' }])
})

test('zones are filled one after the other, as far as they are visible', () => {
  const zones = [20, 50, 50, 1e15].map((upTo, i) => ({ label: '', upTo, colour: `zone-${i}` }))
  const { u, filled } = drawn()
  const draw = (more: Partial<Drawing>) => options(more).hooks?.drawClear?.[0]?.(u)
  draw({ zones })
  draw({})
  expect(filled).toEqual([
    ['ink zone-0', 1, 10, 80, 100, 20],
    ['ink zone-1', 1, 10, 50, 100, 30],
    ['ink zone-3', 1, 10, 0, 100, 50],
  ])
})

test('time spans are shaded within the chart', () => {
  const minute = 60_000
  const shades = [
    [10 * minute, 20 * minute],
    [-10 * minute, 5 * minute],
    [90 * minute, 500 * minute],
  ].map(([from = 0, to = 0]) => ({ label: '', from, to }))
  const { u, filled } = drawn()
  const draw = (more: Partial<Drawing>) => options(more).hooks?.drawClear?.[1]?.(u)
  draw({ shades })
  expect(filled).toEqual([
    'save',
    ['ink paused', 0.22, 20, 0, 10, 100],
    ['ink paused', 0.22, 10, 0, 5, 100],
    ['ink paused', 0.22, 100, 0, 10, 100],
    'restore',
  ])
  filled.length = 0
  draw({})
  expect(filled).toEqual(['save', 'restore'])
})

test('the cursor is restored, and its bucket is reported as it moves', () => {
  options({}, { resting: { left: 5, top: 6 } }).hooks?.ready?.[0]?.(drawn().u)
  options().hooks?.ready?.[0]?.(drawn().u)
  expect(calls.splice(0)).toEqual([['setCursor', { left: 5, top: 6 }]])
  const move = (cursor: object) => options().hooks?.setCursor?.[0]?.(drawn({ cursor }).u)
  move({ left: 70, top: 3 })
  move({ left: 0, top: 3 })
  move({ left: -10, top: -10 })
  move({})
  expect(calls).toEqual([
    ['cursor', 1, { left: 70, top: 3 }],
    ['cursor', null, { left: 0, top: 3 }],
    ['cursor', null, null],
    ['cursor', null, null],
  ])
})

test('a selection zooms, unless it is as narrow as an accidental drag', () => {
  const select = (width: number) => options().hooks?.setSelect?.[0]?.(drawn({ select: { left: 20, width } }).u)
  select(5.9)
  expect(calls).toEqual([])
  select(6)
  expect(calls).toEqual([
    ['zoom', 600_000, 960_000],
    ['setSelect', { left: 0, top: 0, width: 0, height: 0 }, false],
  ])
})

test('ticks on the x axis include the date where it changes, and only dates if they are days apart', () => {
  const [time] = options().axes ?? []
  const midnight = Date.UTC(2026, 10, 14) / 1000
  const ticks = call(time?.values, null, [midnight - 3600, midnight, midnight + 3600], 0, 0, 3600) as readonly string[]
  expect(ticks.map((text) => text.split('\n').length)).toEqual([2, 2, 1])
  const days = call(time?.values, null, [midnight, midnight + 86_400], 0, 0, 86_400) as readonly string[]
  expect(days.map((text) => text.split('\n').length)).toEqual([1, 1])
  expect(ticks[1]?.split('\n')[1]).toBe(days[0])
  expect([ticks, days, [null], null].map((labels) => call(time?.size, null, labels))).toEqual([36, 24, 24, 24])
})

test('the y axis has space for its longest label, and ticks with the unit', () => {
  const axis = (given: object = {}) => options({}, given).axes?.[1]
  expect(call(axis()?.values, null, [0, 1500])).toEqual(['0', '1.5 s'])
  const size = (labels: readonly (string | null)[] | null, given: object = {}) => call(axis(given)?.size, null, labels)
  expect([size(['1']), size(null), size(['1'], { width: 400 }), size([null, '1234567890'])]).toEqual([62, 62, 52, 75])
  expect([axis({ height: 199 })?.space, axis({ height: 200 })?.space]).toEqual([26, 34])
  expect(options({ unit: 'count' }).axes?.[1]?.incrs).toContain(5)
})
