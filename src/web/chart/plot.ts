import uPlot from 'uplot'
import type { Drawing } from './line.ts'
import { type PlotEvents, plotColumns, plotOptions } from './plot-options.ts'
import { clickOnBars, touchSelection } from './pointer-selection.ts'

/** Draws into `element` at its width, in the colours of the style sheet. */
export function plot(element: HTMLElement, drawing: Drawing, height: number, events: PlotEvents): uPlot {
  const ink = (name: string) => getComputedStyle(element).getPropertyValue(`--${name}`).trim()
  const options = plotOptions(drawing, { width: element.clientWidth, height, ink }, events)
  const chart = new uPlot(options, plotColumns(drawing), element)
  touchSelection(chart)
  if (drawing.lines.every(({ shape }) => shape === 'bars')) clickOnBars(chart, drawing, events.onZoom)
  return chart
}
