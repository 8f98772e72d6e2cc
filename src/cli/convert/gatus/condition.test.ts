import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Assertions } from '../../../checks/probe/settings.ts'
import { Check } from '../../../schema/typebox.ts'
import { type ConditionOutcome, convertCondition, type EndpointKind } from './condition.ts'

const same = (text: string) => text
const status = (comparison: string, target: unknown) => ({ assertion: { source: 'statusCode', comparison, target } })
const json = (property: string, comparison: string, target?: unknown) => ({
  assertion: { source: 'jsonBody', property, comparison, ...(target !== undefined && { target }) },
})

describe('a condition on HTTP', () => {
  test.each<[string, unknown]>([
    ['[STATUS] == 200', status('equals', 200)],
    ['200 == [STATUS]', status('equals', 200)],
    ['[status] != 500', status('notEquals', 500)],
    ['[STATUS] < 300', status('lessThan', 300)],
    ['300 > [STATUS]', status('lessThan', 300)],
    ['[STATUS] <= 299', status('lessThan', 300)],
    ['[STATUS] > 400', status('greaterThan', 400)],
    ['[STATUS] >= 400', status('greaterThan', 399)],
    ['[STATUS] == any(200, 429)', status('oneOf', [200, 429])],
    ['[STATUS] != any(500, 503)', status('notOneOf', [500, 503])],
    ['[STATUS] == pat(2*)', status('matches', '(?s)^2.*$')],
    ['[RESPONSE_TIME] < 500', { maxResponseTimeMs: 500 }],
    ['[RESPONSE_TIME] <= 1s', { maxResponseTimeMs: 1000 }],
    ['[RESPONSE_TIME] > 1', { assertion: { source: 'responseTime', comparison: 'greaterThan', target: 1 } }],
    ['[CONNECTED] == true', { implied: true }],
    ['[CONNECTED] != false', { implied: true }],
    [
      '[BODY] == pat(*<h1>Example Domain</h1>*)',
      { assertion: { source: 'textBody', comparison: 'contains', target: '<h1>Example Domain</h1>' } },
    ],
    ['[BODY] != pat(*error*)', { assertion: { source: 'textBody', comparison: 'notContains', target: 'error' } }],
    ['[BODY] == ok', { assertion: { source: 'textBody', comparison: 'equals', target: 'ok' } }],
    ['[BODY].status == UP', json('$.status', 'equals', 'UP')],
    ['[BODY].data[0].id == 1', json('$.data[0].id', 'equals', '1')],
    ['[BODY][0].my-id == 1', json("$[0]['my-id']", 'equals', '1')],
    ['[BODY].id == any(1, 2)', json('$.id', 'oneOf', ['1', '2'])],
    ['[BODY].name == pat(john*)', json('$.name', 'matches', '(?s)^john.*$')],
    ['[BODY].name == pat(j?hn[a-z]\\*)', json('$.name', 'matches', '(?s)^j.hn[a-z]\\*$')],
    ['[BODY].age > 17', json('$.age', 'greaterThan', 17)],
    ['[BODY].age >= 18', json('$.age', 'greaterThan', 17.999999)],
    ['[BODY].age <= 18', json('$.age', 'lessThan', 18.000001)],
    ['len([BODY].data) < 5', json('$.data.length', 'lessThan', 5)],
    ['len([BODY].data) >= 5', json('$.data.length', 'greaterThan', 4)],
    ['len([BODY].name) == 8', json('$.name.length', 'equals', '8')],
    ['len([BODY]) > 0', json('$.length', 'greaterThan', 0)],
    ['has([BODY].errors) == false', { ...json('$.errors', 'isNull'), note: 'null counts as absent here.' }],
    ['has([BODY].users) == true', { ...json('$.users', 'notNull'), note: 'null counts as absent here.' }],
    ['[CERTIFICATE_EXPIRATION] > 48h', { assertion: { source: 'certificateDays', comparison: 'greaterThan', target: 1 } }],
    ['[CERTIFICATE_EXPIRATION] >= 240h', { assertion: { source: 'certificateDays', comparison: 'greaterThan', target: 9 } }],
  ])('%s', (condition, expected) => {
    expect(convertCondition(condition, 'http', same)).toEqual(expected)
  })

  test.each([
    ['[BODY].age == [BODY].id', 'compared with each other'],
    ['[IP] == 127.0.0.1', 'called address'],
    ['[DOMAIN_EXPIRATION] > 720h', 'Domain expiration'],
    ['[DNS_RCODE] == NOERROR', 'Only DNS'],
    ['[CONTEXT].id == 1', 'suites'],
    ['[CONNECTED] == false', 'closed port'],
    ['[RESPONSE_TIME] == 5', 'never equal'],
    ['[STATUS] < many', 'not a number'],
    ['[STATUS]==200', 'no comparison'],
    ['1 == 1', 'a part of a response'],
    ['[NOTHING] == 1', 'no equivalent'],
    ['[constructor] == 1', 'no equivalent'],
    ['[BODY].a b == 1', 'path'],
    ['[BODY] < 5', 'only as text'],
    ['[CERTIFICATE_EXPIRATION] < 48h', 'remaining validity'],
    [`[STATUS] == any(${'1,'.repeat(200)})`, 'at most 100'],
    ['[BODY].name == pat(a[b)', 'pattern'],
  ])('%s is not converted', (condition, why) => {
    expect(convertCondition(condition, 'http', same)).toEqual({ lost: expect.stringContaining(why) })
  })
})

