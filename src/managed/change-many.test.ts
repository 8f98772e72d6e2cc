import { expect, test } from 'vitest'
import { apiError } from '../errors.ts'
import { type Changer, changeMany } from './change-many.ts'
import { invalidDefinition } from './writing.ts'

type Planned = Parameters<Changer<{ change: never }>['write']>[0][number]
const planned = (id: string) => ({ change: { id } }) as unknown as Planned
const unused = () => expect.unreachable()
const ids = (count: number) => Array.from({ length: count }, (_, i) => `check-${i}`)
const faults = Array.from({ length: 9 }, (_, i) => ({ pointer: `/headers/${i}`, message: 'is no text' }))

test('checks are written in batches, without those that stay as they are and those that cannot be changed', async () => {
  const batches: number[] = []
  const done = await changeMany(ids(450), {
    plan: (id) => {
      if (id === 'check-7') throw invalidDefinition(faults)
      if (id === 'check-8') throw apiError('CHECK_NOT_FOUND')
      return id === 'check-9' ? null : planned(id)
    },
    write: async (some) => batches.push(some.length) > 0,
    changeOne: unused,
  })
  expect(batches).toEqual([197, 200, 50])
  expect(done).toEqual({
    changed: 447,
    failures: 2,
    failed: [
      { id: 'check-7', faults: faults.slice(0, 5) },
      { id: 'check-8', faults: [{ pointer: '', message: 'There is no such check in this account.' }] },
    ],
  })
})

test.each<[string, () => Promise<boolean>]>([
  ['another writer was faster', async () => false],
  ['one of them has no room', async () => Promise.reject(apiError('BULK_CHANGE_UNDER_WAY'))],
])('where %s, the checks of a batch are written one by one', async (_, write) => {
  const changeOne = async (id: string) => {
    if (id === 'check-1') throw apiError('CHECK_NOT_FOUND')
    return id !== 'check-2'
  }
  const { changed, failures, failed } = await changeMany(ids(5), { plan: planned, write, changeOne })
  expect([changed, failures, failed.map(({ id }) => id)]).toEqual([3, 1, ['check-1']])
})

test('all failures are counted, and the first thousand listed', async () => {
  const plan = () => {
    throw apiError('CHECK_NOT_FOUND')
  }
  const { changed, failures, failed } = await changeMany(ids(1001), { plan, write: unused, changeOne: unused })
  expect([changed, failures, failed.length, failed.at(-1)?.id]).toEqual([0, 1001, 1000, 'check-999'])
})

test('what is no mistake of the caller is no failure of a check', async () => {
  const broken = () => Promise.reject(new TypeError('no such table'))
  const changer = { plan: planned, write: async () => false, changeOne: async () => true }
  for (const part of [{ plan: () => expect.unreachable('a bug') }, { write: broken }, { changeOne: broken }])
    await expect(changeMany(ids(1), { ...changer, ...part })).rejects.toThrow(/no such table|a bug/)
})
