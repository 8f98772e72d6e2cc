import { expect, test } from 'vitest'
import { anyRunType } from '../../test/support/example-config.ts'
import { calm } from '../../test/support/results.ts'
import { temporaryStore } from '../../test/support/temporary-store.ts'
import { checkTypes } from '../checks/registry.ts'
import { type Latest, type NewResult, StoreUnavailable } from '../store/store.ts'
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
const aggregate = async () => ({ groups: [], results: 0, bounds: [] })
const cardinalityOver = (latest: Latest) => createCardinality({ store: { latest: async () => [latest], aggregate }, limits: () => limits })

test('a result beyond the limit of locations is rejected with the reason, and results of known locations are accepted', () => {
  const admit = cardinalityOver(stored).of(check, anyRunType())
  for (const location of ['a', 'b', 'c', 'a']) expect(admit(resultAt(location))).toBeUndefined()
  expect(admit(resultAt('d'))).toEqual({
    code: 'TOO_MANY_VALUES',
    message:
      'Results of this check already have 3 different values of runLocation. Send one of those, or raise limits.locations in the config file.',
  })
  expect(admit(resultAt('b'))).toBeUndefined()
})

test('locations of stored results count', async () => {
  const results = ['x', 'y', 'z'].map((location) => ({ ...resultAt(location), id: location }))
  const cardinality = cardinalityOver({ ...stored, byLocation: results })
  cardinality.of(check, anyRunType())
  await expect.poll(() => cardinality.of(check, anyRunType())(resultAt('new'))?.code).toBe('TOO_MANY_VALUES')
  expect(cardinality.of(check, anyRunType())(resultAt('x'))).toBeUndefined()
})

test.runIf(grouped)('a result beyond the limit of status codes is rejected with the reason, and adds no location', () => {
  const admit = cardinalityOver(stored).of(check, grouped ?? anyRunType())
  for (const code of [200, 503, 200]) expect(admit(resultAt('a', { [field]: code }))).toBeUndefined()
  expect(admit(resultAt('b', { [field]: 404 }))?.message).toContain(`2 different values of ${field}`)
  for (const location of ['c', 'd']) expect(admit(resultAt(location))).toBeUndefined()
})

test.runIf(grouped)('status codes of stored results count after a restart', async () => {
  const { store, reopen } = await temporaryStore()
  const resultWith = (code: number) => ({ ...resultAt('a', { [field]: code }), startedAt: code })
  const codes = Array.from({ length: 30 }, (_, i) => 400 + i)
  await store.append(codes.map((code) => ({ check, result: resultWith(code) })))
  const reopened = await reopen()
  const admit = createCardinality({ store: reopened, limits: () => ({ locations: 3, statusCodes: 40 }) }).of(check, grouped ?? anyRunType())
  let next = 500
  while (next < 520) expect(admit(resultWith(next++))).toBeUndefined()
  await expect.poll(() => admit(resultWith(next++))?.message ?? '').toContain(`40 different values of ${field}`)
  for (const code of [...codes, 500]) expect(admit(resultWith(code))).toBeUndefined()
})

test.runIf(grouped)('the store is not queried for a check with few status codes, and queried again after an error', async () => {
  let asked = 0
  const store = {
    latest: async () => [stored],
    aggregate: async () => {
      asked += 1
      throw new StoreUnavailable('busy', 1)
    },
  }
  const admit = createCardinality({ store, limits: () => ({ locations: 3, statusCodes: 40 }) }).of(check, grouped ?? anyRunType())
  for (let code = 400; code < 419; code++) admit(resultAt('a', { [field]: code }))
  expect(asked).toBe(0)
  admit(resultAt('a', { [field]: 500 }))
  expect(asked).toBe(1)
  let next = 501
  const askedAfterAnother = () => {
    admit(resultAt('a', { [field]: next++ }))
    return asked
  }
  await expect.poll(askedAfterAnother).toBeGreaterThan(1)
})

test.runIf(grouped)('the store is queried once for the status codes of a check, even before it has answered', async () => {
  let asked = 0
  const store = {
    latest: async () => [stored],
    aggregate: () => {
      asked += 1
      return aggregate()
    },
  }
  const admit = createCardinality({ store, limits: () => ({ locations: 3, statusCodes: 100 }) }).of(check, grouped ?? anyRunType())
  for (let code = 400; code < 430; code++) admit(resultAt('a', { [field]: code }))
  expect(asked).toBe(1)
  await new Promise((resolve) => setImmediate(resolve))
  for (let code = 430; code < 450; code++) admit(resultAt('a', { [field]: code }))
  expect(asked).toBe(1)
})
