import uPlot from 'uplot'
import { ownZone, readerZone } from '../state/zone.ts'
import { tick } from '../view/figures.ts'
import { dayText, minuteText } from '../view/time.tsx'
import { axisSteps } from './axis-steps.ts'
import { bucketBars } from './bars.ts'
import { bucketUnder, type ChartLine, type Drawing } from './line.ts'

/** Where the pointer is on a chart; null outside. */
export type Pointer = { readonly left: number; readonly top: number } | null

export type PlotEvents = {
  /** The pointer position before the chart was drawn again. */
  readonly resting: Pointer
  /** The bucket under the pointer, if any. */
  onCursor(index: number | null, pointer: Pointer): void
  onZoom(from: number, to: number): void
  onUnzoom(): void
}

/** Size in pixels, and a lookup of style sheet colours. */
type Canvas = { readonly width: number; readonly height: number; ink(name: string): string }

export function plotOptions(
  drawing: Drawing,
  { width, height, ink }: Canvas,
  { resting, onCursor, onZoom, onUnzoom }: PlotEvents,
): uPlot.Options {
  const narrow = width < 480
  return {
    width: Math.max(width, 120),
    height,
    legend: { show: false },
    ...(readerZone() !== ownZone() && { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), readerZone()) }),
    padding: [8, narrow ? 16 : 20, 0, 0],
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false, dist: 6 },
      points: { size: 7 },
      sync: syncCursor,
      bind: { dblclick: () => () => goBack(onUnzoom) },
      dataIdx: (_, __, closest, time) => bucketUnder(drawing, time * 1000) ?? closest,
    },
    scales: { x: { range: () => span(drawing) }, y: { range: (_, __, max) => verticalRange(drawing, max) } },
    axes: [timeAxis(ink), valueAxis(drawing, ink, { narrow, low: height < 200 })],
    series: [{}, ...drawing.lines.map((line) => series(line, drawing, ink))],
    bands: bands(drawing.lines, ink),
    hooks: {
      ready: [(u) => resting && u.setCursor(resting)],
      drawClear: [(u) => drawZones(u, drawing, ink), (u) => drawShades(u, drawing, ink)],
      setCursor: [(u) => onCursor(bucketUnderCursor(u, drawing), pointerOf(u))],
      setSelect: [(u) => zoom(u, onZoom)],
    },
  }
}

/** Returning null keeps uPlot from resetting the scales as well. */
function goBack(onUnzoom: () => void): null {
  onUnzoom()
  return null
}

function pointerOf({ cursor: { left = -1, top = -1 } }: uPlot): Pointer {
  return left < 0 ? null : { left, top }
}

export function bucketUnderCursor(u: uPlot, drawing: Drawing): number | null {
  const pointer = pointerOf(u)
  return pointer === null ? null : bucketUnder(drawing, u.posToVal(pointer.left, 'x') * 1000)
}

/** The charts of a view share their cursor; zooming is per chart. */
const syncCursor = {
  key: 'view',
  scales: ['x', null] as [string, null],
  filters: { pub: (type: string) => type === 'mousemove' || type === 'mouseleave' },
}

export function plotColumns({ times, lines }: Drawing): uPlot.AlignedData {
  return [times.map((time) => time / 1000), ...lines.map(({ values }) => [...values])]
}

function span({ times, from, to }: Drawing): [number, number] {
  return [Math.min(from, times[0] ?? from) / 1000, to / 1000]
}

function verticalRange({ scale, zones }: Drawing, max: number | null): [number, number] {
  if (scale !== undefined) return [scale[0], scale[1]]
  const floor = zones?.[0] === undefined ? 0 : zones[0].upTo * 1.2
  const top = Math.max(max ?? 0, floor)
  return [0, top === 0 ? 1 : top * 1.08]
}

function series(line: ChartLine, drawing: Drawing, ink: (name: string) => string): uPlot.Series {
  const colour = ink(line.colour)
  if (line.shape === 'bars') {
    return { label: line.label, width: 0, points: { show: false }, fill: barFill(line, colour), paths: bucketBars(drawing) }
  }
  return {
    label: line.label,
    stroke: colour,
    width: line.width ?? 1.5,
    points: { show: false, size: 6, fill: colour, filter: () => isolatedPoints(line.values) },
    ...(line.dash && { dash: [...line.dash] }),
  }
}

