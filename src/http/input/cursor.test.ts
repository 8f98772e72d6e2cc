import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../../test/support/app.ts'
import { credentials, testCatalogue, testCheck } from '../../../test/support/catalogue.ts'
import { anyRunType } from '../../../test/support/example-config.ts'
import { lastInstant } from '../../time.ts'
import { offsetCursor, outageCursor, resultCursor } from './cursor.ts'

const now = Date.UTC(2026, 10, 14, 10)
const check = testCheck(anyRunType())
const window = { from: now - 1000, to: now }

let api: TestApp
beforeAll(async () => {
  api = await openTestApp({ catalogue: testCatalogue({ checks: [check] }), now })
})
afterAll(() => api.close())

const post = (cursor: unknown, more = {}) =>
  api.call({
    method: 'POST',
    url: '/v1/analytics/query',
    headers: credentials,
    payload: { metrics: ['availability'], cursor, ...more },
  })
const get = (path: string) => (cursor: unknown) => api.get(`${path}${encodeURIComponent(String(cursor))}`)

/** Every route with a cursor, and the parts of a valid one. */
const routes = [
  { name: 'the query', ask: post, parts: [0, now - 1000, now], valid: offsetCursor.encode({ offset: 0, window }) },
  {
    name: 'failures',
    ask: get('/v1/analytics/failures?cursor='),
    parts: [0, now - 1000, now],
    valid: offsetCursor.encode({ offset: 0, window }),
  },
  {
    name: 'outages',
    ask: get('/v1/analytics/outages?cursor='),
    parts: [now - 1000, now, now - 500, check.id],
    valid: outageCursor.encode({ window, after: { from: now - 500, checkId: check.id } }),
  },
  {
    name: 'check results',
    ask: get(`/v2/check-results/${check.id}?nextId=`),
    parts: [now, 'eu-west-1', 'a-result'],
    valid: resultCursor.encode({ startedAt: now, runLocation: 'eu-west-1', id: 'a-result' }),
  },
]

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const invalidNumbers = [-1, 0.5, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE, '1', null, [], {}, true]
const invalidTexts = ['', 'x'.repeat(2000), 7, null, [], {}, true]

describe.each(routes)('a cursor of $name', ({ ask, parts, valid }) => {
  test('that was issued is accepted', async () => {
    expect(encoded(parts)).toBe(valid)
    expect((await ask(valid)).status).toBe(200)
  })

  test.each(parts.map((part, at) => [at, typeof part] as const))('with a forged part %i is INVALID_CURSOR', async (at, type) => {
    for (const forged of type === 'number' ? invalidNumbers : invalidTexts) {
      const { status, body } = await ask(encoded(parts.map((part, i) => (i === at ? forged : part))))
      expect([forged, status, body.code]).toEqual([forged, 400, 'INVALID_CURSOR'])
    }
  })

  test('with too few or too many parts is INVALID_CURSOR', async () => {
    for (const forged of [[], parts.slice(1), parts.slice(0, -1), [...parts, 1], {}, null, 'text', [[]]])
      expect((await ask(encoded(forged))).body.code).toBe('INVALID_CURSOR')
  })

  test('of arbitrary text is INVALID_CURSOR', async () => {
    const garbage = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc.base64String({ maxLength: 200 }),
      fc.json().map((json) => Buffer.from(json).toString('base64url')),
      fc.array(fc.oneof(fc.integer(), fc.double(), fc.string()), { maxLength: 6 }).map(encoded),
    )
    await fc.assert(
      fc.asyncProperty(garbage, async (text) => {
        const { status, body } = await ask(text)
        if (status !== 200) expect([status, body.code]).toEqual([400, 'INVALID_CURSOR'])
      }),
      { numRuns: 100 },
    )
  })
})

test.each([
  [window.to, window.from],
  [0, lastInstant + 1],
  [-1, 1],
])('a window from %i to %i is INVALID_CURSOR', async (from, to) => {
  for (const forged of [
    [0, from, to],
    [from, to, now, check.id],
  ])
    for (const { ask, parts } of routes.filter(({ name }) => name !== 'check results'))
      if (parts.length === forged.length) expect((await ask(encoded(forged))).body.code).toBe('INVALID_CURSOR')
})

test('a query of the widest window that a cursor can have, with all options, is answered or rejected with a message', async () => {
  for (const [from, to] of [
    [0, 0],
    [0, lastInstant],
    [lastInstant, lastInstant],
  ])
    for (const more of [{}, { compare: 'previousPeriod' }, { compare: 'sameWeekdays' }, { aggregationInterval: 'day', fill: null }]) {
      const { status } = await post(encoded([2 ** 40, from, to]), more)
      expect([from, to, more, status]).toEqual([from, to, more, expect.toBeOneOf([200, 400])])
    }
})

test('a cursor in a body that is not text is INVALID_CURSOR', async () => {
  for (const cursor of [1, null, {}, [], true]) expect((await post(cursor)).body.code).toBe('INVALID_CURSOR')
})
