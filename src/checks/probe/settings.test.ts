import { Check } from 'typebox/value'
import { expect, test } from 'vitest'
import { Hostname } from './settings.ts'

test.each(['example.com', 'db_1.internal', '10.0.0.1', '::1', 'fe80::1%eth0', 'münchen.example', 'localhost'])(
  '%s may be a host',
  (text) => {
    expect(Check(Hostname, text)).toBe(true)
  },
)

test.each(['-f', '', 'a b', 'https://example.com', 'example.com/path', 'me@example.com'])('%j may not', (text) => {
  expect(Check(Hostname, text)).toBe(false)
})
