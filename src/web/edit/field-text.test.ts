import { expect, test } from 'vitest'
import { listText, mappingOf, numberOrText, pairsOf, wordsIn } from './field-text.ts'

test('a text becomes a number only if it is in canonical notation', () => {
  expect(['5', '1.5', '-2', '1.50', '1.', '007', '1e400', 'x'].map(numberOrText)).toEqual([5, 1.5, -2, '1.50', '1.', '007', '1e400', 'x'])
  expect(numberOrText('')).toBeUndefined()
})

test('a list is written with commas, and an empty one with brackets', () => {
  expect(wordsIn(' a, b c ,,')).toEqual(['a', 'b c'])
  expect([wordsIn('[]'), wordsIn('  ')]).toEqual([[], undefined])
  expect([listText(['a', 'b']), listText([]), listText(undefined)]).toEqual(['a, b', '[]', ''])
})

test('pairs without a name are ignored', () => {
  expect(
    mappingOf([
      ['a', '1'],
      ['', 'x'],
    ]),
  ).toEqual({ a: '1' })
  expect(mappingOf([['', '']])).toBeUndefined()
  expect(pairsOf({ a: '1' })).toEqual([['a', '1']])
})
