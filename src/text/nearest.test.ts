import { expect, test } from 'vitest'
import { similar } from './nearest.ts'

test.each([
  ['alertChannels', 'activated'],
  ['pingToken', 'name'],
  ['period', 'id'],
  ['grace', 'name'],
])('%s is no misspelling of %s', (name, known) => {
  expect(similar(name, [known])).toEqual([])
})

test.each([
  ['frequenzy', 'frequency'],
  ['maxResponsetime', 'maxResponseTime'],
  ['location', 'locations'],
  ['tag', 'tags'],
  ['retrys', 'retry'],
])('%s may be %s', (name, known) => {
  expect(similar(name, ['activated', known])).toEqual([known])
})
