import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  booleanParam,
  integer,
  list,
  listOf,
  oneOf,
  parseQueryString,
  readKnownParams,
  readParams,
  refused,
  requiredOneOf,
  text,
} from './params.ts'

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
  test('is empty where it is not given', () => {
    expect(read('').metrics).toEqual([])
  })
  test('of choices takes no other', () => {
    expect(read('colours=blue,red').colours).toEqual(['blue', 'red'])
    expect(() => read('colours=green')).toThrow('colours must be a list of red, blue.')
  })
})

describe('a whole number', () => {
  test.each(['1', '100', '007'])('is read from the plain digits %s', (digits) => {
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
  ])('is not read from %s', (digits) => {
    expect(() => read(`limit=${digits}`)).toThrow('limit must be a whole number from 1 to 100.')
  })
  test('is its default where it is not given', () => {
    expect(read('').limit).toBe(10)
  })
})

describe('a parameter', () => {
  test('that takes one value is refused when given twice', () => {
    expect(() => read('limit=5&limit=5')).toThrow('limit is given more than once, but takes one value.')
    expect(() => read('limit=5&limit[]=5')).toThrow('limit is given more than once, but takes one value.')
  })
  test('that is not known is refused with the nearest that is', () => {
    expect(() => read('metric=a')).toThrow('"metric" is no parameter of this endpoint. Nearest: metrics.')
    expect(() => read('metrics[0]=a')).toThrow('Nearest: metrics.')
    expect(() => read('__proto__=a')).toThrow('"__proto__" is no parameter')
    expect(() => readParams({}, parseQueryString('a=1'))).toThrow('Nearest: none')
  })
  test('that is unknown is ignored where an endpoint allows it', () => {
    expect(readKnownParams({ big: booleanParam({ description: '', otherwise: false }) }, parseQueryString('_=1&big=true'))).toEqual({
      big: true,
    })
  })
  test('that is one of some takes no other', () => {
    expect(read('range=week').range).toBe('week')
    expect(() => read('range=Week')).toThrow('range must be one of day, week.')
    expect(() => read('range=')).toThrow('range must be one of day, week.')
  })
  test('that is true or false is nothing else', () => {
    expect(read('big=false').big).toBe(false)
    for (const other of ['', '1', 'TRUE', 'yes', 'constructor']) expect(() => read(`big=${other}`)).toThrow('big must be true or false.')
  })
  test('that is required must be there', () => {
    const declared = { kind: requiredOneOf({ description: 'a kind', choices: ['x'] }) }
    expect(() => readParams(declared, parseQueryString(''))).toThrow('kind is required: x.')
    expect(() => readParams(declared, parseQueryString('kind='))).toThrow('kind is required: x.')
    expect(readParams(declared, parseQueryString('kind=x'))).toEqual({ kind: 'x' })
  })
  test('that only other endpoints have is rejected with its own message', () => {
    expect(() => read('group=x')).toThrow('group must be left out.')
  })
  test('of text is limited in length', () => {
    expect(read('search=a+b%2B').search).toBe('a b+')
    expect(() => read('search=abcdef')).toThrow('search must be at most 5 characters.')
  })
})

test('whatever a query string holds, reading it gives lists of texts', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (query) => {
      for (const values of Object.values(parseQueryString(query))) expect(values.every((value) => typeof value === 'string')).toBe(true)
    }),
  )
})
