import fc from 'fast-check'
import { expect, test } from 'vitest'
import { numberText } from './number-text.ts'

test('a number is written as JSON has it', () => {
  const measured = fc.integer({ min: -1000, max: 2 ** 32 }).map((thousandths) => thousandths / 1000)
  fc.assert(
    fc.property(fc.oneof(measured, fc.double(), fc.constantFrom(0, -0, 0.001, 0.1, 1e21, 2 ** 31 / 1000)), (value) => {
      expect(numberText(value)).toBe(JSON.stringify(value))
    }),
    { numRuns: 2000 },
  )
})
