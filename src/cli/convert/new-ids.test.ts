import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newIds } from './new-ids.ts'

test('a taken id gets the next free number, whether other names have numbers of their own', () => {
  const ids = newIds('-')
  expect(['a', 'a-2', 'a', 'a', 'b'].map(ids.take)).toEqual(['a', 'a-2', 'a-3', 'a-4', 'b'])
})

test('every id is new, and is the one that was announced', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'a_2', 'a_2_2', 'a_3', 'b')), (names) => {
      const { peek, take } = newIds('_')
      const taken = names.map((name) => {
        const announced = peek(name)
        expect(take(name)).toBe(announced)
        return announced
      })
      expect(new Set(taken).size).toBe(taken.length)
    }),
  )
})
