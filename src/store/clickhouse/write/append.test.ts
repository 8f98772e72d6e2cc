import { describe, expect, test } from 'vitest'
import { check, span } from '../../../../test/support/arbitrary-results.ts'
import { calm } from '../../../../test/support/results.ts'
import { checkKey } from '../../../ids/check-ref.ts'
import { createStoreStats } from '../../../stats/server-stats.ts'
import { timedAppend } from '../../group-commit.ts'
import { type FiledResult, type NewResult, QueryTooLarge, StoreUnavailable } from '../../store.ts'
import type { Connection } from '../connection.ts'
import { createAppend } from './append.ts'
import { createArrivals, createSequence } from './arrival.ts'

const resultAt = (id: string, startedAt: number): NewResult => ({ ...calm, id, startedAt, runLocation: 'eu', values: {}, pages: [] })

/** The server has one result already, with the id `stored`. */
type AppendToOptions = { readonly isReplicated: boolean; readonly canBeRead?: boolean; readonly settled?: () => Promise<void> }

function appendTo({ isReplicated, canBeRead = true, settled = async () => {} }: AppendToOptions) {
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
    settleLater: () => {},
    settled,
    readStored: async (keys) => (canBeRead ? keys.map(({ check, id, startedAt }) => ({ check, result: resultAt(id, startedAt) })) : []),
    shardsOf: async (checks) => checks.map(() => 0),
    nextArrival: createArrivals(() => span.to),
    storing: () => () => {},
    sequence: createSequence(),
    isReplicated,
    added: (results) => added.push(...results.map(({ result }) => result.id)),
  })
  return { append: (...results: readonly NewResult[]) => append(results.map((result) => ({ check, result }))), inserted, starts, added }
}

/** A row begins with its account and check, each a text after a byte with its length, and its start. */
const firstStartOf = (rows: Uint8Array) =>
  Number(Buffer.from(rows).readBigInt64LE(2 + Buffer.byteLength(check.account) + Buffer.byteLength(check.checkId)))

