import { expect, test } from 'vitest'
import { receivedBody } from './received.ts'
import { redactedEnd } from './redact.ts'

test.each([
  ['', true, { body: '', truncated: false }],
  ['x'.repeat(8000), true, { body: 'x'.repeat(8000), truncated: false }],
  ['x'.repeat(8001), true, { body: 'x'.repeat(8000), truncated: true }],
  ['short', false, { body: 'short', truncated: true }],
  ['a\0b', true, { body: null, truncated: false }],
  ['a\0b', false, { body: null, truncated: true }],
  ['{"token":"abc"} a-secret', true, { body: '{"token":"•••"} •••', truncated: false }],
])('the body %.20s, complete %j', (text, complete, expected) => {
  expect(receivedBody(text, complete, complete ? ['a-secret'] : [])).toEqual(expected)
})

test.each([
  ['0123456789', '0123456789'],
  ['0123456789a', '…123456789a'],
  ['01234567890123456789', '…0123456789'],
  ['-01234567890123456789', '…0123456789'],
  ['ends in a-secret', '…ends in •••'.replace('ends', 'nds')],
])('the last ten characters of %s', (text, end) => {
  expect(redactedEnd(text, 10, ['a-secret'])).toBe(end)
})
