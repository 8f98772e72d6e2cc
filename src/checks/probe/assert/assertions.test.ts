import { Check, Errors } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { type Assertion, Assertions, type Comparison } from '../settings.ts'
import { assertAll } from './assertions.ts'
import { holds } from './compare.ts'
import { jsonPathValue } from './json-path.ts'

describe('a comparison', () => {
  const list = ['a', 'b']
  const record = { name: 'x', count: 2 }
  const cases: readonly (readonly [Comparison, unknown, NonNullable<Assertion['target']>, boolean])[] = [
    ['equals', 200, 200, true],
    ['equals', 200, '200', true],
    ['equals', 200, '200.0', true],
    ['equals', 200, 'abc', false],
    ['equals', 0, '', false],
    ['equals', '200', 200, true],
    ['equals', 'OK', 'ok', false],
    ['equals', true, 'true', true],
    ['equals', null, 'null', true],
    ['equals', list, '["a","b"]', true],
    ['equals', record, '{"count":2,"name":"x"}', true],
    ['equals', record, 'x', false],
    ['notEquals', 200, 404, true],
    ['notEquals', 200, '200', false],
    ['hasKey', record, 'name', true],
    ['hasKey', record, 'toString', false],
    ['hasKey', list, 1, true],
    ['hasKey', 'name', 'name', false],
    ['hasKey', null, 'name', false],
    ['notHasKey', record, 'other', true],
    ['notHasKey', null, 'other', true],
    ['hasValue', record, 2, true],
    ['hasValue', record, '2', true],
    ['hasValue', list, 'b', true],
    ['hasValue', list, 'c', false],
    ['notHasValue', list, 'c', true],
    ['isEmpty', '', '', true],
    ['isEmpty', null, '', true],
    ['isEmpty', [], '', true],
    ['isEmpty', {}, '', true],
    ['isEmpty', 0, '', false],
    ['isEmpty', ' ', '', false],
    ['notEmpty', 'x', '', true],
    ['notEmpty', undefined, '', false],
    ['greaterThan', 10, 9, true],
    ['greaterThan', 10, '9', true],
    ['greaterThan', '10', 9, true],
    ['greaterThan', 'abc', 9, false],
    ['greaterThan', null, -1, false],
    ['lessThan', 10, 9, false],
    ['lessThan', '', 9, false],
    ['lessThan', null, 9, false],
    ['lessThan', true, 9, false],
    ['contains', 'hello world', 'lo w', true],
    ['contains', list, 'a', true],
    ['contains', ['10 mail.example.com'], 'mail', true],
    ['contains', 12345, 234, true],
    ['contains', record, '"name"', true],
    ['contains', null, 'x', false],
    ['notContains', 'hello', 'x', true],
    ['notContains', null, 'x', true],
    ['isNull', null, '', true],
    ['isNull', undefined, '', true],
    ['isNull', '', '', false],
    ['notNull', 0, '', true],
    ['matches', 'version 12.3', '\\d+\\.\\d+', true],
    ['matches', 'version 12.3', '^\\d', false],
    ['matches', null, '.*', false],
    ['matches', 503, '^5..$', true],
    ['notMatches', 'version 12.3', '^\\d', true],
    ['notMatches', 'version 12.3', '\\d', false],
    ['notMatches', null, '.*', true],
    ['oneOf', 200, [204, 200], true],
    ['oneOf', 200, ['204', '200'], true],
    ['oneOf', 201, [204, 200], false],
    ['oneOf', 250, ['200-299', 304], true],
    ['oneOf', 299, ['200-299', 304], true],
    ['oneOf', 300, ['200-299', 304], false],
    ['oneOf', '200-299', ['200-299'], true],
    ['oneOf', '250', ['200-299'], false],
    ['oneOf', 'ok', ['up', 'ok'], true],
    ['oneOf', null, ['ok'], false],
    ['notOneOf', 500, ['500-599'], false],
    ['notOneOf', 200, ['500-599', 404], true],
  ]
  test.each(cases)('%s of %j and %j is %j', (comparison, actual, target, expected) => {
    expect(holds(comparison, actual, target)).toBe(expected)
  })

  test('a pattern with catastrophic backtracking runs in linear time', () => {
    expect(holds('matches', `${'a'.repeat(100_000)}!`, '(a+)+$')).toBe(false)
  })
})

