import { expect, test } from 'vitest'
import { nearest, similar } from './nearest.ts'

test.each([
  ['alertChannels', 'activated'],
  ['pingToken', 'name'],
  ['period', 'id'],
  ['grace', 'name'],
])('%s is not similar to %s', (name, known) => {
  expect(similar(name, [known])).toEqual([])
})

test.each([
  ['frequenzy', 'frequency'],
  ['maxResponsetime', 'maxResponseTime'],
  ['location', 'locations'],
  ['tag', 'tags'],
  ['retrys', 'retry'],
])('%s is similar to %s', (name, known) => {
  expect(similar(name, ['activated', known])).toEqual([known])
})

test('only the beginning of a long name is compared, in bounded time', () => {
  const long = `responseTime${'x'.repeat(1_000_000)}`
  const candidates = Array.from({ length: 1000 }, (_, i) => `candidate${i}${'y'.repeat(1000)}`)
  for (let times = 0; times < 20; times++) {
    expect(nearest(long, ['wait', 'responseTime', ...candidates], 1)).toEqual(['responseTime'])
    expect(similar(long, ['wait', ...candidates])).toEqual([])
  }
})
