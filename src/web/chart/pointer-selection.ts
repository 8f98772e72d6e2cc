import type uPlot from 'uplot'
import { bucketSpan, type Drawing } from './line.ts'
import { bucketUnderCursor, type PlotEvents } from './plot-options.ts'

/** Adds selection by horizontal touch, because uPlot only handles a mouse. */
export function touchSelection(u: uPlot): void {
  let start: number | null = null
  const at = (event: PointerEvent) => event.clientX - u.over.getBoundingClientRect().left
  const select = (event: PointerEvent, done: boolean) => {
    if (start === null) return
    const [left, right] = [start, at(event)].sort((a, b) => a - b) as [number, number]
    u.setSelect(
      { left: Math.max(0, left), top: 0, width: Math.min(right, u.over.clientWidth) - Math.max(0, left), height: u.over.clientHeight },
      done,
    )
    if (done) start = null
  }
  u.over.addEventListener('pointerdown', (event) => {
    start = event.pointerType === 'touch' ? at(event) : null
  })
  u.over.addEventListener('pointermove', (event) => select(event, false))
  u.over.addEventListener('pointerup', (event) => select(event, true))
  u.over.addEventListener('pointercancel', () => {
    start = null
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
  })
}

const doubleClickMs = 300

/** A click on a bar selects its bucket, unless it becomes a double click. */
export function clickOnBars(u: uPlot, drawing: Drawing, onZoom: PlotEvents['onZoom']): void {
  let pending: ReturnType<typeof setTimeout> | undefined
  u.over.classList.add('leads-on')
  u.over.addEventListener('click', (event) => {
    clearTimeout(pending)
    const span = bucketSpan(drawing, bucketUnderCursor(u, drawing) ?? -1)
    if (span === null || event.detail > 1 || (event as PointerEvent).pointerType === 'touch') return
    pending = setTimeout(() => onZoom(span.from, span.to), doubleClickMs)
  })
}
