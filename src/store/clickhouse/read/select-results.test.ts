import { describe, expect, test } from 'vitest'
import { check } from '../../../../test/support/arbitrary-results.ts'
import { dayMs } from '../../../time.ts'
import type { Window } from '../../store.ts'
import type { Connection, Statement } from '../connection.ts'
import { createSelect } from './select-results.ts'

const month = { from: 0, to: 30 * dayMs }

/** A server where a page ends at start `end`, and where successive windows have `found` results. */
function selectFrom({ end, found }: { readonly end: number | null; readonly found: readonly number[] }) {
  const asked: Window[] = []
  const counts = [...found]
  const connection = {
    rows: async () => (end === null ? [] : [[end]]),
    columns: async ({ params }: Statement) => {
      asked.push({ from: Number(params?.from), to: Number(params?.to) })
      return { count: counts.shift() ?? 0, columns: [], blockEnds: [] }
    },
  } as Partial<Connection> as Connection
  const select = createSelect({ connection, metrics: { values: [], pageValues: [] }, settings: {} })
  const page = async (newestFirst: boolean, window = month) => {
    const { count } = await select({ check, window, columns: ['time'], page: { newestFirst, offset: 0, limit: 10 } })
    return { count, asked }
  }
  return { page }
}

describe('a page', () => {
  test.each([
    ['newest first', true, { from: 20 * dayMs, to: month.to }],
    ['oldest first', false, { from: month.from, to: 20 * dayMs }],
  ])('is read from the part of the window that contains it, %s', async (_, newestFirst, part) => {
    expect(await selectFrom({ end: 20 * dayMs, found: [10] }).page(newestFirst)).toEqual({ count: 10, asked: [part] })
  })

  test('is read from the whole window if duplicates made that part too short', async () => {
    const { page } = selectFrom({ end: 20 * dayMs, found: [7, 10] })
    expect(await page(true)).toEqual({ count: 10, asked: [{ from: 20 * dayMs, to: month.to }, month] })
  })

  test('is read from the whole window if it is the last', async () => {
    expect(await selectFrom({ end: null, found: [3] }).page(true)).toEqual({ count: 3, asked: [month] })
  })

  test('is read at once if the window is short', async () => {
    const day = { from: 0, to: dayMs }
    expect(await selectFrom({ end: 20, found: [10] }).page(true, day)).toEqual({ count: 10, asked: [day] })
  })
})
