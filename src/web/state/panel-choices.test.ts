import { expect, test } from 'vitest'
import { hiddenChange, hiddenLines, isTable, tableChange } from './panel-choices.ts'

const changed = (query: URLSearchParams, changes: Record<string, string | null>) => {
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) value === null ? next.delete(name) : next.set(name, value)
  return next
}

test('a panel is shown as a table until it is switched back to a chart', () => {
  const none = new URLSearchParams()
  const one = changed(none, tableChange(none, 'main'))
  const two = changed(one, tableChange(one, 'phases'))
  expect([isTable(none, 'main'), isTable(two, 'main'), isTable(two, 'phases'), isTable(two, 'main2')]).toEqual([false, true, true, false])
  expect(String(changed(one, tableChange(one, 'main')))).toBe('')
})

test('any label can be hidden in its own panel, and shown again', () => {
  let query = new URLSearchParams()
  const labels = ['p99', '/a,b:c?d=100%', 'main:p99', '']
  for (const label of labels) query = changed(query, hiddenChange(query, 'main', label))
  query = new URLSearchParams(String(query))
  expect([...hiddenLines(query, 'main')]).toEqual(labels)
  expect([...hiddenLines(query, 'phases')]).toEqual([])
  for (const label of labels) query = changed(query, hiddenChange(query, 'main', label))
  expect(String(query)).toBe('')
})

test('an invalid label is kept unchanged', () => {
  expect([...hiddenLines(new URLSearchParams({ hidden: 'main:%E0%A4%A' }), 'main')]).toEqual(['%E0%A4%A'])
})
