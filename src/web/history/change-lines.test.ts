import { expect, test } from 'vitest'
import { actionWord, changeLines, checkName, fieldsText } from './change-lines.ts'

test('a change shows the path of its field, and the values before and after', () => {
  expect(
    changeLines([
      { pointer: '/request/headers/x~1y~0', before: 'a', after: 'b' },
      { pointer: '/muted', after: true },
      { pointer: '/tags/0', before: 'old' },
    ]),
  ).toEqual([
    { field: 'request › headers › x/y~', before: 'a', after: 'b' },
    { field: 'muted', before: null, after: 'true' },
    { field: 'tags › 0', before: 'old', after: null },
  ])
})

test('a whole definition is listed by field, and a truncated one unchanged', () => {
  expect(changeLines([{ pointer: '', after: { name: 'Shop', tags: ['a'] } }])).toEqual([
    { field: 'name', before: null, after: 'Shop' },
    { field: 'tags', before: null, after: '["a"]' },
  ])
  expect(changeLines([{ pointer: '', after: '{"name":…' }])).toEqual([{ field: 'definition', before: null, after: '{"name":…' }])
})

test.each([
  ['create', [{ pointer: '', after: {} }], 'added'],
  ['delete', [], 'deleted'],
  ['restore', [{ pointer: '/name', before: 'a', after: 'b' }], 'restored'],
  ['update', [{ pointer: '/name', before: 'a', after: 'b' }], 'changed'],
  ['update', [{ pointer: '/activated', after: false }], 'paused'],
  ['update', [{ pointer: '/activated', before: false, after: true }], 'resumed'],
  ['update', [{ pointer: '/activated', before: false }], 'resumed'],
  ['update', [{ pointer: '/muted', after: true }], 'muted'],
  ['update', [{ pointer: '/muted', before: true }], 'unmuted'],
  [
    'update',
    [
      { pointer: '/muted', after: true },
      { pointer: '/activated', after: false },
    ],
    'changed',
  ],
] as const)('%s with %j is shown as %3$s', (action, changes, word) => expect(actionWord({ action, changes: [...changes] })).toBe(word))

test('a deleted check is shown by its last name', () => {
  const changes = [{ pointer: '/name', before: 'Shop' }]
  expect(checkName({ id: 'a', name: 'Now', changes })).toBe('Now')
  expect(checkName({ id: 'a', name: null, changes })).toBe('Shop')
  expect(checkName({ id: 'a', name: null, changes: [] })).toBe('a')
})

test('of many fields the first are listed', () => {
  const lines = ['a', 'b', 'c', 'd', 'e'].map((field) => ({ field, before: null, after: '' }))
  expect(fieldsText(lines)).toBe('a, b, c and 2 more')
  expect(fieldsText(lines.slice(0, 2))).toBe('a, b')
})