/** Hatched if the line would be dashed. */
function barFill({ dash }: ChartLine, colour: string): uPlot.Series.Fill {
  if (dash === undefined) return colour
  return ({ ctx }) => ctx.createPattern(hatch(colour), 'repeat') ?? colour
}

const hatchSize = 8

function hatch(colour: string): HTMLCanvasElement {
  const tile = Object.assign(document.createElement('canvas'), { width: hatchSize, height: hatchSize })
  const ctx = tile.getContext('2d')
  if (ctx === null) return tile
  ctx.fillStyle = colour
  ctx.fillRect(0, 0, hatchSize, hatchSize / 2)
  return tile
}

/** Isolated values, which a line alone would not show. */
function isolatedPoints(values: ChartLine['values']): number[] {
  const gap = (index: number) => (values[index] ?? null) === null
  return values.flatMap((_, index) => (!gap(index) && gap(index - 1) && gap(index + 1) ? [index] : []))
}

function bands(lines: readonly ChartLine[], ink: (name: string) => string): uPlot.Band[] {
  return lines.flatMap((line, index) =>
    line.band && index + 1 < lines.length ? [{ series: [index + 1, index + 2], fill: `${ink(line.colour)}22` } as uPlot.Band] : [],
  )
}

function drawZones(u: uPlot, { zones }: Drawing, ink: (name: string) => string): void {
  const { left, width, top, height } = u.bbox
  let below = 0
  for (const zone of zones ?? []) {
    const high = Math.max(top, u.valToPos(Math.min(zone.upTo, 1e12), 'y', true))
    const low = Math.min(top + height, u.valToPos(below, 'y', true))
    if (low > high) {
      u.ctx.fillStyle = ink(zone.colour)
      u.ctx.fillRect(left, high, width, low - high)
    }
    below = zone.upTo
  }
}

const shadeOpacity = 0.22

function drawShades(u: uPlot, { shades }: Drawing, ink: (name: string) => string): void {
  const { left, width, top, height } = u.bbox
  const clamped = (time: number) => Math.min(left + width, Math.max(left, u.valToPos(time / 1000, 'x', true)))
  u.ctx.save()
  u.ctx.globalAlpha = shadeOpacity
  u.ctx.fillStyle = ink('paused')
  for (const { from, to } of shades ?? []) {
    const start = clamped(from)
    u.ctx.fillRect(start, top, clamped(to) - start, height)
  }
  u.ctx.restore()
}

function zoom(u: uPlot, onZoom: PlotEvents['onZoom']): void {
  const { left, width } = u.select
  if (width < 6) return
  onZoom(Math.round(u.posToVal(left, 'x') * 1000), Math.round(u.posToVal(left + width, 'x') * 1000))
  u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
}

const font = '11px system-ui, sans-serif'

function timeAxis(ink: (name: string) => string): uPlot.Axis {
  return {
    font,
    stroke: ink('quiet'),
    size: (_, labels) => (labels?.some((label) => label?.includes('\n')) ? 36 : 24),
    space: 72,
    grid: { show: false },
    ticks: { stroke: ink('line'), size: 4, width: 1 },
    values: (_, splits, __, ___, increment) => splits.map((split, index) => timeTick(split, splits[index - 1], increment)),
  }
}

function timeTick(split: number, before: number | undefined, increment: number): string {
  const at = split * 1000
  if (increment >= 86_400) return dayText(at)
  const newDay = before === undefined || dayText(before * 1000) !== dayText(at)
  return newDay ? `${minuteText(at)}\n${dayText(at)}` : minuteText(at)
}

const digitPx = 6.3

function longest(labels: readonly (string | null)[]): number {
  return Math.max(0, ...labels.map((label) => label?.length ?? 0))
}

function valueAxis({ unit }: Drawing, ink: (name: string) => string, { narrow, low }: { narrow: boolean; low: boolean }): uPlot.Axis {
  return {
    font,
    stroke: ink('quiet'),
    size: (_, labels) => Math.max(narrow ? 52 : 62, longest(labels ?? []) * digitPx + 12),
    space: low ? 26 : 34,
    grid: { stroke: ink('grid'), width: 1 },
    ticks: { show: false },
    incrs: axisSteps(unit),
    values: (_, splits) => splits.map((split) => tick(split, unit)),
  }
}
