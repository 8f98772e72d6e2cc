import { beforeEach, expect, test, vi } from 'vitest'
import { hourMs } from '../../time.ts'
import { stopTime } from '../testing/open-hook.tsx'
import { clickOnBars, touchSelection } from './pointer-selection.ts'

const drawing = {
  unit: 'count',
  times: [0, hourMs],
  ends: [hourMs, 2 * hourMs],
  from: 0,
  to: 3 * hourMs,
  lines: [],
} as const
const calls: unknown[][] = []
const classes: string[] = []

/** A stub of the chart's overlay: 50 px from the left of the page, 200 px wide, one minute per pixel. */
function overlay() {
  const over = Object.assign(new EventTarget(), {
    clientWidth: 200,
    clientHeight: 100,
    classList: { add: (name: string) => classes.push(name) },
    getBoundingClientRect: () => ({ left: 50 }),
  })
  const u = {
    over,
    cursor: { left: 70, top: 1 },
    posToVal: (left: number) => left * 60,
    setSelect: ({ left, width, height }: { left: number; width: number; height: number }, done: boolean) =>
      calls.push([left, width, height, done]),
  }
  const send = (type: string, more: object = {}) => over.dispatchEvent(Object.assign(new Event(type), { pointerType: 'touch', ...more }))
  return { u, chart: u as never, send }
}

beforeEach(() => {
  calls.length = 0
  classes.length = 0
})

test('a touch that moves along a chart selects its range within the chart', () => {
  const { chart, send } = overlay()
  touchSelection(chart)
  send('pointermove', { clientX: 100 })
  send('pointerdown', { clientX: 100 })
  send('pointermove', { clientX: 90 })
  send('pointermove', { clientX: 20 })
  send('pointerup', { clientX: 400 })
  send('pointermove', { clientX: 120 })
  expect(calls).toEqual([
    [40, 10, 100, false],
    [0, 50, 100, false],
    [50, 150, 100, true],
  ])
})

test('a touch with another purpose selects nothing, and a mouse is left to uPlot', () => {
  const { chart, send } = overlay()
  touchSelection(chart)
  send('pointerdown', { clientX: 100, pointerType: 'mouse' })
  send('pointermove', { clientX: 90, pointerType: 'mouse' })
  expect(calls).toEqual([])
  send('pointerdown', { clientX: 100 })
  send('pointercancel')
  send('pointerup', { clientX: 90 })
  expect(calls).toEqual([[0, 0, 0, false]])
})

test('a click on a bar zooms to its bucket, unless it is a double click', async () => {
  stopTime()
  const { u, chart, send } = overlay()
  const zooms: unknown[] = []
  const click = (more: object = {}) => send('click', { detail: 1, pointerType: 'mouse', ...more })
  clickOnBars(chart, drawing, (from, to) => zooms.push([from, to]))
  expect(classes).toEqual(['leads-on'])
  click()
  await vi.advanceTimersByTimeAsync(250)
  expect(zooms).toEqual([])
  await vi.advanceTimersByTimeAsync(100)
  expect(zooms).toEqual([[hourMs, 2 * hourMs]])
  click()
  click({ detail: 2 })
  click({ pointerType: 'touch' })
  u.cursor.left = 150
  click()
  u.cursor.left = -10
  click()
  await vi.advanceTimersByTimeAsync(1000)
  expect(zooms).toHaveLength(1)
})