describe('a JSONPath', () => {
  const document = {
    items: [
      { id: 1, tags: ['x'] },
      { id: 2, tags: [] },
    ],
    total: 2,
    nothing: null,
  }

  test.each([
    ['$.total', 2],
    ["$['total']", 2],
    ['$.items[0].id', 1],
    ['$.items[-1].id', 2],
    ['$.items[*].id', [1, 2]],
    ['$..id', [1, 2]],
    ['$.items[?(@.id==2)].id', 2],
    ['$.items[?@.id > 0 && @.id < 2].tags[0]', 'x'],
    ['$.items.length', 2],
    ['$.items[1].tags.length', 0],
    ['$.nothing', null],
    ['$.absent', null],
    ['$.total.length', null],
    ['$.items[0].tags[0].length', 1],
    ['$.absent.length', null],
    ['$.constructor', null],
    ['$', document],
  ])('%s', (path, value) => {
    expect(jsonPathValue(path, document)).toEqual(value)
  })

  test('must not run a regular expression on the response', () => {
    expect(() => jsonPathValue('$[?match(@, "(a+)+")]', ['a'])).toThrow(/match/)
  })
})

describe('an outcome', () => {
  const sources = {
    statusCode: () => ({ subject: 'status', value: () => 503 }),
    textBody: () => ({ subject: 'body', value: () => `the password is hunter2 ${'x'.repeat(500)}` }),
    jsonBody: (path = '$') => ({ subject: `JSON body ${path}`, value: () => jsonPathValue(path, { up: false }) }),
    responseTime: () => ({ subject: 'response time', value: () => 812.25, unit: ' ms' }),
    odd: () => ({
      subject: 'odd',
      value: () => {
        throw new Error('the body is not JSON')
      },
    }),
  }
  const asserted = (...assertions: Assertion[]) => assertAll(assertions, sources, (text) => text.replaceAll('hunter2', '•••'))

  test('describes the assertion and the actual value', () => {
    const { outcomes, failure } = asserted(
      { source: 'statusCode', comparison: 'notEmpty' },
      { source: 'responseTime', comparison: 'lessThan', target: 500 },
      { source: 'jsonBody', property: '$.up', comparison: 'equals', target: 'true' },
    )
    expect(outcomes).toEqual([
      { text: 'status is not empty', passed: true, actual: '503' },
      { text: 'response time is less than 500 ms', passed: false, actual: '812.25 ms' },
      { text: 'JSON body $.up equals "true"', passed: false, actual: 'false' },
    ])
    expect(failure).toBe('response time 812.25 ms, expected less than 500 ms')
  })

  test.each([
    [{ source: 'statusCode', comparison: 'equals', target: 200 }, 'status 503, expected 200'],
    [{ source: 'statusCode', comparison: 'equals', target: '200' }, 'status 503, expected 200'],
    [{ source: 'statusCode', comparison: 'isNull' }, 'status 503, expected to be null'],
    [{ source: 'statusCode', comparison: 'oneOf', target: [200, '204', '300-308'] }, 'status 503, expected one of 200, 204, "300-308"'],
    [{ source: 'statusCode', comparison: 'notOneOf', target: ['500-599'] }, 'status 503, expected none of "500-599"'],
    [{ source: 'statusCode', comparison: 'notMatches', target: '^5' }, 'status 503, expected not to match "^5"'],
    [{ source: 'jsonBody', property: '$.down', comparison: 'notNull' }, 'JSON body $.down nothing, expected not to be null'],
    [{ source: 'odd', comparison: 'isNull' }, 'odd: the body is not JSON'],
    [{ source: 'statusCode', comparison: 'matches', target: '(' }, 'status: error parsing regexp: missing closing ): `(`'],
    [{ source: 'absent', comparison: 'isNull' }, 'absent: there is no absent in this answer'],
  ] as const)('the failure of %j is described', (assertion, sentence) => {
    expect(asserted(assertion).failure).toBe(sentence)
  })

  test('truncates long values, and redacts secrets', () => {
    const { failure } = asserted({ source: 'textBody', comparison: 'contains', target: 'ok' })
    expect(failure).toMatch(/^body "the password is ••• x+…", expected to contain "ok"$/)
    expect(failure?.length).toBeLessThan(300)
  })
})

