import { describe, expect, test } from 'vitest'
import { Type } from '../../schema/typebox.ts'
import { array, choice, fieldOf, object, objectSchema, optional, readObject, string, withDefault } from './fields.ts'

const fields = {
  names: optional(array(string('a name', 5), { min: 1, max: 3 })),
  ids: optional(array(fieldOf(Type.Integer({ minimum: 0, maximum: 9 })))),
  share: optional(fieldOf(Type.Number({ minimum: 1, maximum: 99.5 }))),
  big: withDefault(fieldOf(Type.Boolean()), false),
  range: withDefault(choice(['day', 'week', 'month', 'year']), 'day'),
  only: optional(choice(['this'])),
  side: optional(choice(['up', 'down'])),
  text: withDefault(string(), ''),
  inner: optional(object({ metric: string('a metric'), isUp: optional(fieldOf(Type.Boolean())) })),
}
const absent = { names: null, ids: null, share: null, big: false, range: 'day', only: null, side: null, text: '', inner: null }
const read = (body: unknown) => readObject(fields, body)
const refusal = (code: string, message: string) => expect.objectContaining({ code, message })

test.each([
  [{}, {}],
  [
    { names: ['a', 'bcdef', 'a'], ids: [] },
    { names: ['a', 'bcdef'], ids: [] },
  ],
  [{ share: 1 }, { share: 1 }],
  [{ share: 99.5 }, { share: 99.5 }],
  [{ ids: [9, 0, 9] }, { ids: [9, 0] }],
  [
    { big: true, range: 'year', only: 'this', side: 'down' },
    { big: true, range: 'year', only: 'this', side: 'down' },
  ],
  [{ text: 'x'.repeat(200) }, { text: 'x'.repeat(200) }],
  [{ inner: { metric: 'p95' } }, { inner: { metric: 'p95', isUp: null } }],
  [{ inner: { metric: 'p95', isUp: false } }, { inner: { metric: 'p95', isUp: false } }],
])('the body %j is parsed', (body, parsed) => {
  expect(read(body)).toEqual({ ...absent, ...parsed })
})

describe('a body is rejected', () => {
  test.each([
    [null, 'The body must be an object.'],
    [[], 'The body must be an object.'],
    ['text', 'The body must be an object.'],
    [{ names: [] }, 'names must be a list of 1 to 3 items.'],
    [{ names: ['a', 'b', 'c', 'd'] }, 'names must be a list of 1 to 3 items.'],
    [{ names: { length: 1 } }, 'names must be a list of 1 to 3 items.'],
    [{ names: null }, 'names must be a list of 1 to 3 items.'],
    [{ names: ['a', ''] }, 'names[1] must be a name, of at most 5 characters.'],
    [{ names: ['abcdef'] }, 'names[0] must be a name, of at most 5 characters.'],
    [{ names: ['a', 'b', 3] }, 'names[2] must be a name, of at most 5 characters.'],
    [{ ids: Array.from({ length: 1001 }, () => 1) }, 'ids must be a list of 0 to 1000 items.'],
    [{ ids: [1.5] }, 'ids[0] must be a whole number from 0 to 9.'],
    [{ ids: [-1] }, 'ids[0] must be a whole number from 0 to 9.'],
    [{ ids: [10] }, 'ids[0] must be a whole number from 0 to 9.'],
    [{ ids: ['1'] }, 'ids[0] must be a whole number from 0 to 9.'],
    [{ share: 0.9 }, 'share must be a number from 1 to 99.5.'],
    [{ share: 99.6 }, 'share must be a number from 1 to 99.5.'],
    [{ share: null }, 'share must be a number from 1 to 99.5.'],
    [{ big: 'true' }, 'big must be true or false.'],
    [{ big: null }, 'big must be true or false.'],
    [{ range: 'weak' }, 'range must be one of day, week, month, year. Nearest: week.'],
    [{ range: 5 }, 'range must be one of day, week, month, year.'],
    [{ only: 'that' }, 'only must be this.'],
    [{ side: 'left' }, 'side must be one of up, down.'],
    [{ text: '' }, 'text must be text, of at most 200 characters.'],
    [{ text: 'x'.repeat(201) }, 'text must be text, of at most 200 characters.'],
    [{ inner: 'p95' }, 'inner must be an object.'],
    [{ inner: null }, 'inner must be an object.'],
    [{ inner: {} }, 'inner.metric must be a metric, of at most 200 characters.'],
    [{ inner: { metric: 'p95', isUp: 1 } }, 'inner.isUp must be true or false.'],
  ])('%j: %s', (body, message) => {
    expect(() => read(body)).toThrow(refusal('INVALID_PARAMETER', message))
  })

  test.each([
    [{ rnge: 'day' }, '"rnge" is no property of this body. Nearest: range.'],
    [{ inner: { metrics: 'p95' } }, '"metrics" is no property of this body. Nearest: metric.'],
    [JSON.parse('{"__proto__": 1}'), expect.stringMatching(/^"__proto__" is no property of this body\./)],
  ])('%j: %s', (body, message) => {
    expect(() => read(body)).toThrow(refusal('UNKNOWN_PROPERTY', message))
  })
})

test('the schema of a body is equivalent', () => {
  expect(objectSchema(fields)).toEqual({
    type: 'object',
    additionalProperties: false,
    properties: {
      names: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 5 }, minItems: 1, maxItems: 3 },
      ids: { type: 'array', items: { type: 'integer', minimum: 0, maximum: 9 }, maxItems: 1000 },
      share: { type: 'number', minimum: 1, maximum: 99.5 },
      big: { type: 'boolean', default: false },
      range: { type: 'string', enum: ['day', 'week', 'month', 'year'], default: 'day' },
      only: { type: 'string', enum: ['this'] },
      side: { type: 'string', enum: ['up', 'down'] },
      text: { type: 'string', minLength: 1, maxLength: 200, default: '' },
      inner: {
        type: 'object',
        additionalProperties: false,
        properties: { metric: { type: 'string', minLength: 1, maxLength: 200 }, isUp: { type: 'boolean' } },
      },
    },
  })
})
