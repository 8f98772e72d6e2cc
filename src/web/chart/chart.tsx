import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import { useScheme } from '../state/theme.ts'
import { GroupsTable } from './groups-table.tsx'
import { Legend, sentenceAt } from './legend.tsx'
import { bucketSpan, type Drawing, stacked } from './line.ts'
import { type PlotEvents, type Pointer, plotColumns, plotOptions } from './plot-options.ts'
import { clickOnBars, touchSelection } from './pointer-selection.ts'

/** Callbacks for selecting a part of a chart, and for a double click. */
export type Zooming = { onZoom(from: number, to: number): void; onUnzoom(): void }

/** Hidden lines by label, if this state is kept outside the chart. */
export type Hiding = { readonly hidden: ReadonlySet<string>; onToggle(label: string): void }

type ChartProps = {
  readonly title: string
  readonly drawing: Drawing
  readonly height: number
  readonly hiding?: Hiding
} & Partial<Zooming>

/** Hovering or arrow keys show values, dragging zooms in, a double click zooms out, and the legend toggles lines. */
export function Chart({ title, drawing, height, hiding, ...zooming }: ChartProps) {
  const container = useRef<HTMLDivElement>(null)
  const drawn = useRef<uPlot | null>(null)
  const pointer = useRef<Pointer>(null)
  const latest = useRef(zooming)
  latest.current = zooming
  const [at, setAt] = useState<number | null>(null)
  const [own, setOwn] = useState<ReadonlySet<string>>(new Set())
  const { hidden, onToggle } = hiding ?? { hidden: own, onToggle: (label: string) => setOwn((before) => flipped(before, label)) }
  const scheme = useScheme()
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
  }, [shown, height, scheme])
  return (
    <div class="chart">
      <div class="plot" ref={container} style={{ height: `${height}px` }} aria-hidden="true" />
      <Reader
        title={title}
        drawing={drawing}
        at={at}
        onMove={(index) => pointAt(drawn.current, drawing, index)}
        onPick={({ from, to }) => zooming.onZoom?.(from, to)}
      />
      <Legend drawing={drawing} at={at} hidden={hidden} onToggle={onToggle} />
      {drawing.groups && <GroupsTable title={title} groups={drawing.groups} drawing={drawing} />}
    </div>
  )
}

/** Draws a chart as wide as `element`, in the colours of the style sheet. */
function plot(element: HTMLElement, drawing: Drawing, height: number, events: PlotEvents): uPlot {
  const ink = (name: string) => getComputedStyle(element).getPropertyValue(`--${name}`).trim()
  const options = plotOptions(drawing, { width: element.clientWidth, height, ink }, events)
  const chart = new uPlot(options, plotColumns(drawing), element)
  touchSelection(chart)
  if (drawing.lines.every(({ shape }) => shape === 'bars')) clickOnBars(chart, drawing, events.onZoom)
  return chart
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

/** Points at the middle of the visible part of a bucket. */
function pointAt(chart: uPlot | null, drawing: Drawing, index: number): void {
  const span = bucketSpan(drawing, index)
  if (chart === null || span === null) return
  const end = Math.max(span.from, Math.min(span.to, drawing.to))
  chart.setCursor({ left: chart.valToPos((span.from + end) / 2000, 'x'), top: 10 })
}

type ReaderProps = {
  readonly title: string
  readonly drawing: Drawing
  readonly at: number | null
  onMove(index: number): void
  /** Enter selects the bucket. */
  onPick(span: { readonly from: number; readonly to: number }): void
}

/** Keyboard and screen-reader access: a slider over the buckets. */
function Reader({ title, drawing, at, onMove, onPick }: ReaderProps) {
  const last = drawing.times.length - 1
  const index = at ?? last
  const span = bucketSpan(drawing, index)
  return (
    <input
      type="range"
      class="reader"
      aria-label={`${title}: values over time`}
      aria-valuetext={sentenceAt(drawing, index)}
      min={0}
      max={Math.max(0, last)}
      value={index}
      onInput={(event) => onMove(Number(event.currentTarget.value))}
      onFocus={() => onMove(index)}
      onKeyDown={(event) => event.key === 'Enter' && span !== null && onPick(span)}
    />
  )
}
