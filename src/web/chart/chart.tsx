import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type uPlot from 'uplot'
import { useScheme } from '../state/theme.ts'
import { figure } from '../view/figures.ts'
import { spanText } from '../view/time.tsx'
import { type Drawing, type Line, shadeNames, stacked } from './line.ts'
import { plot } from './plot.ts'

type ChartProps = {
  readonly title: string
  readonly drawing: Drawing
  readonly height?: number
  onZoom(from: number, to: number): void
}

/** Hover or arrow keys show values, dragging zooms, the legend toggles lines. */
export function Chart({ title, drawing, height = 220, onZoom }: ChartProps) {
  const container = useRef<HTMLDivElement>(null)
  const drawn = useRef<uPlot | null>(null)
  const [at, setAt] = useState<number | null>(null)
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const scheme = useScheme()
  const shown = useMemo(() => visible(drawing, hidden), [drawing, hidden])
  useEffect(() => {
    const element = container.current
    if (element === null) return
    const chart = plot(element, shown, height, { onCursor: setAt, onZoom })
    drawn.current = chart
    const watch = new ResizeObserver(() => chart.setSize({ width: Math.max(element.clientWidth, 120), height }))
    watch.observe(element)
    return () => {
      watch.disconnect()
      chart.destroy()
      setAt(null)
    }
  }, [shown, height, scheme])
  const toggle = (label: string) => setHidden((before) => flipped(before, label))
  return (
    <div class="chart">
      <div class="plot" ref={container} aria-hidden="true" />
      <Reader title={title} drawing={drawing} at={at} onMove={(index) => pointAt(drawn.current, index)} />
      <Legend drawing={drawing} at={at} hidden={hidden} onToggle={toggle} />
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

function pointAt(chart: uPlot | null, index: number): void {
  const time = chart?.data[0][index]
  if (chart === null || time === undefined) return
  chart.setCursor({ left: chart.valToPos(time, 'x'), top: 10 })
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
  return `${spanText(time, time + drawing.bucketMs)}: ${[...values, ...maintenanceAt(drawing, time)].join(', ')}`
}

type LegendProps = { drawing: Drawing; at: number | null; hidden: ReadonlySet<string>; onToggle(label: string): void }

function Legend({ drawing, at, hidden, onToggle }: LegendProps) {
  const time = at === null ? undefined : drawing.times[at]
  return (
    <div class="legend">
      {named(drawing.lines).map((line) => (
        <button key={line.label} type="button" aria-pressed={!hidden.has(line.label)} onClick={() => onToggle(line.label)}>
          <i class={`swatch swatch-${line.shape} ${line.colour}${line.dash ? ' dashed' : ''}`} />
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
        {shadeNames(drawing).map((label) => (
          <span key={label} class="legend-zone">
            <i class="swatch swatch-area shade" />
            {label}
          </span>
        ))}
      </span>
      <span class="legend-time">
        {time === undefined ? '' : [spanText(time, time + drawing.bucketMs), ...maintenanceAt(drawing, time)].join(' · ')}
      </span>
    </div>
  )
}

function maintenanceAt(drawing: Drawing, time: number): readonly string[] {
  return shadeNames(drawing, { from: time, to: time + drawing.bucketMs }).map((name) => `maintenance: ${name}`)
}

function named(lines: readonly Line[]): readonly Line[] {
  return lines.filter(({ ground }) => !ground)
}
