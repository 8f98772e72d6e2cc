import { expect, test } from 'vitest'
import { positionOf, readTarget, sliderEnds, targetAt } from './target.ts'

test.each([50, 90, 95, 99, 99.5, 99.9, 99.95, 99.99, 99.999])('a target of %s is converted to a slider position and back', (target) => {
  expect(targetAt(positionOf(target))).toBe(target)
})

test('a target beyond the range of the slider is at its end', () => {
  expect(positionOf(10)).toBe(sliderEnds.min)
  expect(positionOf(99.9999)).toBe(sliderEnds.max)
})

test('only targets that the API accepts are valid', () => {
  expect(['99.95', '0.1', '100', '0', '-1', '1e1', '', 'x'].map(readTarget)).toEqual(['99.95', '0.1', null, null, null, null, null, null])
})
