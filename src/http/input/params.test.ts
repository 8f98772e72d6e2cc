import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  booleanParam,
  decimalParam,
  instant,
  integer,
  interval,
  list,
  listOf,
  oneOf,
  parseQueryString,
  readKnownParams,
  readParams,
  refused,
  requiredOneOf,
  text,
  timezone,
  unixSeconds,
} from './params.ts'
import { quorum } from './time-params.ts'

const read = (query: string) =>
  readParams(
    {
      metrics: list({ description: 'names' }),
      colours: listOf({ description: 'colours', choices: ['red', 'blue'] }),
      limit: integer({ description: 'how many', min: 1, max: 100, otherwise: 10 }),
      range: oneOf({ description: 'which', choices: ['day', 'week'], otherwise: 'day' }),
      big: booleanParam({ description: 'is it', otherwise: null }),
      search: text({ description: 'a part', maxLength: 5 }),
      group: refused('left out'),
    },
    parseQueryString(query),
  )

describe('a list', () => {
  test.each([
    'metrics=a,b',
    'metrics=a%2Cb',
    'metrics=a&metrics=b',
    'metrics[]=a&metrics[]=b',
    'metrics%5B%5D=a&metrics%5B%5D=b',
    'metrics[]=a,b',
    'metrics=a,b&',
    '&metrics=a&&metrics[]=b',
    'metrics=a,b,a&metrics=b',
    'metrics=a,,b,',
  ])('has two items in %s', (query) => {
    expect(read(query).metrics).toEqual(['a', 'b'])
  })
  test('preserves the order of first appearance', () => {
    expect(read('metrics=c&metrics[]=a,c&metrics=b').metrics).toEqual(['c', 'a', 'b'])
  })
  test('is empty if absent', () => {
    expect(read('').metrics).toEqual([])
  })
  test('of choices accepts no others', () => {
    expect(read('colours=blue,red').colours).toEqual(['blue', 'red'])
    expect(() => read('colours=green')).toThrow('colours must be a list of red, blue.')
  })
})

describe('a whole number', () => {
  test.each(['1', '100', '007'])('is parsed from the plain digits %s', (digits) => {
    expect(read(`limit=${digits}`).limit).toBe(Number(digits))
  })
  test.each([
    '',
    '0',
    '101',
    '-1',
    '0x10',
    '1e2',
    '%205',
    '5%20',
    '5.0',
    'Infinity',
    'NaN',
    '%2B5',
    '+5',
    '1,2',
    '٣',
    '99999999999999999999',
    'null',
  ])('is not parsed from %s', (digits) => {
    expect(() => read(`limit=${digits}`)).toThrow('limit must be a whole number from 1 to 100.')
  })
  test('has a default', () => {
    expect(read('').limit).toBe(10)
  })
})

describe('a parameter', () => {
  test('with a single value is rejected if given twice', () => {
    expect(() => read('limit=5&limit=5')).toThrow('limit is given more than once, but takes one value.')
    expect(() => read('limit=5&limit[]=5')).toThrow('limit is given more than once, but takes one value.')
  })
  test.each(['group=a', 'group=', 'group=a&group=b'])('that is not allowed is rejected in any form, such as %s', (query) => {
    expect(() => read(query)).toThrow('group must be left out.')
  })
  test('that is unknown is rejected with the nearest known one', () => {
    expect(() => read('metric=a')).toThrow('"metric" is no parameter of this endpoint. Nearest: metrics.')
    expect(() => read('metrics[0]=a')).toThrow('Nearest: metrics.')
    expect(() => read('__proto__=a')).toThrow('"__proto__" is no parameter')
    expect(() => readParams({}, parseQueryString('a=1'))).toThrow('Nearest: none')
  })
  test('that is unknown is ignored if an endpoint allows it', () => {
    expect(readKnownParams({ big: booleanParam({ description: '', otherwise: false }) }, parseQueryString('_=1&big=true'))).toEqual({
      big: true,
    })
  })
  test('with choices accepts no others', () => {
    expect(read('range=week').range).toBe('week')
    expect(() => read('range=Week')).toThrow('range must be one of day, week.')
    expect(() => read('range=')).toThrow('range must be one of day, week.')
  })
  test('with many choices is rejected with the nearest one, as in a body', () => {
    const declared = { unit: oneOf({ description: 'a unit', choices: ['hour', 'day', 'week', 'month'], otherwise: null }) }
    const expected = 'unit must be one of hour, day, week, month. Nearest: month.'
    expect(() => readParams(declared, parseQueryString('unit=months'))).toThrow(expected)
  })
  test('that is boolean accepts only true and false', () => {
    expect(read('big=false').big).toBe(false)
    for (const other of ['', '1', 'TRUE', 'yes', 'constructor']) expect(() => read(`big=${other}`)).toThrow('big must be true or false.')
  })
  test('that is required must be present', () => {
    const declared = { kind: requiredOneOf({ description: 'a kind', choices: ['x'] }) }
    expect(() => readParams(declared, parseQueryString(''))).toThrow('kind is required: x.')
    expect(() => readParams(declared, parseQueryString('kind='))).toThrow('kind is required: x.')
    expect(readParams(declared, parseQueryString('kind=x'))).toEqual({ kind: 'x' })
  })
  test('of other endpoints is rejected with a message of its own', () => {
    expect(() => read('group=x')).toThrow('group must be left out.')
  })
  test('of text is limited in length', () => {
    expect(read('search=a+b%2B').search).toBe('a b+')
    expect(() => read('search=abcdef')).toThrow('search must be 1 to 5 characters.')
  })
})

