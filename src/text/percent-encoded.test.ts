import { expect, test } from 'vitest'
import { percentEncoded } from './percent-encoded.ts'

test.each([
  ['a b/ü', 'a%20b%2F%C3%BC'],
  ['😀', '%F0%9F%98%80'],
  ['\ud83d', '%EF%BF%BD'],
  ['a\ude00b', 'a%EF%BF%BDb'],
  [7, '7'],
])('%j is %s', (text, encoded) => {
  expect(percentEncoded(text)).toBe(encoded)
})