test.each<[EndpointKind, string, unknown]>([
  ['dns', '[DNS_RCODE] == NOERROR', { assertion: { source: 'responseCode', comparison: 'equals', target: 'NOERROR' } }],
  ['dns', '[BODY] == pat(93.*)', { assertion: { source: 'answer', comparison: 'matches', target: '(?s)^93\\..*$' } }],
  ['tcp', '[CONNECTED] == false', { shouldFail: true }],
  ['tcp', '[BODY] == PONG', { assertion: { source: 'responseData', comparison: 'equals', target: 'PONG' } }],
  ['icmp', '[CONNECTED] == true', { implied: true }],
  ['icmp', '[RESPONSE_TIME] < 100', { maxResponseTimeMs: 100 }],
  ['icmp', '[STATUS] == 200', { lost: 'Only HTTP checks have a status.' }],
])('of %s: %s', (kind, condition, expected) => {
  expect(convertCondition(condition, kind, same)).toEqual(expected)
})

const schemas = {
  http: Assertions('statusCode', 'headers', 'textBody', 'jsonBody', 'responseTime', 'certificateDays'),
  tcp: Assertions('responseData', 'responseTime'),
  dns: Assertions('responseCode', 'answer', 'responseTime'),
  icmp: Assertions('none'),
}
const isOutcome = (outcome: ConditionOutcome) =>
  ['assertion', 'maxResponseTimeMs', 'shouldFail', 'implied', 'lost'].some((name) => name in outcome)

describe('arbitrary text', () => {
  const part = fc.constantFrom(
    '[STATUS]',
    '[BODY]',
    '[BODY].a',
    '[BODY][0]',
    'len(',
    'has(',
    'pat(',
    'any(',
    ')',
    '*',
    '.',
    '[',
    ']',
    '1',
    '48h',
    'x',
    ' ',
    ',',
    '\\',
    '-1',
    '0x1F',
    '1e999',
  )
  const operator = fc.constantFrom(' == ', ' != ', ' <= ', ' >= ', ' > ', ' < ', '==', '')
  const condition = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc
      .tuple(fc.array(part, { maxLength: 8 }), operator, fc.array(part, { maxLength: 8 }))
      .map(([left, op, right]) => `${left.join('')}${op}${right.join('')}`),
  )
  const kind = fc.constantFrom<EndpointKind>('http', 'tcp', 'dns', 'icmp')

  test('has an outcome, and assertions are valid except for unreadable patterns and paths', () => {
    fc.assert(
      fc.property(condition, kind, (text, of) => {
        const outcome = convertCondition(text, of, same)
        expect(isOutcome(outcome)).toBe(true)
        if ('assertion' in outcome && !/matches/i.test(outcome.assertion.comparison))
          expect(Check(schemas[of], [outcome.assertion])).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  test('that is long takes linear time', () => {
    for (const text of [
      `[BODY]${'.a'.repeat(4000)}' == 1`,
      `[BODY].${'a'.repeat(9000)}" == 1`,
      `[BODY].x == pat(${'*'.repeat(9000)})`,
      `${'['.repeat(9000)} == 1`,
    ])
      expect(isOutcome(convertCondition(text, 'http', same))).toBe(true)
  })
})
