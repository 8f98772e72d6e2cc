import { expect, test } from 'vitest'
import { service } from '../../../test/support/catalogue.ts'
import { baseHeaders, corsHeaders, joinedVary, safeHeaders } from './reply-headers.ts'

const [ours, others] = ['https://dashboards.example.com', 'https://example.org']
const exposed = 'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, ETag, Link, Content-Range, X-Next-Cursor'
const reading = (origin: string) => ({ 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed })

test.each([
  [[], ours, {}],
  [[ours], ours, { vary: 'Origin', ...reading(ours) }],
  [[others, ours], ours, { vary: 'Origin', ...reading(ours) }],
  [[ours], others, { vary: 'Origin' }],
  [[ours], undefined, { vary: 'Origin' }],
  [['*'], others, reading('*')],
  [[ours, '*'], undefined, reading('*')],
])('with the origins %j, a response to %s has %j', (corsOrigins, origin, headers) => {
  expect(corsHeaders({ ...service, corsOrigins }, origin)).toEqual(headers)
  expect(baseHeaders({ ...service, corsOrigins }, origin)).toEqual({ ...safeHeaders, ...headers })
})

test('every response has headers against framing, sniffing, embedding and execution', () => {
  expect(safeHeaders).toEqual({
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  })
})

test.each([
  [undefined, 'Accept, Origin', 'Accept, Origin'],
  ['Origin', 'Accept', 'Origin, Accept'],
  ['Origin, Accept', 'Accept, Authorization', 'Origin, Accept, Authorization'],
])('Vary with %s and %s is merged without duplicates', (named, names, joined) => {
  expect(joinedVary(named, names)).toBe(joined)
})
