import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type uPlot from 'uplot'
import { figure, tick } from '../view/figures.ts'
import { spanText } from '../view/time.tsx'
import { useMedia } from '../view/use-media.ts'
import { GroupsTable } from './groups-table.tsx'
import { type Drawing, type Line, shadeNames, stacked } from './line.ts'
import { type Pointer, plot } from './plot.ts'
import { Swatch } from './swatch.tsx'

/** What selecting a part of a chart does, and a double click. */
export type Zooming = { onZoom(from: number, to: number): void; onUnzoom(): void }

type ChartProps = { readonly title: string; readonly drawing: Drawing; readonly height?: number } & Partial<Zooming>

/** Hover or arrow keys show values, dragging zooms and a double click goes back, the legend toggles lines. */
export function Chart({ title, drawing, height = 220, ...zooming }: ChartProps) {
  const container = useRef<HTMLDivElement>(null)
  const drawn = useRef<uPlot | null>(null)
  const pointer = useRef<Pointer>(null)
  const latest = useRef(zooming)
  latest.current = zooming
  const [at, setAt] = useState<number | null>(null)
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const dark = useMedia('(prefers-color-scheme: dark)')
  const shown = useMemo(() => visible(drawing, hidden), [drawing, hidden])
  useEffect(() => {
    const element = container.current
    if (element === null) return
    const chart = plot(element, shown, height, {
      resting: pointer.current,
      onCursor(index, position) {
        pointer.current = position
        setAt(index)
      },
      onZoom: (from, to) => latest.current.onZoom?.(from, to),
      onUnzoom: () => latest.current.onUnzoom?.(),
    })
    drawn.current = chart
    const watch = new ResizeObserver(() => chart.setSize({ width: Math.max(element.clientWidth, 120), height }))
    watch.observe(element)
    return () => {
      watch.disconnect()
      chart.destroy()
    }
  }, [shown, height, dark])
  const toggle = (label: string) => setHidden((before) => flipped(before, label))
  return (
    <div class="chart">
      <div class="plot" ref={container} aria-hidden="true" />
      <Reader title={title} drawing={drawing} at={at} onMove={(index) => pointAt(drawn.current, drawing, index)} />
      <Legend drawing={drawing} at={at} hidden={hidden} onToggle={toggle} />
      {drawing.groups && <GroupsTable title={title} groups={drawing.groups} drawing={drawing} />}
    </div>
  )
}

function visible(drawing: Drawing, hidden: ReadonlySet<string>): Drawing {
  const lines = drawing.lines.filter(({ label }) => !hidden.has(label))
  return { ...drawing, lines: drawing.stacked ? stacked(lines) : lines }
}

function flipped(labels: ReadonlySet<string>, label: string): ReadonlySet<string> {
  const next = new Set(labels)
  if (!next.delete(label)) next.add(label)
  return next
}

/** In the middle of the bucket, or of what the window shows of it. */
function pointAt(chart: uPlot | null, { times, bucketMs, to }: Drawing, index: number): void {
  const start = times[index]
  if (chart === null || start === undefined) return
  const end = Math.max(start, Math.min(start + bucketMs, to))
  chart.setCursor({ left: chart.valToPos((start + end) / 2000, 'x'), top: 10 })
}

type ReaderProps = { title: string; drawing: Drawing; at: number | null; onMove(index: number): void }

/** Keyboard and screen-reader access: a slider over the buckets. */
function Reader({ title, drawing, at, onMove }: ReaderProps) {
  const last = drawing.times.length - 1
  const index = at ?? last
  return (
    <input
      type="range"
      class="reader"
      aria-label={`${title}: values along time`}
      aria-valuetext={sentence(drawing, index)}
      min={0}
      max={Math.max(0, last)}
      value={index}
      onInput={(event) => onMove(Number(event.currentTarget.value))}
      onFocus={() => onMove(index)}
    />
  )
}

function sentence(drawing: Drawing, index: number): string {
  const time = drawing.times[index]
  if (time === undefined) return 'no data'
  const values = named(drawing.lines).map(({ label, values }) => `${label} ${figure(values[index], drawing.unit)}`)
  const all = [...values, ...readoutsAt(drawing, index), ...maintenanceAt(drawing, time)]
  return `${spanText(time, time + drawing.bucketMs)}: ${all.join(', ')}`
}

type LegendProps = { drawing: Drawing; at: number | null; hidden: ReadonlySet<string>; onToggle(label: string): void }

function Legend({ drawing, at, hidden, onToggle }: LegendProps) {
  const time = at === null ? undefined : drawing.times[at]
  return (
    <div class="legend">
      {named(drawing.lines).map((line) => (
        <button key={line.label} type="button" aria-pressed={!hidden.has(line.label)} onClick={() => onToggle(line.label)}>
          <Swatch line={line} />
          {line.label}
          <b>{at === null ? '' : figure(line.values[at], drawing.unit)}</b>
        </button>
      ))}
      <span class="legend-zones">
        {[...drawing.lines.filter(({ ground }) => ground), ...(drawing.zones ?? [])].map(({ label, colour }) => (
          <span key={label} class="legend-zone">
            <i class={`swatch swatch-area ${colour}`} />
            {label}
          </span>
        ))}
        <span class="legend-zone">{cutAt(drawing)}</span>
        {shadeNames(drawing).map((label) => (
          <span key={label} class="legend-zone">
            <i class="swatch swatch-area shade" />
            {label}
          </span>
        ))}
      </span>
      <span class="legend-time">
        {time === undefined || at === null
          ? ''
          : [...readoutsAt(drawing, at), spanText(time, time + drawing.bucketMs), ...maintenanceAt(drawing, time)].join(' · ')}
      </span>
    </div>
  )
}

/** Says that the axis does not start at zero. */
function cutAt({ scale: [lowest] = [0, 0], unit }: Drawing): string | null {
  return lowest > 0 ? `axis cut: it starts at ${tick(lowest, unit)}` : null
}

function readoutsAt({ readouts = [] }: Drawing, index: number): readonly string[] {
  return readouts.map(({ label, unit, values }) => `${label} ${figure(values[index], unit)}`)
}

function maintenanceAt(drawing: Drawing, time: number): readonly string[] {
  return shadeNames(drawing, { from: time, to: time + drawing.bucketMs }).map((name) => `maintenance: ${name}`)
}

function named(lines: readonly Line[]): readonly Line[] {
  return lines.filter(({ ground }) => !ground)
}
