import { expect, test } from 'vitest'
import { fillIn, quoted, shortened, shortenedLines } from './shortened.ts'

test('a short text is kept, and a long one is truncated at a whole character', () => {
  expect(shortened('x'.repeat(60))).toBe('x'.repeat(60))
  expect(shortened('x'.repeat(61))).toBe(`${'x'.repeat(60)}…`)
  expect(shortened('a😀', 2)).toBe('a…')
  expect(shortenedLines(`short\n${'x'.repeat(5000)} is wrong\nshort`)).toBe(`short\n${'x'.repeat(500)}…${'x'.repeat(491)} is wrong\nshort`)
})

test('quoted text is shortened before it is quoted', () => {
  expect(quoted('a "b"\u0000')).toBe('"a \\"b\\"\\u0000"')
  expect(quoted('"'.repeat(1_000_000)).length).toBeLessThan(200)
})

test('inserted values are shortened', () => {
  expect(fillIn('{a} and {b}.', { a: 'one', b: 2 })).toBe('one and 2.')
  expect(fillIn('{a} and {b}.', { a: 'x'.repeat(1_000_000), b: '{a}' })).toBe(`${'x'.repeat(500)}… and {a}.`)
})
