import { describe, expect, onTestFinished, test } from 'vitest'
import {
  costedCheck as check,
  costedResults,
  days,
  describeCosts,
  everything,
  perDay,
  whole,
} from '../../../test/support/costs-conformance.ts'
import { calm } from '../../../test/support/results.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { hourMs } from '../../time.ts'
import type { OutagesInSlice } from '../query/outages/found-outages.ts'
import type { Reader } from '../query/question-reader.ts'
import { createQuestions } from '../questions/questions.ts'
import type { AggregateQuery, CheckRef } from '../store.ts'
import type { WorkerHandle } from '../threads/worker.ts'
import { createEmbeddedStore } from './embedded-store.ts'
import { openFolderReader } from './query/folder-reader.ts'

async function openStore(maxQuestionCost: number) {
  const directory = temporaryFolder()
  const store = await createEmbeddedStore({ directory, workers: 0, maxQuestionCost })
  onTestFinished(() => store.close())
  return { store, directory, dispose: () => store.close() }
}

/** A store that seals everything after each append. */
async function openSealed(maxQuestionCost: number) {
  const { store, dispose } = await openStore(maxQuestionCost)
  const append: typeof store.append = async (results) => {
    const appended = await store.append(results)
    await store.seal()
    return appended
  }
  return { store: { ...store, append }, dispose }
}

describeCosts('hot', openStore, { countsDays: false })
describeCosts('sealed', openSealed, { countsDays: true })

test('a page of runs is not read on the main thread if many results are hot', async () => {
  const { store } = await openStore(100)
  await store.append(costedResults)
  const page = () => store.raw({ ...whole, window: everything, check, groupBy: null, metrics: [] })
  expect((await page())[0]?.rows).toHaveLength(10)
  const many = Array.from({ length: 250 }, (_, i) => ({
    check,
    result: { ...calm, id: `r${i}`, startedAt: everything.to, runLocation: 'eu', values: {}, pages: [] },
  }))
  await store.append(many)
  await expect(page()).rejects.toMatchObject({ name: 'QueryTooLarge' })
  await store.seal()
  expect((await page())[0]?.rows).toHaveLength(10)
})

test('unsealed results of one instant count towards the cost of a page', async () => {
  const { store } = await openStore(50_000)
  const page = () => store.results({ check, window: everything, location: null, hasFailures: null, before: null, rowPage: whole.rowPage })
  const many = Array.from({ length: 250 }, (_, i) => ({
    check,
    result: { ...calm, id: `r${i}`, startedAt: everything.to, runLocation: 'eu', values: {}, pages: [] },
  }))
  await store.append(many)
  await expect(page()).rejects.toMatchObject({ name: 'QueryTooLarge' })
  await store.seal()
  expect(await page()).toHaveLength(whole.rowPage.limit)
})

test('an aborted query ends between two days', async () => {
  const { store, directory } = await openStore(Number.POSITIVE_INFINITY)
  await store.append(costedResults)
  await store.seal()
  let checkpoints = 0
  const reader = openFolderReader(directory, 0, () => {
    checkpoints++
    if (checkpoints > days / 2) throw new Error('cancelled')
  })
  onTestFinished(() => reader.close())
  expect(() => reader.scan({ check, window: everything, after: null, limit: days * perDay })).toThrow('cancelled')
  expect(checkpoints).toBe(days / 2 + 1)
})

describe('the groups of many checks', () => {
  const checks = Array.from({ length: 34 }, (_, i) => ({ account: 'acme', checkId: `check-${String(i).padStart(2, '0')}` }))
  const locations = ['a', 'b', 'c']
  /** Some values repeat, and some groups have none. */
  const figureOf = (group: number) => (group % 7 === 0 ? null : (group * 37) % 11)
  const filed = checks.flatMap((check, i) =>
    locations.map((runLocation, j) => {
      const value = figureOf(i * locations.length + j)
      const values: Record<string, number> = value === null ? {} : { time: value }
      return { check, result: { ...calm, id: null, startedAt: everything.to, runLocation, values, pages: [] } }
    }),
  )
  const query: AggregateQuery = {
    sources: checks.map((check) => ({ check, columns: [{ metric: 'time', perPage: false }], labels: [[check.checkId]] })),
    window: everything,
    filter: null,
    groupBy: [{ by: 'label' }, { by: 'location' }],
    figures: [{ column: 0, aggregation: 'max', bound: null }],
    counts: false,
    buckets: null,
    fill: null,
    histogram: null,
    rowPage: { offset: 0, limit: 1 },
    groupPage: null,
  }

  test.each(['asc', 'desc', null] as const)('are ordered (%s) and paged as if one reader answered', async (direction) => {
    const { store } = await openStore(Number.POSITIVE_INFINITY)
    await store.append(filed)
    const order = direction && ({ by: 0, direction } as const)
    const { groups } = await store.aggregate(query)
    const sign = direction === 'asc' ? 1 : -1
    const rank = (value: number | null | undefined) => (typeof value === 'number' ? sign * value : Number.POSITIVE_INFINITY)
    const expected = order ? groups.toSorted((a, b) => compareNumbers(rank(a.rows[0]?.values[0]), rank(b.rows[0]?.values[0]))) : groups
    expect(groups).toHaveLength(filed.length)
    for (const [offset, limit] of [
      [0, 5],
      [7, 30],
      [95, 20],
      [200, 5],
      [1990, 20],
    ] as const) {
      const page = await store.aggregate({ ...query, order, groupPage: { offset, limit } })
      expect(page.groups).toEqual(expected.slice(offset, offset + limit))
    }
  })
})

