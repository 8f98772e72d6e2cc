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

test('structural violations are reported first', () => {
  expect(structureFindings(schema, { pairs: [{ count: 'x' }, { count: 3 }] }, [])).toEqual([
    { path: ['pairs', 0, 'count'], at: 'value', text: 'pairs[0].count must be a whole number' },
  ])
})
