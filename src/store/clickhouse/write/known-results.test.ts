import { expect, test } from 'vitest'
import { dayMs } from '../../../time.ts'
import { searchedTogether } from './known-results.ts'

const groupsOf = (starts: readonly number[]) => searchedTogether(starts, (start) => start)

test('a late result is searched for by itself', () => {
  expect(groupsOf([400 * dayMs, 1, 400 * dayMs + 5])).toEqual([[1], [400 * dayMs, 400 * dayMs + 5]])
})

test('many results are searched for in several statements, and so are many gaps, up to some', () => {
  expect(groupsOf(Array.from({ length: 4500 }, (_, i) => i)).map(({ length }) => length)).toEqual([2000, 2000, 500])
  expect(groupsOf(Array.from({ length: 200 }, (_, i) => i * 2 * dayMs))).toHaveLength(31)
})
