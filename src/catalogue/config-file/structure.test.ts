import { expect, test } from 'vitest'
import { Type } from '../../schema/typebox.ts'
import { structureFindings } from './structure.ts'

const even = Type.Refine(
  Type.Object({ count: Type.Integer() }),
  ({ count }) => count % 2 === 0,
  ({ count }) => `${count} is odd`,
)
const schema = Type.Object({ pairs: Type.Array(even) })

test('a violated refinement is reported at its path, with the message of the schema', () => {
  expect(structureFindings(schema, { pairs: [{ count: 2 }, { count: 3 }] }, ['accounts', 0])).toEqual([
    { path: ['accounts', 0, 'pairs', 1], at: 'value', text: 'accounts[0].pairs[1]: 3 is odd' },
  ])
})

test('structural violations and violated refinements are reported together', () => {
  expect(structureFindings(schema, { pairs: [{ count: 'x' }, { count: 3 }] }, [])).toEqual([
    { path: ['pairs', 0, 'count'], at: 'value', text: 'pairs[0].count must be a whole number' },
    { path: ['pairs', 1], at: 'value', text: 'pairs[1]: 3 is odd' },
  ])
})

test.each([
  [Type.String({ minLength: 1 }), 'text of at least 1 character'],
  [Type.String({ minLength: 2 }), 'text of at least 2 characters'],
  [Type.String(), 'text'],
  [Type.Integer({ minimum: 1 }), 'a whole number from 1'],
  [Type.Number({ minimum: 0, maximum: 1 }), 'a number from 0 to 1'],
  [Type.Boolean(), 'true or false'],
  [Type.Enum(['a', 'b']), 'one of a, b'],
  [Type.Union([Type.Literal('a'), Type.Literal('b')]), 'one of a, b'],
  [Type.Union([Type.Integer(), Type.Boolean()]), 'a whole number or true or false'],
  [Type.Array(Type.String()), 'a list'],
  [Type.Number({ minimum: 2 }), 'a number from 2'],
  [Type.Union([Type.Literal('a'), Type.Integer()]), 'text or a whole number'],
  [Type.Object({ a: Type.Integer(), b: Type.Integer() }), 'a mapping with a, b'],
  [Type.Record(Type.String(), Type.String()), 'a mapping of names to text'],
  [Type.String({ description: 'a colour' }), 'a colour'],
])('the expected type of a wrong value is stated (%#)', (field, expected) => {
  expect(structureFindings(Type.Object({ field }), { field: null }, [])).toEqual([
    { path: ['field'], at: 'value', text: `field must be ${expected}` },
  ])
})

test('values of a record are each reported at their key', () => {
  const headers = Type.Object({ headers: Type.Record(Type.String(), Type.String()) })
  expect(structureFindings(headers, { headers: { a: 'x', b: 7, c: true } }, ['checks', 0])).toEqual([
    { path: ['checks', 0, 'headers', 'b'], at: 'value', text: 'checks[0].headers.b must be text (put it in quotes)' },
    { path: ['checks', 0, 'headers', 'c'], at: 'value', text: 'checks[0].headers.c must be text (put it in quotes)' },
  ])
  expect(structureFindings(headers, { headers: { a: 'x', b: 'y' } }, [])).toEqual([])
})

test('quotes are suggested only where they would make the value valid', () => {
  const texts = (value: unknown, field = Type.String({ pattern: '^[0-9]{3}$' })) =>
    structureFindings(Type.Object({ field }), { field: value }, []).map(({ text }) => text.endsWith('(put it in quotes)'))
  expect(texts(200)).toEqual([true])
  expect(texts(20)).toEqual([false])
  expect(texts(null)).toEqual([false])
  expect(texts('20')).toEqual([false])
})

test('an unknown name in a mapping without properties has no suggestion', () => {
  const [finding] = structureFindings(Type.Object({}, { additionalProperties: false }), { colour: 1 }, [])
  expect(finding?.text).toBe('colour is not a known setting here')
})

test('an unknown property is reported at its name, and a missing one at its value', () => {
  const schema = Type.Object({ colour: Type.String() }, { additionalProperties: false })
  expect(structureFindings(schema, { color: 'red' }, ['a'])).toEqual([
    { path: ['a', 'colour'], at: 'value', text: 'a.colour is missing: it must be text' },
    { path: ['a', 'color'], at: 'name', text: 'a.color is not a known setting here; did you mean colour?' },
  ])
  expect(structureFindings(Type.Object({ colour: Type.String() }), { colour: 'red', more: 1 }, [])).toEqual([])
})

test('a list that is too long is reported without validating its items, along with other faults', () => {
  const items = { checked: 0 }
  const counted = Type.Refine(
    Type.Object({}),
    () => ++items.checked > 0,
    () => '',
  )
  const within = Type.Object({ request: Type.Object({ list: Type.Array(counted, { maxItems: 2 }) }), name: Type.String() })
  expect(structureFindings(within, { request: { list: [{}, {}, {}] }, name: 7 }, [])).toMatchObject([
    { path: ['request', 'list'], text: 'request.list must be a list with at most 2 in it' },
    { path: ['name'] },
  ])
  expect(items.checked).toBe(0)
  expect(structureFindings(within, { request: { list: [{}, {}] }, name: 'x' }, [])).toEqual([])
})

test('a violated refinement of a list is reported at the list, without validating its items', () => {
  const short = Type.Refine(
    Type.Array(even),
    (list) => list.length < 3,
    (list) => `${list.length} are too many`,
  )
  expect(structureFindings(Type.Object({ short }), { short: [1, 2, 3] }, [])).toEqual([
    { path: ['short'], at: 'value', text: 'short: 3 are too many' },
  ])
})

test('a duplicate item is reported at its later positions', () => {
  const names = Type.Array(Type.String(), { uniqueItems: true })
  expect(structureFindings(names, ['a', 'b', 'a', 'a'], ['names']).map(({ text }) => text)).toEqual([
    'names[2] is listed twice',
    'names[3] is listed twice',
  ])
})
