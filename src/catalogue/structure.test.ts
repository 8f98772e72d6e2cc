import { Type } from 'typebox'
import { expect, test } from 'vitest'
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
])('a value of the wrong kind is told what it must be (%#)', (field, expected) => {
  expect(structureFindings(Type.Object({ field }), { field: null }, [])).toEqual([
    { path: ['field'], at: 'value', text: `field must be ${expected}` },
  ])
})