test('any query string is parsed into lists of texts', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (query) => {
      for (const values of Object.values(parseQueryString(query))) expect(values.every((value) => typeof value === 'string')).toBe(true)
    }),
  )
})

describe('other parameters', () => {
  const declared = {
    share: decimalParam({ description: 'a share', max: 100 }),
    factor: decimalParam({ description: 'a factor' }),
    from: instant({ description: 'the start' }),
    since: unixSeconds({ description: 'the start' }),
    zone: timezone(),
    every: interval({ description: 'the buckets' }),
    count: integer({ description: 'how many', min: 2, otherwise: null }),
    quorum: quorum(),
    name: text({ description: 'a name' }),
    all: list({ description: 'all' }),
  }
  const value = (query: string) => Object.values(readParams(declared, parseQueryString(query))).find((one) => one !== null && !isEmpty(one))
  const isEmpty = (one: unknown) => Array.isArray(one) && one.length === 0

  test.each([
    ['share=100', 100],
    ['share=0.0000000001', 1e-10],
    ['share=0', 0],
    ['factor=999999999999999.5', 999_999_999_999_999.5],
    ['from=1794650400', 1_794_650_400_000],
    ['from=1794650400000', 1_794_650_400_000],
    ['from=2026-11-14', { date: '2026-11-14' }],
    ['from=2026-11-14T10:00:00Z', 1_794_650_400_000],
    ['since=1794650400.5', 1_794_650_400_500],
    ['since=1794650400.1239999999999', 1_794_650_400_123],
    ['since=0.0000001', 0],
    ['zone=Europe/Berlin', expect.objectContaining({ name: 'Europe/Berlin' })],
    ['every=1', 1],
    ['every=43200', 43_200],
    ['every=month', 'month'],
    ['count=9007199254740991', Number.MAX_SAFE_INTEGER],
    ['quorum=majority', 'majority'],
    ['quorum=3', 3],
    [`name=${'x'.repeat(200)}`, 'x'.repeat(200)],
    [`all=${Array.from({ length: 1000 }, (_, i) => i).join()}`, expect.objectContaining({ length: 1000 })],
  ])('%s is parsed', (query, expected) => {
    expect(value(query)).toEqual(expected)
  })

  const number = 'factor must be a number such as 99.9.'
  const edge =
    'from must be unix seconds, unix milliseconds, an ISO 8601 timestamp with Z or an offset, or a date YYYY-MM-DD, between the years 1970 and 9999.'
  const buckets = 'every must be a whole number of minutes from 1 to 43200, or day, week or month.'
  test.each([
    ['share=100.1', 'share must be a number from 0 to 100.'],
    ['share=-1', 'share must be a number from 0 to 100.'],
    ['share=', 'share must be a number from 0 to 100.'],
    ['factor=1.', number],
    ['factor=.5', number],
    ['factor=1e3', number],
    ['factor=1234567890123456', number],
    ['from=2026-11-14T10:00:00', edge],
    ['from=', edge],
    ['since=2026-11-14', 'since must be unix seconds.'],
    ['since=179465040000', 'since must be unix seconds.'],
    ['since=000000000001', 'since must be unix seconds.'],
    ['share=0.00000000001', 'share must be a number from 0 to 100.'],
    ['every=0', buckets],
    ['every=43201', buckets],
    ['every=1.5', buckets],
    ['every=year', buckets],
    ['every=', buckets],
    ['count=1', 'count must be a whole number from 2.'],
    ['count=99999999999999999', 'count must be a whole number from 2.'],
    ['count=9007199254740992', 'count must be a whole number from 2.'],
    ['count=-2', 'count must be a whole number from 2.'],
    ['quorum=0', 'quorum must be a whole number from 1, or majority.'],
    ['quorum=most', 'quorum must be a whole number from 1, or majority.'],
    ['quorum=9007199254740992', 'quorum must be a whole number from 1, or majority.'],
    [`name=${'x'.repeat(201)}`, 'name must be 1 to 200 characters.'],
    [`all=${Array.from({ length: 1001 }, (_, i) => i).join()}`, 'all must be a list of at most 1000 values.'],
  ])('%s is rejected', (query, message) => {
    expect(() => value(query)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMETER', message }))
  })

  test('an unknown zone is rejected with the nearest ones', () => {
    expect(() => value('zone=Europe/Berln')).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_TIMEZONE', message: expect.stringContaining('Europe/Berlin') }),
    )
  })
})

test.each([
  ['a=%zz', { a: ['%zz'] }],
  ['a=%zz+b', { a: ['%zz b'] }],
  ['a', { a: [''] }],
  ['=b', { '': ['b'] }],
  ['a=b=c', { a: ['b=c'] }],
  ['a%3Db=c', { 'a=b': ['c'] }],
  ['a=%2B+', { a: ['+ '] }],
  ['a[]=1&a=2', { a: ['1', '2'] }],
  ['', {}],
])('the query string %s is parsed as %j', (query, values) => {
  expect(parseQueryString(query)).toEqual(Object.assign(Object.create(null), values))
})
