import type uPlot from 'uplot'
import { bucketSpan, type Drawing } from './line.ts'

const share = 0.86
const most = 60

/** Bars as wide as their buckets, whose lengths differ: months, and days on which clocks change. */
export function bucketBars(drawing: Drawing): uPlot.Series.PathBuilder {
  return (u, series, first, last) => {
    const fill = new Path2D()
    const base = u.valToPos(0, 'y', true)
    for (let index = first; index <= last; index++) {
      const value = u.data[series]?.[index] ?? null
      const span = bucketSpan(drawing, index)
      if (value === null || span === null) continue
      const [left, right] = [span.from, span.to].map((at) => u.valToPos(at / 1000, 'x', true)) as [number, number]
      const top = Math.round(u.valToPos(value, 'y', true))
      fill.rect(left, top, Math.max(1, Math.min((right - left) * share, most * devicePixelRatio)), base - top)
    }
    return { fill, stroke: null }
  }
}
