import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AggregateAnswer, AggregateRow } from '../store.ts'
import { packAnswer, unpackAnswer } from './calls.ts'

const key = fc.oneof(fc.string(), fc.integer(), fc.constant(null))
const value = fc.option(fc.double({ noNaN: true }))
const count = fc.nat()

/** Answers as a query gives them: all rows have the same parts. */
const answers = fc
  .record({
    figures: fc.nat(3),
    buckets: fc.boolean(),
    counted: fc.boolean(),
    paged: fc.boolean(),
    bounds: fc.option(fc.array(fc.double({ noNaN: true }))),
  })
  .chain(({ figures, buckets, counted, paged, bounds }) => {
    const row: fc.Arbitrary<AggregateRow> = fc.record({
      start: buckets ? fc.integer() : fc.constant(null),
      counts: counted ? fc.record({ total: count, success: count, retries: count }) : fc.constant(null),
      pageUrl: paged ? fc.option(fc.webUrl()) : fc.constant(null),
      values: fc.array(value, { minLength: figures, maxLength: figures }),
      histogram: bounds ? fc.array(count, { minLength: bounds.length + 1, maxLength: bounds.length + 1 }) : fc.constant(null),
    })
    const group = fc.record({ keys: fc.array(key, { maxLength: 2 }), rows: fc.array(row, { maxLength: 5 }) })
    return fc.record({ groups: fc.array(group, { maxLength: 6 }), results: count, bounds: fc.constant(bounds ?? []) })
  })

test('an answer is unchanged after it was packed, sent to another thread and unpacked', async () => {
  await fc.assert(
    fc.asyncProperty(answers, async (answer: AggregateAnswer) => {
      expect(await unpackAnswer(structuredClone(packAnswer(answer)))).toEqual(answer)
    }),
  )
})