/** Equal infinities must not be subtracted, which gives NaN. */
const compareNumbers = (a: number, b: number) => (a === b ? 0 : a - b)

/** Failing results of one day, each with a different error of 1,000 characters. */
const longErrors = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    check,
    result: {
      ...calm,
      id: null,
      startedAt: everything.from + i,
      runLocation: 'eu',
      hasFailures: true,
      error: `${String.fromCharCode(0x4e00 + i)}[${':'.repeat(998)}`,
      values: {},
      pages: [],
    },
  }))
const failuresQuery = { sources: [check], window: everything, locations: null }

test('the cost of failures includes the characters of their errors', async () => {
  const { store } = await openStore(3_000_000)
  await store.append(longErrors(1100))
  const groups = await store.failures(failuresQuery)
  expect(groups).toHaveLength(1100)
  expect(groups.every(({ count }) => count === 1)).toBe(true)
  const { store: small } = await openStore(2_000_000)
  await small.append(longErrors(1100))
  await expect(small.failures(failuresQuery)).rejects.toMatchObject({
    name: 'QueryTooLarge',
    message: expect.stringMatching(/about 2\.\d+ million values/),
  })
  await expect(small.failures({ ...failuresQuery, sources: [] })).resolves.toEqual([])
})

test('an aborted query for failures ends within a day', async () => {
  const { store, directory } = await openStore(Number.POSITIVE_INFINITY)
  await store.append(longErrors(1100))
  let checkpoints = 0
  const counting = openFolderReader(directory, 0, () => void checkpoints++)
  onTestFinished(() => counting.close())
  counting.failures({ ...failuresQuery, maxCharacters: 10_000_000 })
  expect(checkpoints).toBeGreaterThan(10)
})

test('a query without checks calls no reader', async () => {
  const noReader: WorkerHandle<Reader> = { call: () => Promise.reject(new Error('a reader was asked')), close: async () => {} }
  const questions = createQuestions({ readers: noReader, count: () => 0, maxQuestionCost: 1, scanSize: 1 })
  const { store } = await openStore(1)
  const query = {
    ...whole,
    window: everything,
    sources: [],
    groupBy: [],
    figures: [],
    counts: true,
    buckets: null,
    fill: null,
    histogram: null,
  }
  expect(await questions.aggregate(query)).toEqual(await store.aggregate(query))
  expect((await questions.aggregate(query)).groups).toMatchObject([{ rows: [{ counts: { total: 0 } }] }])
  expect(await questions.aggregate({ ...query, groupBy: [{ by: 'location' }] })).toMatchObject({ groups: [], results: 0 })
  const states = { now: 0, quorum: 1, byLocation: false, serviceHours: null, minOutageMs: 0, rows: [everything], intervals: false }
  expect(await questions.states({ ...states, sources: [], window: everything })).toEqual([])
  expect(await questions.failures({ ...failuresQuery, sources: [] })).toEqual([])
  expect(await questions.outages({ sources: [], window: everything, now: 0, quorum: 1, minMs: 0, after: null, limit: 10 })).toEqual([])
})

test('outages of many checks are combined as they are found, and only those of the page are kept', async () => {
  const rhythm = { periodMs: 60_000, locations: 1, parallel: true }
  const sources = Array.from({ length: 1000 }, (_, i) => ({ check: { account: 'acme', checkId: `check-${i}` }, rhythm }))
  const outageAt = (at: CheckRef, from: number) => ({
    check: at,
    from,
    to: from,
    locations: [],
    reason: null,
    firstResultId: null,
    lastResultId: null,
  })
  const found = ({ sources: some, before }: OutagesInSlice) =>
    before ? some.flatMap(({ check: own }) => Array.from({ length: 200 }, (_, i) => outageAt(own, i))) : []
  const reader = { call: async (_: string, [slice]: readonly [OutagesInSlice]) => found(slice), close: async () => {} }
  const readers = reader as unknown as WorkerHandle<Reader>
  const questions = createQuestions({ readers, count: () => 1, maxQuestionCost: 1e9, scanSize: 1 })
  const outages = await questions.outages({ sources, window: everything, now: 0, quorum: 1, minMs: 0, after: null, limit: 1001 })
  expect(outages.map(({ from }) => from)).toEqual([...Array(1000).fill(199), 198])
  expect(outages.map(({ check: { checkId } }) => checkId).slice(0, 1000)).toEqual(sources.map(({ check: { checkId } }) => checkId).sort())
})

test('outages are searched in the whole window if that is cheap, and otherwise from its end', async () => {
  const rhythm = { periodMs: 60_000, locations: 1, parallel: true }
  const searched = async (wholeWindowCost: number) => {
    const windows: unknown[] = []
    const call = async (_: string, [{ window }]: readonly [OutagesInSlice]) => {
      windows.push(window)
      return []
    }
    const readers = { call, close: async () => {} } as unknown as WorkerHandle<Reader>
    const questions = createQuestions({ readers, count: () => 100, maxQuestionCost: 1e9, scanSize: 1, wholeWindowCost })
    const sources = [{ check, rhythm }]
    await questions.outages({ sources, window: everything, now: 0, quorum: 1, minMs: 0, after: null, limit: 10 })
    return windows
  }
  expect(await searched(1_000_000)).toEqual([everything])
  for (const cost of [0, 1]) expect((await searched(cost))[0]).toEqual({ from: everything.to - 6 * hourMs + 1, to: everything.to })
})
