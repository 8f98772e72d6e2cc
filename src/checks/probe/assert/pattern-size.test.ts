import fc from 'fast-check'
import { RE2JS } from 're2js'
import { expect, test } from 'vitest'
import { patternSize } from './pattern-size.ts'

test.each([
  ['', 0],
  ['abc', 3],
  ['x{20}', 21],
  ['x{2,20}', 21],
  ['x{20,}', 21],
  ['ab{20}', 22],
  ['(?:ab){20}', 81],
  ['(?:(?:a{10}){10}){10}', 1331],
  ['\\x{1E942}{20}', 21],
  ['\\Qab\\E{2}', 13],
  ['[]{20}]{20}', 26],
  ['[[:alpha:]\\]x]{20}', 31],
  ['(?:ab)(?i){20}', 85],
  ['x{,20}', 6],
  ['\\{20}', 4],
  ['\\p{Greek}\\pL[\\PL]', 158],
  ['[B-\\x{1E942}]', 6],
])('the size of %s is %i', (pattern, size) => {
  expect(patternSize(pattern)).toBe(size)
})

test('ranges of a class count if case is ignored, since all their code points are looked up', () => {
  for (const range of ['B-\\x{1E942}', 'B-\u{1E942}', '\\w--\\x{1E942}', '\\x41-\u{1E942}'])
    expect(patternSize(`(?i)[${range}]`)).toBeGreaterThan(1000)
  expect(patternSize('(?i)[a-z0-9_-]')).toBeLessThan(20)
  expect(patternSize('(?i)[\\x{2E80}-\\x{2FFF}]')).toBeLessThan(20)
})

const fragments =
  'a B ( (?: (?i) (?i: (?P<n> ) | [ [^ ] - \\ \\d \\pL \\p{Greek} \\x{1E942} \\x41 {3} {10} {0,5} {2,} { } * + ? ^ $ \\Q \\E [: [:alpha:] :] . , 1 \\b'

test('no regular expression compiles to many more instructions than its size', () => {
  const patterns = fc.array(fc.constantFrom(...fragments.split(' '), '𞥂'), { maxLength: 25 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(patterns, (pattern) => {
      expect(instructions(pattern)).toBeLessThanOrEqual(2 * patternSize(pattern) + 5)
    }),
    { numRuns: 5000 },
  )
})

/** 0 for an invalid regular expression. */
function instructions(pattern: string): number {
  try {
    return RE2JS.compile(pattern).programSize()
  } catch {
    return 0
  }
}
