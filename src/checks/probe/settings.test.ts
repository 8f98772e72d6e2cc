import { createRequire } from 'node:module'
import { Check } from 'typebox/value'
import { expect, test, vi } from 'vitest'
import { structureFindings } from '../../catalogue/config-file/structure.ts'
import { Assertions, Hostname } from './settings.ts'

const { RE2JS } = createRequire(import.meta.url)('re2js') as typeof import('re2js')

test.each(['example.com', 'db_1.internal', '10.0.0.1', '::1', 'fe80::1%eth0', 'münchen.example', 'localhost'])(
  '%s is a valid host',
  (text) => {
    expect(Check(Hostname, text)).toBe(true)
  },
)

test.each(['-f', '', 'a b', 'https://example.com', 'example.com/path', 'me@example.com'])('%j is not a valid host', (text) => {
  expect(Check(Hostname, text)).toBe(false)
})

test.each([
  { source: 'jsonBody', property: `$${'.a'.repeat(600)}`, comparison: 'isNull' },
  { source: 'jsonBody', property: '$.a', comparison: 'matches', target: 'a|'.repeat(600) },
])('an expression of more than 1000 characters is not compiled', (assertion) => {
  expect(Check(Assertions('jsonBody'), [assertion])).toBe(false)
})

test('an expression of 1000 characters is compiled', () => {
  const assertion = { source: 'jsonBody', property: `$${'.a'.repeat(499)}`, comparison: 'matches', target: 'a'.repeat(1000) }
  expect(Check(Assertions('jsonBody'), [assertion])).toBe(true)
})

/** The faults of assertions with these patterns, and how many were compiled for them. */
function judged(patterns: readonly string[]) {
  const compile = vi.spyOn(RE2JS, 'compile')
  try {
    const assertions = patterns.map((target) => ({ source: 'jsonBody', comparison: 'matches', target }))
    const texts = structureFindings(Assertions('jsonBody'), assertions, ['assertions']).map(({ text }) => text)
    return { texts, compiled: compile.mock.calls.length }
  } finally {
    compile.mockRestore()
  }
}

test.each([
  ['one expression', ['x{1000}'.repeat(140)]],
  ['many expressions', Array.from({ length: 20 }, (_, index) => `${index}x{900}`)],
  ['expressions that ignore the case of wide ranges', ['(?i)[B-\\x{1E942}]'.repeat(10)]],
])('nothing is compiled for %s beyond the size limit', (_, patterns) => {
  const { texts, compiled } = judged(patterns)
  expect(texts).toEqual([expect.stringContaining('assertions: the regular expressions of a check have at most 10000 characters in all')])
  expect(compiled).toBe(0)
})

test('with too many assertions no expression is compiled', () => {
  expect(judged(Array.from({ length: 101 }, (_, index) => `no${index}`))).toEqual({
    texts: ['assertions must be a list with at most 100 in it'],
    compiled: 0,
  })
  expect(judged(Array.from({ length: 100 }, (_, index) => `yes${index}`)).texts).toEqual([])
})

test('an expression is compiled only once, however often it is validated', () => {
  expect([judged(['once{1000}']), judged(['once{1000}'])].map(({ compiled }) => compiled)).toEqual([1, 0])
  expect([judged(['twice(']), judged(['twice('])]).toMatchObject([{ compiled: 1 }, { compiled: 0, texts: [expect.any(String)] }])
})

test('a malformed assertion is reported', () => {
  const target = { toString: 1 }
  const found = structureFindings(Assertions('jsonBody'), [{ source: 'jsonBody', comparison: 'matches', target }, null], [])
  expect(found).toHaveLength(2)
})
