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

test('a pattern is its own pattern', () => {
  const pattern = reasonPattern('status 503 after 17 ms from 10.0.0.1 (5ab3f09c11d2) at http://a.example/')
  expect(reasonPattern(pattern)).toBe(pattern)
})
