import { expect, test } from 'vitest'
import { bulkText } from './bulk-text.ts'

const nameOf = (id: string) => id.toUpperCase()
const failed = (ids: readonly string[]) => ids.map((id) => ({ id, faults: [{ pointer: '', message: 'It is in use.' }] }))

test('states the outcome for all selected checks', () => {
  expect(bulkText({ changed: 1, unchanged: 2, definedInFile: 1, failed: [] }, nameOf)).toBe(
    '1 check changed. 2 checks already had it. 1 check in the config file skipped.',
  )
  expect(bulkText({ deleted: ['a', 'b'], definedInFile: 0, failed: failed(['c']) }, nameOf)).toBe('2 checks deleted. C: It is in use.')
})

test('of many failed checks the first are named', () => {
  expect(bulkText({ changed: 0, definedInFile: 0, failed: failed(['a', 'b', 'c', 'd', 'e']) }, nameOf)).toBe(
    '0 checks changed. A: It is in use. B: It is in use. C: It is in use. And 2 more.',
  )
})

test('a check without details of its fault is still named', () => {
  expect(bulkText({ changed: 1, definedInFile: 0, failed: [{ id: 'a', faults: [] }] }, nameOf)).toBe('1 check changed. A: ')
  expect(bulkText({ definedInFile: 0, failed: failed(['a', 'b', 'c']) }, nameOf)).toBe(
    '0 checks changed. A: It is in use. B: It is in use. C: It is in use.',
  )
})