describe('a duplicate result', () => {
  test('is not written again on one server', async () => {
    const { append, inserted, added } = appendTo({ isReplicated: false })
    expect(await append(resultAt('stored', span.from))).toEqual({ duplicates: [0] })
    expect([inserted, added]).toEqual([[], []])
  })

  test('is written again in a cluster, where a failed write may have reached only one replica', async () => {
    const { append, inserted, added } = appendTo({ isReplicated: true })
    expect(await append(resultAt('stored', span.from))).toEqual({ duplicates: [0] })
    expect([inserted, added]).toEqual([['results: stored'], []])
  })

  test('is written again together with new ones, once', async () => {
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

  test('with another start is written again in a cluster as stored, since both would count otherwise', async () => {
    const { append, inserted, starts } = appendTo({ isReplicated: true })
    expect(await append(resultAt('stored', span.from + 1))).toEqual({ duplicates: [0] })
    expect([inserted, starts]).toEqual([['results: stored'], [span.from]])
  })

  test('with another start is rejected if the stored one cannot be read, as it may be lost', async () => {
    const { append, inserted } = appendTo({ isReplicated: true, canBeRead: false })
    await expect(append(resultAt('stored', span.from + 1))).rejects.toMatchObject({ name: 'StoreUnavailable', retryAfterSeconds: 1 })
    expect(inserted).toEqual([])
  })
})

test('settling an id may precede the acknowledgement, by a second at most', async () => {
  const ends: (() => void)[] = []
  const settled = () => new Promise<void>((resolve) => ends.push(resolve))
  const { append } = appendTo({ isReplicated: false, settled })
  const events: string[] = []
  const [first, second] = ['fresh', 'stored'].map((id) => append(resultAt(id, span.from)).then(() => void events.push(id)))
  await expect.poll(() => ends.length).toBe(2)
  events.push('settled')
  ends[0]?.()
  await first
  await second
  expect(events).toEqual(['settled', 'fresh', 'stored'])
})

/** A cluster of two shards; `refuse` handles inserts into the second. */
function appendToShards({ refuse, deadlineMs = 45_000 }: { readonly refuse: () => Promise<void>; readonly deadlineMs?: number }) {
  const added: string[] = []
  const stats = createStoreStats()
  const connection = {
    rows: async () => [],
    insert: (_: string, rows: Uint8Array) => (Buffer.from(rows).includes('check-2') ? refuse() : Promise.resolve()),
  } as Partial<Connection> as Connection
  const append = createAppend({
    connection,
    metrics: { values: [], pageValues: [] },
    clock: () => span.to,
    stats,
    settleLater: () => {},
    settled: async () => {},
    readStored: async () => [],
    shardsOf: async (checks) => checks.map(({ checkId }) => Number(checkId.at(-1))),
    nextArrival: createArrivals(() => span.to),
    storing: () => () => {},
    sequence: createSequence(),
    isReplicated: true,
    added: (results) => added.push(...results.map(({ check }) => check.checkId)),
    deadlineMs,
  })
  const ofShard = (shard: number): FiledResult => ({
    check: { account: 'acme', checkId: `check-${shard}` },
    result: resultAt('fresh', span.from),
  })
  return { append, ofShard, added, stats }
}

describe('if one of two shards refuses results', () => {
  const refused = { name: 'StoreUnavailable' }
  const refuse = () => Promise.reject(new StoreUnavailable('Too few replicas.', 5))

  test('results of the other are stored, also of concurrent calls', async () => {
    const { append, ofShard } = appendToShards({ refuse })
    const calls = [append([ofShard(1)]), append([ofShard(2)]), append([ofShard(1)])]
    const outcomes = await Promise.allSettled(calls)
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  test('a call with results of both is rejected, and the stored part is published', async () => {
    const { append, ofShard, added } = appendToShards({ refuse })
    await expect(append([ofShard(2), ofShard(1)])).rejects.toMatchObject(refused)
    expect(added).toEqual(['check-1'])
  })

  test('a call with results of both learns which checks are refused, and which of the others are duplicates', async () => {
    const { append, ofShard, stats } = appendToShards({ refuse })
    const partly = { refusedChecks: new Set([checkKey(ofShard(2).check)]), duplicates: [2] }
    const error = { ...refused, retryAfterSeconds: 5, partly }
    await expect(timedAppend(append, stats)([ofShard(1), ofShard(2), ofShard(1)])).rejects.toMatchObject(error)
    expect([stats.appended.read(), stats.duplicates.read()]).toEqual([1, 1])
  })

  test('a call with only its results learns the same, as the next call may have others', async () => {
    const { append, ofShard } = appendToShards({ refuse })
    const partly = { refusedChecks: new Set([checkKey(ofShard(2).check)]), duplicates: [] }
    await expect(append([ofShard(2)])).rejects.toMatchObject({ ...refused, partly })
  })

  test('results of the other do not wait for it', async () => {
    let release = () => {}
    const hanging = new Promise<void>((resolve) => {
      release = resolve
    })
    const { append, ofShard } = appendToShards({ refuse: () => hanging })
    const slow = append([ofShard(2)])
    expect(await append([ofShard(1)])).toEqual({ duplicates: [] })
    release()
    expect(await slow).toEqual({ duplicates: [] })
  })
})

test('results of a call that has timed out are not written, unless that has begun', async () => {
  let inserts = 0
  let release = () => {}
  const hanging = new Promise<void>((resolve) => {
    release = resolve
  })
  const refuse = () => {
    inserts++
    return hanging
  }
  const { append, ofShard, stats, added } = appendToShards({ refuse, deadlineMs: 50 })
  const partly = { refusedChecks: new Set([checkKey(ofShard(2).check)]), duplicates: [] }
  const late = { name: 'StoreUnavailable', publicReason: expect.stringContaining('does not answer in time'), partly }
  const calls = [append([ofShard(2)]), append([ofShard(2), ofShard(1)])]
  for (const call of calls) await expect(call).rejects.toMatchObject(late)
  expect(stats.appendQueue.read()).toBe(0)
  const begun = inserts
  release()
  await expect.poll(() => added).toEqual(['check-1', 'check-2'])
  expect(inserts).toBe(begun + 1)
})

test('results that exhaust the memory of the server are rejected temporarily: a client would drop what is too large', async () => {
  const { append, ofShard } = appendToShards({ refuse: () => Promise.reject(new QueryTooLarge('it would need more memory')) })
  await expect(append([ofShard(2)])).rejects.toMatchObject({ name: 'StoreUnavailable', retryAfterSeconds: 5 })
})

test('results of more months than one insert allows are stored in several inserts', async () => {
  const { append, inserted } = appendTo({ isReplicated: false })
  const months = Array.from({ length: 150 }, (_, i) => resultAt(`fresh-${i}`, Date.UTC(2000, i, 1)))
  expect(await append(...months)).toEqual({ duplicates: [] })
  expect(inserted).toEqual(['arrivals: fresh', 'results: fresh', 'results: fresh'])
})