describe('the settings of an assertion', () => {
  const schema = Assertions('statusCode', 'jsonBody')
  const faults = (assertion: Partial<Assertion>) => Errors(schema, [assertion]).map(({ message }) => message)

  test('can be valid', () => {
    expect(Check(schema, [{ source: 'jsonBody', property: '$.a', comparison: 'matches', target: '^a+$' }])).toBe(true)
    expect(Check(schema, [{ source: 'jsonBody', comparison: 'isNull' }])).toBe(true)
  })

  test('require a target if the comparison has one', () => {
    expect(faults({ source: 'statusCode', comparison: 'equals' })).toEqual(['equals requires a target'])
  })

  test('require a list for oneOf, and only there', () => {
    expect(faults({ source: 'statusCode', comparison: 'oneOf', target: [200, '300-399'] })).toEqual([])
    expect(faults({ source: 'statusCode', comparison: 'oneOf', target: 200 })).toEqual(['oneOf requires a list as target'])
    expect(faults({ source: 'statusCode', comparison: 'equals', target: [200] })).toEqual([
      'equals requires a single target: only oneOf and notOneOf accept a list',
    ])
    expect(faults({ source: 'statusCode', comparison: 'oneOf', target: [] })).not.toEqual([])
    expect(faults({ source: 'statusCode', comparison: 'notMatches', target: '(' }).join()).toContain('is not a regular expression')
  })
  test('require the name of a header, unless they are about all headers', () => {
    const schemaOfHeaders = Assertions('headers')
    const isGood = (assertion: Partial<Assertion>) => Check(schemaOfHeaders, [{ source: 'headers', ...assertion }])
    expect(isGood({ comparison: 'equals', target: 'x' })).toBe(false)
    expect(isGood({ comparison: 'isEmpty' })).toBe(false)
    expect(isGood({ comparison: 'equals', property: 'etag', target: 'x' })).toBe(true)
    expect(isGood({ comparison: 'hasKey', target: 'etag' })).toBe(true)
  })

  test('require a number for greater or less than', () => {
    expect(faults({ source: 'statusCode', comparison: 'greaterThan', target: 'abc' })).toEqual(['greaterThan requires a number as target'])
    expect(faults({ source: 'statusCode', comparison: 'lessThan', target: '' })).toHaveLength(1)
    expect(faults({ source: 'statusCode', comparison: 'lessThan', target: '5.5' })).toEqual([])
  })

  test('require a valid regular expression, and a valid path', () => {
    expect(faults({ source: 'statusCode', comparison: 'matches', target: 'a(?=b)' }).join()).toContain(
      'is not a regular expression in RE2 syntax',
    )
    expect(faults({ source: 'jsonBody', comparison: 'isNull', property: 'status' }).join()).toContain(
      '"status" is not a JSONPath: expected \'$\'',
    )
  })

  test.each([
    ['jsonBody', 'isNull', 'hunter2', 'hunter2'],
    ['jsonBody', 'isNull', '$[hunter2', '$[hunter2'],
    ['jsonBody', 'isNull', '$.a[?hunter2(@.x)]', '$.a[?hunter2(@.x)]'],
    ['statusCode', 'matches', undefined, '(hunter2'],
    ['statusCode', 'matches', undefined, '\\p{hunter2}'],
  ] as const)(
    'quote a value as a whole or not at all: pieces of it would escape redaction (%s %s %s %s)',
    (source, comparison, property, target) => {
      const [fault = ''] = faults({ source, comparison, target, ...(property !== undefined && { property }) })
      expect(fault).toContain(JSON.stringify(target))
      expect(fault.replace(JSON.stringify(target), '')).not.toMatch(/[h2]unt|hunter|unter2/)
    },
  )
})
