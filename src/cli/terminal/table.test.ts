import { expect, test } from 'vitest'
import { alignedTable } from './table.ts'

const rows = [
  ['shop', 'a very long name of a check', '12'],
  ['router', 'short', '3'],
]

test('a table outside a terminal is not truncated', () => {
  expect(alignedTable(['id', 'name', 'runs'], rows, { right: new Set([2]) })).toBe(
    'id      name                         runs\nshop    a very long name of a check    12\nrouter  short                           3\n',
  )
})

test('the widest text is truncated to the width of the terminal, and numbers never are', () => {
  const table = alignedTable(['id', 'name', 'runs'], rows, { right: new Set([2]), width: 30 })
  expect(table).toBe('id      name              runs\nshop    a very long nam…    12\nrouter  short                3\n')
  const narrow = alignedTable(['id', 'name', 'runs'], rows, { right: new Set([2]), width: 5 })
  expect(narrow).toContain('a very …    12')
})

test('wide characters take two columns', () => {
  const [head, first, second] = alignedTable(
    ['name', 'n'],
    [
      ['状態', '1'],
      ['état', '2'],
    ],
  ).split('\n')
  expect([head, first, second]).toEqual(['name  n', '状態  1', 'état  2'])
})

test('a terminal that does not know its width does not truncate', () => {
  expect(alignedTable(['id', 'name', 'runs'], rows, { width: 0 })).toContain('a very long name of a check')
})

test('control characters, which could change the terminal, are removed', () => {
  expect(alignedTable(['name', 'n'], [['a\u001b[31m\nb', '1']])).toBe('name      n\na [31m b  1\n')
})

test('a table may have any number of rows', () => {
  const many = Array.from({ length: 200_000 }, (_, i) => [String(i)])
  expect(alignedTable(['n'], many).length).toBeGreaterThan(1_000_000)
})
