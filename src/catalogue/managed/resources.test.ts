import { expect, test } from 'vitest'
import { createResourceIndex, withChanges } from './resources.ts'

const ref = (id: string, account = 'acme') => ({ kind: 'thing', account, id })
const added = (id: string, createdAt: number, account = 'acme') => {
  const of = ref(id, account)
  return { ...of, resource: { ...of, version: 1, definition: {}, createdAt, updatedAt: createdAt } }
}

test('a list is in order of creation, and the same object until one of its resources changes', () => {
  const index = createResourceIndex()
  index.apply([added('10', 5), added('9', 5), added('1', 7), added('2', 1, 'other')])
  const list = index.list('thing', 'acme')
  expect(list.map(({ id }) => id)).toEqual(['9', '10', '1'])
  index.apply([added('3', 2, 'other')])
  expect(index.list('thing', 'acme')).toBe(list)
  index.apply([{ ...ref('9'), resource: null }])
  expect(index.list('thing', 'acme').map(({ id }) => id)).toEqual(['10', '1'])
  expect([index.find(ref('9')), index.find(ref('2')), index.find(ref('2', 'other'))?.id]).toEqual([undefined, undefined, '2'])
})

test('planned changes are visible only in their view', () => {
  const index = createResourceIndex()
  index.apply([added('1', 1), added('2', 2)])
  const view = withChanges(index, [{ ...ref('1'), resource: null }, added('3', 0)])
  expect(view.list('thing', 'acme').map(({ id }) => id)).toEqual(['3', '2'])
  expect([view.find(ref('1')), view.find(ref('2'))?.id, view.find(ref('3'))?.id]).toEqual([undefined, '2', '3'])
  expect(index.list('thing', 'acme').map(({ id }) => id)).toEqual(['1', '2'])
})
