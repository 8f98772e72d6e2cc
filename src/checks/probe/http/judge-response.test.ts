import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Assertion } from '../settings.ts'
import { judge } from './judge-response.ts'

const received = (more: Partial<Parameters<typeof judge>[0]> = {}) => ({
  status: 200,
  headers: { 'content-type': 'text/plain', 'set-cookie': ['a', 'b'] },
  body: Buffer.from('{"a":[1,2]}'),
  responseTime: 12,
  certificateDays: 30,
  assertions: [],
  shouldFail: false,
  secrets: [],
  ...more,
})
const failureOf = (more: Partial<Parameters<typeof judge>[0]>) => judge(received(more)).failure
const about = (source: string, more: Partial<Assertion> = {}): readonly Assertion[] => [{ source, comparison: 'isNull', ...more }]

test.each([
  [399, false, null],
  [400, false, 'status 400, expected less than 400'],
  [399, true, 'status 399, expected 400 or more'],
  [400, true, null],
])('status %d with shouldFail %j', (status, shouldFail, failure) => {
  expect(failureOf({ status, shouldFail })).toBe(failure)
})

test('an assertion on the status replaces the default one, unless shouldFail is set', () => {
  const assertions = about('statusCode', { comparison: 'equals', target: 503 })
  expect(failureOf({ status: 503, assertions })).toBeNull()
  expect(failureOf({ status: 200, assertions })).toBe('status 200, expected 503')
  expect(failureOf({ status: 302, assertions: about('statusCode', { comparison: 'equals', target: 302 }), shouldFail: true })).toBe(
    'status 302, expected 400 or more',
  )
  expect(failureOf({ status: 503, assertions: about('textBody', { comparison: 'notEmpty' }) })).toBe('status 503, expected less than 400')
})

test.each([
  ['headers', 'Content-Type', 'header Content-Type "text/plain", expected to be null'],
  ['headers', 'Set-Cookie', 'header Set-Cookie "a, b", expected to be null'],
  ['headers', 'toString', null],
  ['headers', undefined, 'headers {"content-type":"text/plain","set-cookie":["a","b"]}, expected to be null'],
  ['textBody', undefined, String.raw`body "{\"a\":[1,2]}", expected to be null`],
  ['jsonBody', undefined, 'JSON body $ {"a":[1,2]}, expected to be null'],
  ['jsonBody', '$.a[1]', 'JSON body $.a[1] 2, expected to be null'],
  ['certificateDays', undefined, 'certificate days left 30, expected to be null'],
  ['responseTime', undefined, 'response time 12 ms, expected to be null'],
])('%s %s', (source, property, failure) => {
  expect(failureOf({ assertions: about(source, property === undefined ? {} : { property }) })).toBe(failure)
})

test('a compressed body is evaluated decompressed', () => {
  const headers = { 'content-encoding': 'gzip' }
  const assertions = about('textBody', { comparison: 'equals', target: 'hello' })
  expect(failureOf({ body: gzipSync('hello'), headers, assertions })).toBeNull()
})

test('up to a megabyte is parsed as JSON', () => {
  const json = (bytes: number) => Buffer.from(`"${'a'.repeat(bytes - 2)}"`)
  const assertions = about('jsonBody', { comparison: 'notNull' })
  expect(failureOf({ body: json(2 ** 20), assertions })).toBeNull()
  expect(failureOf({ body: json(2 ** 20 + 1), assertions })).toBe(
    'JSON body $: the body is longer than the 1,048,576 bytes that can be parsed as JSON',
  )
  expect(failureOf({ body: Buffer.from('{'), assertions })).toBe('JSON body $: the body is not JSON')
})
