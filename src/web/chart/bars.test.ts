import type uPlot from 'uplot'
import { afterEach, expect, test, vi } from 'vitest'
import { bucketBars } from './bars.ts'
import type { Drawing } from './line.ts'

const rects: number[][] = []
const drawing = { times: [0, 10_000, 20_000, 1_020_000], ends: [10_000, 20_000, 1_020_000, 1_020_100] } as unknown as Drawing

/** Draws these values at one pixel per second and one pixel per unit, from y = 100 upwards. */
function drawn(values: readonly (number | null)[], first: number, last: number) {
  rects.length = 0
  vi.stubGlobal('devicePixelRatio', 2)
  vi.stubGlobal(
    'Path2D',
    class {
      rect(...given: number[]) {
        rects.push(given.map((one) => Math.round(one * 100) / 100))
      }
    },
  )
  const valToPos = (value: number, scale: string) => (scale === 'x' ? value : 100 - value)
  bucketBars(drawing)({ data: [[], values], valToPos } as unknown as uPlot, 1, first, last)
  return rects
}

afterEach(() => vi.unstubAllGlobals())

test('a bar starts with its bucket and leaves a gap to the next, within limits of its width', () => {
  expect(drawn([20, 30.4, 40, 50], 0, 3)).toEqual([
    [0, 80, 8.6, 20],
    [10, 70, 8.6, 30],
    [20, 60, 120, 40],
    [1020, 50, 1, 50],
  ])
})

test('only visible bars are drawn, and none without a value or bucket', () => {
  expect(drawn([20, null, 40, 50, 60], 1, 2)).toEqual([[20, 60, 120, 40]])
  expect(drawn([20, null, 40, 50, 60], 4, 4)).toEqual([])
  expect(drawn([0], 0, 0)).toEqual([[0, 100, 8.6, 0]])
})
