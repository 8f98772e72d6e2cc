import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textFinder } from './text-finder.ts'

const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 })

test('finds the same spans as a search for each text at each position', () => {
  fc.assert(
    fc.property(
      fc.array(letters, { maxLength: 12 }),
      fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 60 }),
      (texts, text) => {
        const isFound = new Array<boolean>(text.length).fill(false)
        for (const one of texts.filter(({ length }) => length >= 2))
          for (let start = 0; start < text.length; start++) if (text.startsWith(one, start)) isFound.fill(true, start, start + one.length)
        const covered = new Array<boolean>(text.length).fill(false)
        for (const { start, end } of textFinder(texts, { minLength: 2 })(text)) covered.fill(true, start, end)
        expect(covered).toEqual(isFound)
      },
    ),
  )
})

test('overlapping texts are one span, and adjacent ones are two', () => {
  const find = textFinder(['abcd', 'cdef', 'wxyz'], { minLength: 4 })
  expect(find('-abcdef-wxyzwxyz')).toEqual([
    { start: 1, end: 7 },
    { start: 8, end: 12 },
    { start: 12, end: 16 },
  ])
})
