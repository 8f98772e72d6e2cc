import { describe, expect, test } from 'vitest'
import { check, span } from '../../../../test/support/arbitrary-results.ts'
import { calm } from '../../../../test/support/results.ts'
import { createStoreStats } from '../../../stats/server-stats.ts'
import type { NewResult } from '../../store.ts'
import type { Connection } from '../connection.ts'
import { createAppend } from './append.ts'
import { createSequence } from './arrival.ts'

const resultAt = (id: string, startedAt: number): NewResult => ({ ...calm, id, startedAt, runLocation: 'eu', values: {}, pages: [] })

/** A server that has one result with the id `stored` already. */
function appendTo({ isReplicated, canBeRead = true }: { readonly isReplicated: boolean; readonly canBeRead?: boolean }) {
  const inserted: string[] = []
  const starts: number[] = []
  const added: (string | null)[] = []
  const connection = {
    rows: async () => [[check.account, check.checkId, 'stored', span.from, 'eu']],
    insert: async (into: string, rows: Uint8Array) => {
      const ids =
        Buffer.from(rows)
          .toString('latin1')
          .match(/stored|fresh/g) ?? []
      if (into.startsWith('results')) starts.push(firstStartOf(rows))
      inserted.push(`${into.split(' ')[0]}: ${[...new Set(ids)].sort()}`)
    },
  } as Partial<Connection> as Connection
  const append = createAppend({
    connection,
    metrics: { values: [], pageValues: [] },
    clock: () => span.to,
    stats: createStoreStats(),
    repeatedIds: { remove: async () => {} },
    readStored: async (keys) => (canBeRead ? keys.map(({ check, id, startedAt }) => ({ check, result: resultAt(id, startedAt) })) : []),
    storing: () => () => {},
    sequence: createSequence(),
    isReplicated,
    added: (results) => added.push(...results.map(({ result }) => result.id)),
  })
  return { append: (...results: readonly NewResult[]) => append(results.map((result) => ({ check, result }))), inserted, starts, added }
}

/** A row begins with its account and check, texts that each follow a byte of their length, and its start. */
const firstStartOf = (rows: Uint8Array) =>
  Number(Buffer.from(rows).readBigInt64LE(2 + Buffer.byteLength(check.account) + Buffer.byteLength(check.checkId)))

describe('a result that is stored already', () => {
  test('is not written again on one server', async () => {
    const { append, inserted, added } = appendTo({ isReplicated: false })
    expect(await append(resultAt('stored', span.from))).toEqual({ duplicates: [0] })
    expect([inserted, added]).toEqual([[], []])
  })

  test('is written again in a cluster, where a failed write may have left it on one replica alone', async () => {
    const { append, inserted, added } = appendTo({ isReplicated: true })
    expect(await append(resultAt('stored', span.from))).toEqual({ duplicates: [0] })
    expect([inserted, added]).toEqual([['results: stored'], []])
  })

  test('is written again beside new ones, once', async () => {
    const { append, inserted, added } = appendTo({ isReplicated: true })
    const [stored, fresh] = [resultAt('stored', span.from), resultAt('fresh', span.from)]
    expect(await append(stored, fresh, stored, fresh)).toEqual({ duplicates: [0, 2, 3] })
    expect([inserted, added]).toEqual([['arrivals: fresh', 'results: fresh,stored'], ['fresh']])
  })

  test('with another start is not written again on one server', async () => {
    const { append, inserted, added } = appendTo({ isReplicated: false })
    expect(await append(resultAt('stored', span.from + 1))).toEqual({ duplicates: [0] })
    expect([inserted, added]).toEqual([[], []])
  })

  test('with another start is written again in a cluster as it is stored, since both would count', async () => {
    const { append, inserted, starts } = appendTo({ isReplicated: true })
    expect(await append(resultAt('stored', span.from + 1))).toEqual({ duplicates: [0] })
    expect([inserted, starts]).toEqual([['results: stored'], [span.from]])
  })

  test('with another start is refused where the stored one cannot be read, as it may vanish', async () => {
    const { append, inserted } = appendTo({ isReplicated: true, canBeRead: false })
    await expect(append(resultAt('stored', span.from + 1))).rejects.toMatchObject({ name: 'StoreUnavailable', retryAfterSeconds: 1 })
    expect(inserted).toEqual([])
  })
})
