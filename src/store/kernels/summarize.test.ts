// @slow
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { expected } from '../../../test/support/oracle.ts'
import { triesOf } from '../../../test/support/tries.ts'
import { type Aggregation, aggregations } from '../store.ts'
import { summarizer } from './summarize.ts'

const wanted = (names: readonly Aggregation[]) => names.map((aggregation) => ({ aggregation, bound: null }))

/** Few distinct values make many equal ones. */
const distinct = fc.constantFrom(1, 2, 30, 50_000)
const large = fc.tuple(fc.integer({ min: 100, max: 5000 }), distinct, fc.integer()).map(([length, distinct, seed]) => {
  let state = seed | 0
  return Float64Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return ((state >>> 0) % distinct) / 1000
  })
})
const small = fc.float64Array({ minLength: 1, maxLength: 40, noNaN: true, min: 0, max: 1e9 })

test('percentiles, extremes, sums and deviations equal naive arithmetic', () => {
  fc.assert(
    fc.property(fc.oneof(large, small), (values) => {
      const plain = [...values]
      const found = summarizer(wanted(aggregations))(values)
      aggregations.forEach((aggregation, i) => {
        const figure = expected(aggregation, plain) as number
        if (['sum', 'avg', 'stddev'].includes(aggregation))
          expect(Math.abs((found[i] as number) - figure)).toBeLessThanOrEqual(1e-12 * Math.abs(figure))
        else expect(found[i]).toBe(figure)
      })
    }),
    { numRuns: triesOf(150) },
  )
})

test('a deviation is exact if the mean is far larger', () => {
  const values = Float64Array.from({ length: 1000 }, (_, i) => 1e9 + (i % 2))
  expect(summarizer(wanted(['stddev', 'avg']))(values)).toEqual([0.5, 1e9 + 0.5])
})

test('a million tenths sum up to a hundred thousand', () => {
  expect(summarizer(wanted(['sum', 'avg', 'stddev']))(new Float64Array(1_000_000).fill(0.1))).toEqual([100_000, 0.1, 0])
})

test('without numbers there are no aggregates', () => {
  expect(summarizer(wanted(aggregations))(new Float64Array(0))).toEqual(aggregations.map(() => null))
})

test('NaN values do not cause an endless search', () => {
  const values = new Float64Array(5000).fill(Number.NaN)
  expect(summarizer(wanted(['p99']))(values)).toEqual([Number.NaN])
})
