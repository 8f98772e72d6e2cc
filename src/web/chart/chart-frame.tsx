import type { ComponentChildren } from 'preact'
import { Legend } from './legend.tsx'
import type { Drawing } from './line.ts'

type ChartFrameProps = { readonly drawing: Drawing; readonly height: number; readonly children: ComponentChildren }

const nothingHidden: ReadonlySet<string> = new Set()

/** The space of a chart and its legend, for what is shown in its place: nothing moves when the chart comes. */
export function ChartFrame({ drawing, height, children }: ChartFrameProps) {
  return (
    <div class="chart">
      <div class="chart-frame" style={{ height: `${height}px` }}>
        {children}
      </div>
      <div class="chart-frame-legend" aria-hidden="true">
        <Legend drawing={drawing} at={null} hidden={nothingHidden} onToggle={() => {}} />
      </div>
    </div>
  )
}
