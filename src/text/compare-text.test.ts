import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareText } from './compare-text.ts'

test('texts are ordered by their UTF-8 bytes', () => {
  const character = fc.oneof(
    fc.constantFrom('a', 'Ω', '\uffff', '😀'),
    fc.integer({ min: 0xe000, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
  )
  const text = fc.array(character, { maxLength: 4 }).map((characters) => characters.join(''))
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
    }),
  )
})

test('a character outside the basic plane comes after all within it', () => {
  expect(['😀', '\uffff', 'Ω', 'a'].sort(compareText)).toEqual(['a', 'Ω', '\uffff', '😀'])
})
