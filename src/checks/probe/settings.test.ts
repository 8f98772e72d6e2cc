import { Check } from 'typebox/value'
import { expect, test } from 'vitest'
import { Assertions, Hostname } from './settings.ts'

test.each(['example.com', 'db_1.internal', '10.0.0.1', '::1', 'fe80::1%eth0', 'münchen.example', 'localhost'])(
  '%s may be a host',
  (text) => {
    expect(Check(Hostname, text)).toBe(true)
  },
)

test.each(['-f', '', 'a b', 'https://example.com', 'example.com/path', 'me@example.com'])('%j may not', (text) => {
  expect(Check(Hostname, text)).toBe(false)
})

test.each([
  { source: 'jsonBody', property: `$${'.a'.repeat(600)}`, comparison: 'isNull' },
  { source: 'jsonBody', property: '$.a', comparison: 'matches', target: 'a|'.repeat(600) },
])('an expression of more than 1000 characters is not compiled', (assertion) => {
  expect(Check(Assertions('jsonBody'), [assertion])).toBe(false)
})

test('one of 1000 characters is', () => {
  const assertion = { source: 'jsonBody', property: `$${'.a'.repeat(499)}`, comparison: 'matches', target: 'a'.repeat(1000) }
  expect(Check(Assertions('jsonBody'), [assertion])).toBe(true)
})
