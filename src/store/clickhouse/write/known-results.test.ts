import { expect, test } from 'vitest'
import { check } from '../../../../test/support/arbitrary-results.ts'
import { calm } from '../../../../test/support/results.ts'
import { dayMs, hourMs } from '../../../time.ts'
import type { Connection } from '../connection.ts'
import { voidFlag } from '../schema/tables.ts'
import { knownAmong, searchedTogether } from './known-results.ts'

const groupsOf = (starts: readonly number[], id = '') => searchedTogether(starts, (startedAt) => ({ check, id, startedAt }))

test('a late result is searched for separately', () => {
  expect(groupsOf([400 * dayMs, 1, 400 * dayMs + 5])).toEqual([[1], [400 * dayMs, 400 * dayMs + 5]])
})

test('a result that is hours late does not widen the search for others', () => {
  const usual = [23 * hourMs, 24 * hourMs, 25 * hourMs]
  expect(groupsOf([...usual, 0])).toEqual([[0], usual])
})

test('many results, or many gaps, are searched for in several statements, up to a limit', () => {
  expect(groupsOf(Array.from({ length: 4500 }, (_, i) => i)).map(({ length }) => length)).toEqual([2000, 2000, 500])
  expect(groupsOf(Array.from({ length: 200 }, (_, i) => i * 2 * dayMs))).toHaveLength(31)
})

test('results with long ids are searched for in more statements', () => {
  const groups = groupsOf(
    Array.from({ length: 2000 }, (_, i) => i),
    'x'.repeat(97),
  )
  expect(groups.map(({ length }) => length)).toEqual([1000, 1000])
})

type Stored = { readonly startedAt: number; readonly flags?: number }

/** `knownAmong` for results with one id that start then, given the stored rows of that id. */
function knownOf(starts: readonly number[], stored: readonly Stored[] = []) {
  const rows = stored.map(({ startedAt, flags = 0 }) => [check.account, check.checkId, 'slot', startedAt, 'eu', flags])
  const connection = { rows: async () => rows } as Partial<Connection> as Connection
  const resultAt = (startedAt: number) => ({ ...calm, id: 'slot', startedAt, runLocation: 'eu', values: {}, pages: [] })
  return knownAmong(
    connection,
    starts.map((startedAt) => ({ check, result: resultAt(startedAt) })),
  )
}

test('results with the same id that start more than an hour apart are distinct', async () => {
  expect(await knownOf([0, hourMs, hourMs + 1, 3 * hourMs])).toMatchObject({ duplicates: [1], elsewhere: [] })
  expect(await knownOf([hourMs + 1], [{ startedAt: 0 }])).toMatchObject({ duplicates: [] })
  const stored = { check, id: 'slot', startedAt: 0, runLocation: 'eu' }
  expect(await knownOf([1000, hourMs + 1], [{ startedAt: 0 }])).toMatchObject({ duplicates: [0], elsewhere: [stored] })
})

test('a void does not count: the row next to it does, and a row with its key is not written again', async () => {
  const voided = { startedAt: 2, flags: voidFlag }
  expect(await knownOf([2], [voided, { startedAt: 1 }])).toMatchObject({ duplicates: [0], repeatable: [], elsewhere: [{ startedAt: 1 }] })
  expect(await knownOf([2], [voided])).toEqual({ duplicates: [0], repeatable: [], elsewhere: [], doubled: [] })
  expect(await knownOf([3], [voided])).toEqual({ duplicates: [], repeatable: [], elsewhere: [], doubled: [] })
})
