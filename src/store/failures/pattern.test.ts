import fc from 'fast-check'
import { expect, test } from 'vitest'
import { reasonPattern } from './pattern.ts'

test.each([
  ['no answer within 30,000 ms at first byte', 'no answer within # ms at first byte'],
  ['response time 812.25 ms, expected less than 500 ms', 'response time # ms, expected less than # ms'],
  ['status 503, expected 200', 'status #, expected #'],
  ['took 12s and then 0.5s', 'took #s and then #s'],
  ['packet loss 33.3 %, expected at most 10 %', 'packet loss # %, expected at most # %'],
  ['connection refused (10.0.0.17:8443) at connect', 'connection refused (<address>) at connect'],
  ['connection refused ([2001:db8::17]:443)', 'connection refused (<address>)'],
  ['no route to fe80::1 here', 'no route to <address> here'],
  ['no route to 2001:db8:0:1:1:1:1:17', 'no route to <address>'],
  ['page.goto: net::ERR_CONNECTION_REFUSED at https://shop.example/cart/17?sid=abc', 'page.goto: net::ERR_CONNECTION_REFUSED at <address>'],
  ['body "order 4f9d1c2e-0b7a-4c51-9d8e-0123456789ab", expected', 'body "order <id>", expected'],
  ['trace 5ab3f09c11d2 is lost', 'trace <id> is lost'],
  ['segfault at 0x7ffe01', 'segfault at <id>'],
  ['JSON body $.items[3].id 17, expected 18', 'JSON body $.items[#].id #, expected #'],
  ['version 1.2.3.4.5 is old', 'version # is old'],
  ['ECONNRESET from eu-west-1', 'ECONNRESET from eu-west-#'],
  ['net::ERR_HTTP2_PROTOCOL_ERROR', 'net::ERR_HTTP2_PROTOCOL_ERROR'],
  ['at 12:30:45', 'at #:#:#'],
  ['deadbeef cafe facade', 'deadbeef cafe facade'],
  ['', ''],
])('%s', (error, pattern) => {
  expect(reasonPattern(error)).toBe(pattern)
})

test('patterns are idempotent', () => {
  const pattern = reasonPattern('status 503 after 17 ms from 10.0.0.1 (5ab3f09c11d2) at http://a.example/')
  expect(reasonPattern(pattern)).toBe(pattern)
})

test('an id has at least 8 digits and letters', () => {
  expect(reasonPattern('order 5ab3f09c is lost')).toBe('order <id> is lost')
  expect(reasonPattern('order 5ab3f09 is lost')).toBe('order #ab3f09 is lost')
})

/** The same patterns, not optimized for time. */
const slowParts: readonly (readonly [RegExp, string])[] = [
  [/\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>()]+/, '<address>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/, '<id>'],
  [/\[[0-9a-f:.]*:[0-9a-f:.]*\](?::\d{1,5})?/, '<address>'],
  [/(?<![\w:.])(?=[0-9a-f:]*::|(?:[0-9a-f]+:){7})(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])/, '<address>'],
  [/(?<![\w.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?::\d{1,5})?(?![\w.]*\d)/, '<address>'],
  [/\b(?:0x[0-9a-f]+|(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,})\b/, '<id>'],
  [/(?<![a-z_0-9])\d+(?:[.,]\d+)*/, '#'],
]

function slowPattern(error: string): string {
  const any = new RegExp(slowParts.map(([part]) => `(${part.source})`).join('|'), 'gi')
  return error.replace(any, (found, ...groups) => slowParts[groups.findIndex((group) => group !== undefined)]?.[1] ?? found)
}

const words = [
  '[',
  ']',
  ':',
  '::',
  '.',
  'a',
  'f',
  '0',
  '9',
  ' ',
  'g',
  '-',
  '://',
  'http',
  '0x',
  '10.0.0.1',
  'deadbeef',
  '2001:db8::1',
  '(',
  ',',
]

test('ordinary texts have the pattern of a naive implementation', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...words), maxLength: 25 }), (text) => {
      expect(reasonPattern(text)).toBe(slowPattern(text))
    }),
    { numRuns: 2000 },
  )
})

/** The lowest CPU time of several attempts, in microseconds, so that other load on the machine does not matter. */
function bestTimeOf(text: string): number {
  const attempts = Array.from({ length: 5 }, () => {
    const begun = process.cpuUsage()
    reasonPattern(text)
    const { user, system } = process.cpuUsage(begun)
    return user + system
  })
  return Math.min(...attempts)
}

const units = [
  ':',
  '[:',
  '[::',
  '[a:',
  'a:',
  'aaaa:',
  'a',
  'f1',
  '0',
  '1.',
  '1.1.1.1:',
  '0x',
  'a.',
  'a-',
  'aaaaaaaa-',
  '1,',
  '::',
  '.',
  '[.',
  '1:',
]

test.each(units)('the time for many %j is linear in their number', (unit) => {
  const timeOf = (length: number) =>
    Math.max(...['', '[', '1.1.1.1', '0x', 'http://'].map((start) => bestTimeOf(`${start}${unit.repeat(length / unit.length)}g`)))
  // 16 times as much text would take 256 times as long with quadratic growth.
  expect(timeOf(16_000) / Math.max(20, timeOf(1000))).toBeLessThan(80)
})
