import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { anyAggregateQuery, anyRawQuery, anyResults, check, span } from '../../../test/support/arbitrary-results.ts'
import { expectedAggregate, expectedRaw, inOrder } from '../../../test/support/oracle.ts'
import { calm } from '../../../test/support/results.ts'
import type { AggregateGroup, AggregateQuery, Result } from '../store.ts'
import { openForReading } from './disk/database.ts'
import { createEmbeddedStore, type EmbeddedStore } from './embedded-store.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

async function withStore<T>(work: (store: EmbeddedStore, directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-store-'))
  folders.push(directory)
  const store = await createEmbeddedStore({ directory, workers: 0, clock: () => span.to })
  try {
    return await work(store, directory)
  } finally {
    await store.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

const file = (results: readonly Result[]) => results.map((result) => ({ check, result }))

/** Puts results into three stores: all hot, the first half sealed before the rest came, and all sealed. */
async function inEveryState(results: readonly Result[], ask: (store: EmbeddedStore) => Promise<unknown>): Promise<unknown[]> {
  const half = Math.ceil(results.length / 2)
  const hot = withStore(async (store) => {
    await store.append(file(results))
    return ask(store)
  })
  const halfSealed = withStore(async (store) => {
    await store.append(file(results.slice(0, half)))
    await store.seal()
    await store.append(file(results.slice(half)))
    return ask(store)
  })
  const sealed = withStore(async (store) => {
    await store.append(file(results.slice(0, half)))
    await store.seal()
    await ask(store) // What it remembers of this must not show in the answer after the next sealing.
    await store.append(file(results))
    await store.seal()
    return ask(store)
  })
  return Promise.all([hot, halfSealed, sealed])
}

const drifting = new Set(['sum', 'avg', 'stddev'])

function expectClose(query: AggregateQuery, answer: readonly AggregateGroup[], expected: readonly AggregateGroup[]): void {
  const counted = (groups: readonly AggregateGroup[]) =>
    groups.map((group) => ({
      ...group,
      rows: group.rows.map((row) => ({ ...row, values: row.values.map((value, i) => (drifts(query, i) && value !== null ? 0 : value)) })),
    }))
  expect(counted(answer)).toEqual(counted(expected))
  answer.forEach((group, g) => {
    group.rows.forEach((row, r) => {
      row.values.forEach((value, i) => {
        const wanted = expected[g]?.rows[r]?.values[i] ?? null
        if (!drifts(query, i) || value === null || wanted === null) return
        expect(Math.abs(value - wanted)).toBeLessThanOrEqual(1e-12 * Math.abs(wanted))
      })
    })
  })
}

const drifts = (query: AggregateQuery, figure: number) => drifting.has(query.figures[figure]?.aggregation ?? '')

test('any aggregated question over any results is answered as the plain arithmetic does, hot, half sealed and sealed', async () => {
  await fc.assert(
    fc.asyncProperty(anyResults, fc.array(anyAggregateQuery, { minLength: 1, maxLength: 6 }), async (results, queries) => {
      const [hot, halfSealed, sealed] = (await inEveryState(results, (store) =>
        Promise.all(queries.map((query) => store.aggregate(query))),
      )) as [AggregateGroup[][], AggregateGroup[][], AggregateGroup[][]]
      queries.forEach((query, i) => {
        expectClose(query, hot[i] ?? [], expectedAggregate(query, results))
      })
      expect(halfSealed).toEqual(hot)
      expect(sealed).toEqual(hot)
    }),
    { numRuns: 60 },
  )
})

test('any raw question is answered as the plain order says, hot, half sealed and sealed', async () => {
  await fc.assert(
    fc.asyncProperty(anyResults, fc.array(anyRawQuery, { minLength: 1, maxLength: 6 }), async (results, queries) => {
      const answers = await inEveryState(results, (store) => Promise.all(queries.map((query) => store.raw(query))))
      for (const answer of answers) expect(answer).toEqual(queries.map((query) => expectedRaw(query, results)))
    }),
    { numRuns: 40 },
  )
})

test('whole results come back as they were put in, in any paging and by scanning', async () => {
  await fc.assert(
    fc.asyncProperty(anyResults, fc.integer({ min: 1, max: 20 }), async (results, limit) => {
      const answers = await inEveryState(results, async (store) => {
        const pages: Result[] = []
        for (;;) {
          const before = pages.at(-1) ?? null
          const page = await store.results({ check, window: span, location: null, hasFailures: null, before, paging: { offset: 0, limit } })
          pages.push(...page)
          if (page.length < limit) break
        }
        const scanned: Result[] = []
        for await (const some of store.scan(check, span)) scanned.push(...some)
        return { pages, scanned }
      })
      const inside = inOrder(results)
      for (const answer of answers) expect(answer).toEqual({ pages: inside.toReversed(), scanned: inside })
    }),
    { numRuns: 30 },
  )
})

test('the sum of the totals of all buckets is the total of the window', async () => {
  await fc.assert(
    fc.asyncProperty(anyResults, fc.integer({ min: 60, max: 43_200 }), async (results, minutes) => {
      const total = await withStore(async (store) => {
        await store.append(file(results))
        const buckets = { originMs: Date.UTC(1970, 0, 5), widthMs: minutes * 60_000 }
        const [group] = await store.aggregate({
          check,
          window: span,
          filter: null,
          groupBy: null,
          paging: { offset: 0, limit: 100 },
          figures: [],
          outcomes: true,
          buckets,
        })
        return group?.rows.reduce((sum, row) => sum + row.total, 0)
      })
      expect(total).toBe(results.length)
    }),
    { numRuns: 20 },
  )
})

test('a repeated result changes nothing and is told apart from a new one, sealed or not', async () => {
  await fc.assert(
    fc.asyncProperty(anyResults, async (results) => {
      await withStore(async (store) => {
        expect(await store.append(file(results))).toEqual(results.map(() => true))
        expect(await store.append(file(results))).toEqual(results.map(() => false))
        await store.seal()
        expect(await store.append(file(results))).toEqual(results.map(() => false))
        const moved = results.map((result) => ({ ...result, values: { dns: 1 } }))
        expect(await store.append(file(moved))).toEqual(results.map(() => false))
      })
    }),
    { numRuns: 20 },
  )
})

test('results that come one by one are laid together, found in their order, and told apart from new ones', async () => {
  await fc.assert(
    fc.asyncProperty(anyResults, async (results) => {
      await withStore(async (store, directory) => {
        for (const result of results) await store.append(file([result]))
        await expect.poll(() => segmentsIn(directory)).toBeLessThan(33)
        const scanned: Result[] = []
        for await (const some of store.scan(check, span)) scanned.push(...some)
        expect(scanned).toEqual(inOrder(results))
        expect(await store.append(file(results))).toEqual(results.map(() => false))
      })
    }),
    { numRuns: 15 },
  )
})

function segmentsIn(directory: string): number {
  const database = openForReading(directory)
  const { segments } = database.prepare('SELECT count(*) AS segments FROM hot').get()
  database.close()
  return segments
}

test('a store that is closed says so, and that one may come back', async () => {
  const store = await withStore(async (open) => open)
  const gone = { name: 'StoreUnavailable', retryAfterSeconds: 5 }
  await expect(store.append([])).rejects.toMatchObject(gone)
  await expect(
    store.results({ check, window: span, location: null, hasFailures: null, before: null, paging: { offset: 0, limit: 1 } }),
  ).rejects.toMatchObject(gone)
})

test('a second store on the same folder is refused in words, until the first is closed', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-store-'))
  folders.push(directory)
  const first = await createEmbeddedStore({ directory, workers: 0 })
  await expect(createEmbeddedStore({ directory, workers: 0 })).rejects.toThrow('Another Tidemark is using the data folder')
  await first.close()
  await (await createEmbeddedStore({ directory, workers: 0 })).close()
})

test('retention drops whole days, and only those before the first day to keep', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-store-'))
  folders.push(directory)
  const day = 86_400_000
  const store = await createEmbeddedStore({ directory, workers: 0, clock: () => span.to, retentionDays: () => 2 })
  const starts = [span.to - 3 * day, span.to - 2 * day - 1, span.to - 2 * day, span.to]
  await store.append(
    starts.map((startedAt) => ({ check, result: { ...calm, id: null, startedAt, runLocation: 'eu', values: {}, pages: [] } })),
  )
  await store.maintain()
  const left = await store.results({
    check,
    window: { from: 0, to: span.to },
    location: null,
    hasFailures: null,
    before: null,
    paging: { offset: 0, limit: 10 },
  })
  expect(left.map(({ startedAt }) => startedAt)).toEqual([span.to, span.to - 2 * day])
  await store.close()
})
