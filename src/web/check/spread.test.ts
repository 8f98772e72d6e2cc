import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isLabelled, spreadBars, spreadBounds } from './spread.ts'

test('bounds are evenly spaced, ascending, and exceed the 99th percentile', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.001, max: 1e7, noNaN: true }), (p99) => {
      const bounds = spreadBounds(p99)
      expect(bounds.length).toBeLessThanOrEqual(25)
      expect(bounds.length).toBeGreaterThanOrEqual(10)
      expect(bounds.at(-1)).toBeGreaterThan(p99)
      expect(bounds.toSorted((a, b) => a - b)).toEqual(bounds)
    }),
  )
  expect(spreadBounds(235)).toEqual(Array.from({ length: 13 }, (_, index) => (index + 1) * 20))
  expect(spreadBounds(0)).toEqual([1])
})

test('empty bars before the first and after the last run are omitted', () => {
  const rows = [
    { from: null, to: 10, count: 0 },
    { from: 10, to: 20, count: 0 },
    { from: 20, to: 30, count: 4 },
    { from: 30, to: 40, count: 0 },
    { from: 40, to: null, count: 1 },
  ]
  expect(spreadBars(rows).map(({ from }) => from)).toEqual([10, 20, 30, 40])
  expect(spreadBars(rows.slice(0, 4)).map(({ from }) => from)).toEqual([10, 20])
  expect(spreadBars(rows.slice(0, 2))).toEqual([])
})

test('only a few bars have labels, which do not overlap', () => {
  for (let count = 1; count <= 26; count++) {
    const labelled = Array.from({ length: count }, (_, index) => index).filter((index) => isLabelled(index, count))
    expect(labelled[0]).toBe(0)
    expect(labelled.length).toBeLessThanOrEqual(6)
    const rooms = labelled.map((at, i) => (labelled[i + 1] ?? count) - at)
    expect(Math.min(...rooms)).toBe(Math.ceil(count / 6))
  }
})
