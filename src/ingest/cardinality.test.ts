import { expect, test } from 'vitest'
import { anyRunType } from '../../test/support/example-config.ts'
import { calm } from '../../test/support/results.ts'
import { checkTypes } from '../checks/registry.ts'
import type { Latest, NewResult } from '../store/store.ts'
import { createCardinality } from './cardinality.ts'

const check = { account: 'acme', checkId: 'homepage' }
const limits = { locations: 3, statusCodes: 2 }
const stored: Latest = { revision: '1', byLocation: [] }
const grouped = checkTypes.find(({ groupBy }) => groupBy.some(({ by }) => by === 'field'))
const field = grouped?.groupBy.find(({ by }) => by === 'field')?.name ?? ''

const resultAt = (runLocation: string, values: NewResult['values'] = {}): NewResult => ({
  ...calm,
  id: null,
  startedAt: 0,
  runLocation,
  values,
  pages: [],
})
const cardinalityOver = (latest: Latest) => createCardinality({ store: { latest: async () => [latest] }, limits: () => limits })

test('a result of one location too many is rejected with its reason, and results of known ones are not', () => {
  const admit = cardinalityOver(stored).of(check, anyRunType())
  for (const location of ['a', 'b', 'c', 'a']) expect(admit(resultAt(location))).toBeUndefined()
  expect(admit(resultAt('d'))).toEqual({
    code: 'TOO_MANY_VALUES',
    message:
      'Results of this check have 3 different values of runLocation already. Send one of those, or raise limits.locations in the config file.',
  })
  expect(admit(resultAt('b'))).toBeUndefined()
})

test('the locations of stored results count', async () => {
  const results = ['x', 'y', 'z'].map((location) => ({ ...resultAt(location), id: location }))
  const cardinality = cardinalityOver({ ...stored, byLocation: results })
  cardinality.of(check, anyRunType())
  await expect.poll(() => cardinality.of(check, anyRunType())(resultAt('new'))?.code).toBe('TOO_MANY_VALUES')
  expect(cardinality.of(check, anyRunType())(resultAt('x'))).toBeUndefined()
})

test.runIf(grouped)('a result of one status code too many is rejected with its reason, and adds no location', () => {
  const admit = cardinalityOver(stored).of(check, grouped ?? anyRunType())
  for (const code of [200, 503, 200]) expect(admit(resultAt('a', { [field]: code }))).toBeUndefined()
  expect(admit(resultAt('b', { [field]: 404 }))?.message).toContain(`2 different values of ${field} already`)
  for (const location of ['c', 'd']) expect(admit(resultAt(location))).toBeUndefined()
})
