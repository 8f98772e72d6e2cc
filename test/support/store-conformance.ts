import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AggregateGroup, AggregateQuery, CheckRef, NewResult, RawQuery, Result, ResultsQuery, Store } from '../../src/store/store.ts'
import {
  anyAggregateQuery,
  anyAggregateQueryOf,
  anyOrderedQuery,
  anyRawQuery,
  anyResults,
  check,
  fewResults,
  otherCheck,
  span,
} from './arbitrary-results.ts'
import { expectedAggregate, expectedRaw, inOrder, newestByLocation } from './oracle.ts'
import { calm } from './results.ts'
import { triesOf } from './tries.ts'

/** Opens an empty store whose clock returns `now`; `dispose` closes it if needed and deletes its data. */
export type OpenForTest = (now: number) => Promise<{ readonly store: Store; readonly dispose: () => Promise<void> }>

/** Guarantees of every store, tested only through the interface. */
export function describeStore(name: string, open: OpenForTest): void {
  const withStore = async <T>(work: (store: Store) => Promise<T>, now = span.to): Promise<T> => {
    const { store, dispose } = await open(now)
    try {
      return await work(store)
    } finally {
      await dispose()
    }
  }
  /** Runs `work` on a store with these results, appended in two halves. */
  const withResults = <T>(results: readonly Result[], work: (store: Store) => Promise<T>) =>
    withStore(async (store) => {
      const half = Math.ceil(results.length / 2)
      for (const part of [results.slice(0, half), results.slice(half)]) await store.append(file(part))
      return work(store)
    })

  describe(`${name}: generated queries`, () => {
    test('an aggregate query returns what the naive implementation computes, alone and concurrently with others', async () => {
      await fc.assert(
        fc.asyncProperty(anyResults, fc.array(anyAggregateQuery, { minLength: 1, maxLength: 6 }), async (results, queries) => {
          await withResults(results, async (store) => {
            const answers = await Promise.all(queries.map((query) => store.aggregate(query)))
            for (const [i, query] of queries.entries())
              expectClose(
                query,
                answers[i]?.groups ?? [],
                expectedAggregate(query, () => results),
              )
          })
        }),
        { numRuns: triesOf(40) },
      )
    })

    test('a query over several checks pools their results, in each group that a check belongs to', async () => {
      const queries = fc.array(anyAggregateQueryOf([check, otherCheck]), { minLength: 1, maxLength: 6 })
      await fc.assert(
        fc.asyncProperty(anyResults, queries, async (results, queries) => {
          const half = Math.ceil(results.length / 2)
          const [own, others] = [results.slice(0, half), results.slice(half).map((result, i) => ({ ...result, id: `other-${i}` }))]
          await withResults(own, async (store) => {
            await store.append(others.map((result) => ({ check: otherCheck, result })))
            for (const query of queries) {
              const { groups } = await store.aggregate(query)
              expectClose(
                query,
                groups,
                expectedAggregate(query, ({ checkId }) => (checkId === check.checkId ? own : others)),
              )
            }
          })
        }),
        { numRuns: triesOf(40) },
      )
    })

    test('groups and rows are sorted by a figure before they are paged', async () => {
      await fc.assert(
        fc.asyncProperty(fewResults, fc.array(anyOrderedQuery, { minLength: 1, maxLength: 6 }), async (all, queries) => {
          const results = [...new Map(all.map((result) => [result.id, result])).values()]
          await withResults(results, async (store) => {
            for (const query of queries) {
              const { groups } = await store.aggregate(query)
              expectClose(
                query,
                groups,
                expectedAggregate(query, () => results),
              )
            }
          })
        }),
        { numRuns: triesOf(30) },
      )
    })

    test('a raw query returns rows in the order of the naive implementation', async () => {
      await fc.assert(
        fc.asyncProperty(anyResults, fc.array(anyRawQuery, { minLength: 1, maxLength: 6 }), async (results, queries) => {
          await withResults(results, async (store) => {
            for (const query of queries) expect(await store.raw(query)).toEqual(expectedRaw(query, results))
          })
        }),
        { numRuns: triesOf(30) },
      )
    })

    test('results are returned unchanged, page by page, from any position, and by scanning', async () => {
      await fc.assert(
        fc.asyncProperty(anyResults, fc.integer({ min: 1, max: 20 }), async (results, least) => {
          const limit = Math.max(least, Math.ceil(results.length / 20))
          const ordered = inOrder(check, results)
          await withResults(results, async (store) => {
            expect(await byPosition(store, limit)).toEqual(ordered.toReversed())
            expect(await byPage(store, limit)).toEqual(ordered.toReversed())
            expect(await scanned(store, check)).toEqual(ordered)
          })
        }),
        { numRuns: triesOf(20) },
      )
    })

    test('results can be filtered by location and outcome', async () => {
      await fc.assert(
        fc.asyncProperty(anyResults, fc.boolean(), async (results, hasFailures) => {
          const location = results[0]?.runLocation ?? 'eu-west-1'
          const matching = inOrder(check, results).filter((result) => result.runLocation === location && result.hasFailures === hasFailures)
          const found = await withResults(results, (store) => store.results({ ...all, location, hasFailures }))
          expect(found).toEqual(matching.toReversed().slice(0, all.rowPage.limit))
        }),
        { numRuns: triesOf(20) },
      )
    })

    test('a duplicate result changes nothing and is reported, even if its content differs', async () => {
      await fc.assert(
        fc.asyncProperty(anyResults, async (results) => {
          await withStore(async (store) => {
            const every = results.map((_, i) => i)
            expect(await store.append(file(results))).toEqual({ duplicates: [] })
            expect(await store.append(file(results))).toEqual({ duplicates: every })
            const changed = results.map((result) => ({ ...result, values: { dns: 1 } }))
            expect(await store.append(file(changed))).toEqual({ duplicates: every })
            expect(await scanned(store, check)).toEqual(inOrder(check, results))
          })
        }),
        { numRuns: triesOf(15) },
      )
    })

    test('the newest result of each location is returned', async () => {
      await fc.assert(
        fc.asyncProperty(anyResults, async (results) => {
          const [latest] = await withResults(results, (store) => store.latest([check]))
          expect(latest?.byLocation.map(({ arrivedAt, ...result }) => result)).toEqual(newestByLocation(check, results))
        }),
        { numRuns: triesOf(20) },
      )
    })
  })

  describe(`${name}: appending`, () => {
    test('only duplicates are reported, including those within one call', async () => {
      await withStore(async (store) => {
        const [a, b, c] = [resultAt(1), resultAt(2), resultAt(3)]
        await store.append(file([b]))
        expect(await store.append(file([a, b, a, c, c]))).toEqual({ duplicates: [1, 2, 4] })
      })
    })

    test('the earliest of the results of one call with the same id is kept', async () => {
      await withStore(async (store) => {
        const [later, first] = [resultAt(2, { id: 'run-1' }), resultAt(1, { id: 'run-1' })]
        expect(await store.append(file([later, first, resultAt(3)]))).toEqual({ duplicates: [0] })
        expect((await scanned(store, check)).map(({ startedAt }) => startedAt)).toEqual([resultAt(1).startedAt, resultAt(3).startedAt])
        expect(await store.append(file([later]))).toEqual({ duplicates: [0] })
      })
    })

    test('a result far ahead of the clock is the newest one only if there is no other', async () => {
      await withStore(async (store) => {
        const newest = async () => (await store.latest([check], { fresh: true }))[0]?.byLocation.map(({ startedAt }) => startedAt - span.to)
        const at = (ms: number) => file([{ ...resultAt(0), startedAt: span.to + ms }])
        await store.append(at(3_600_000))
        expect(await newest()).toEqual([3_600_000])
        await store.append(at(-5))
        expect(await newest()).toEqual([-5])
        await store.append(at(5000))
        await store.append(at(-1))
        expect(await newest()).toEqual([5000])
      })
    })

    test('concurrent calls each report their own duplicates', async () => {
      await withStore(async (store) => {
        await store.append(file([resultAt(2), resultAt(5)]))
        const calls = [[1, 2, 3], [4], [5, 6]].map((times) => store.append(file(times.map((time) => resultAt(time)))))
        expect(await Promise.all(calls)).toEqual([{ duplicates: [1] }, { duplicates: [] }, { duplicates: [0] }])
      })
    })

    test('added results are announced once they are stored, without duplicates, until the listener is removed', async () => {
      await withStore(async (store) => {
        const announced: number[][] = []
        const stop = store.onAppended(check.account, (added) =>
          announced.push(added.map(({ result }) => result.startedAt - resultAt(0).startedAt)),
        )
        await store.append(file([resultAt(1), resultAt(2), resultAt(1)]))
        await Promise.all([[2, 3], [4], [4]].map((times) => store.append(file(times.map((time) => resultAt(time))))))
        stop()
        await store.append(file([resultAt(5)]))
        expect(announced).toEqual([[1, 2], [3], [4]])
      })
    })

    test('ids are unique per check', async () => {
      await withStore(async (store) => {
        const other = { ...check, checkId: 'shop' }
        const result = resultAt(1, { id: 'run-1' })
        const filed = [check, other].map((check) => ({ check, result }))
        expect(await store.append(filed)).toEqual({ duplicates: [] })
        expect(await scanned(store, other)).toHaveLength(1)
      })
    })

    test('a result without an id gets one derived from its check, location and start, and is deduplicated by it', async () => {
      await withStore(async (store) => {
        await store.append(file([resultAt(1)]))
        const [stored] = await scanned(store, check)
        expect(stored?.id).toMatch(/^[0-9a-f-]{36}$/)
        expect(await store.append(file([resultAt(1, { id: stored?.id ?? '' })]))).toEqual({ duplicates: [0] })
      })
    })
  })

  describe(`${name}: order`, () => {
    test('text is sorted by its UTF-8 bytes', async () => {
      await withStore(async (store) => {
        const byBytes = ['a', 'Ω', '\uff5e', '🌊']
        await store.append(file(byBytes.toReversed().map((runLocation) => resultAt(1, { runLocation }))))
        expect((await scanned(store, check)).map(({ runLocation }) => runLocation)).toEqual(byBytes)
        const [latest] = await store.latest([check])
        expect(latest?.byLocation.map(({ runLocation }) => runLocation)).toEqual(byBytes)
        const { groups } = await store.aggregate({ ...whole, groupBy: [{ by: 'location' }] })
        expect(groups.map(({ keys }) => keys)).toEqual(byBytes.map((key) => [key]))
      })
    })

    test('a result without an id sorts before others of its time and location, and its position is that of its derived id', async () => {
      await withStore(async (store) => {
        await store.append(file([resultAt(1, { id: 'zzz' }), resultAt(1, { id: '000' }), resultAt(1, { values: { dns: 7 } })]))
        const ordered = await scanned(store, check)
        expect(ordered.map(({ id, values }) => values.dns ?? id)).toEqual([7, '000', 'zzz'])
        const [first, second] = ordered as [Result, Result]
        expect(await store.results({ ...all, before: second })).toEqual([first])
        expect(await store.results({ ...all, before: first })).toEqual([])
      })
    })
  })

  describe(`${name}: query results`, () => {
    test('a group without rows on the page is left out, and groups are paged separately', async () => {
      await withStore(async (store) => {
        const runs = [1, 2, 3].map((time) => resultAt(time, { runLocation: 'busy' }))
        await store.append(file([...runs, resultAt(1, { runLocation: 'quiet' }), resultAt(2, { runLocation: 'calm' })]))
        const raw = { ...everyRun, groupBy: { by: 'location' } as const }
        const keysOf = (groups: readonly { key: unknown }[]) => groups.map(({ key }) => key)
        const aggregated = async (more: Partial<AggregateQuery>) =>
          (await store.aggregate({ ...whole, groupBy: [{ by: 'location' }], ...more })).groups.map(({ keys }) => keys[0])
        const second = { offset: 1, limit: 10 }
        expect(keysOf(await store.raw({ ...raw, rowPage: second }))).toEqual(['busy'])
        expect(await aggregated({ buckets: { originMs: 0, widthMs: 1 }, rowPage: second })).toEqual(['busy'])
        expect(await aggregated({ groupPage: second })).toEqual(['calm', 'quiet'])
        expect(keysOf(await store.raw({ ...raw, groupPage: { offset: 2, limit: 1 } }))).toEqual(['quiet'])
        expect(await store.raw({ ...everyRun, rowPage: { offset: 5, limit: 1 } })).toEqual([])
      })
    })

    test('without buckets and groups there is one row even if there are no results, and without counts they are null', async () => {
      await withStore(async (store) => {
        const row = { start: null, pageUrl: null, values: [], histogram: null }
        const groups = async (more: Partial<AggregateQuery>) => (await store.aggregate({ ...whole, ...more })).groups
        const none = { total: 0, success: 0, retries: 0 }
        expect(await groups({})).toEqual([{ keys: [], rows: [{ ...row, counts: none }] }])
        expect(await groups({ counts: false })).toEqual([{ keys: [], rows: [{ ...row, counts: null }] }])
        expect(await groups({ buckets: { originMs: 0, widthMs: 1000 } })).toEqual([])
      })
    })

    test('a figure of a group depends only on its own values', async () => {
      const figures = (['sum', 'avg', 'stddev', 'p90'] as const).map((aggregation) => ({ column: 0, aggregation, bound: null }))
      const sources = [{ check, columns: [{ metric: 'dns', perPage: false }], labels: [] }]
      const answer = (others: readonly number[]) =>
        withStore(async (store) => {
          const of = (runLocation: string) => (dns: number, i: number) => resultAt(i, { runLocation, values: { dns } })
          await store.append(file([...[0.1, 0.2].map(of('a')), ...others.map(of('b'))]))
          const { groups } = await store.aggregate({ ...whole, sources, figures, groupBy: [{ by: 'location' }] })
          return groups.find(({ keys }) => keys[0] === 'a')?.rows[0]?.values
        })
      const alone = await answer([])
      expect(alone?.[0]).toBe(0.3)
      expect(await answer([1.5])).toEqual(alone)
      expect(await answer([Math.PI])).toEqual(alone)
    })

    test('groups can be sorted by a count that is not requested', async () => {
      const sources = [{ check, columns: [{ metric: 'dns', perPage: false }], labels: [] }]
      const figures = (['stddev', 'max'] as const).map((aggregation) => ({ column: 0, aggregation, bound: null }))
      await withStore(async (store) => {
        const of = (runLocation: string, hasFailures: boolean) => resultAt(0, { runLocation, hasFailures, values: { dns: 1 } })
        await store.append(file([of('a', false), of('b', true), of('c', false)]))
        for (const figure of figures) {
          const order = { by: 'availability', direction: 'asc' } as const
          const query = { ...whole, sources, figures: [figure], counts: false, groupBy: [{ by: 'location' }], order } as const
          expect((await store.aggregate(query)).groups.map(({ keys }) => keys[0])).toEqual(['b', 'a', 'c'])
        }
      })
    })

    test('the totals of all buckets add up to the total of the window', async () => {
      await fc.assert(
        fc.asyncProperty(anyResults, fc.integer({ min: 60, max: 43_200 }), async (results, minutes) => {
          const buckets = { originMs: Date.UTC(1970, 0, 5), widthMs: minutes * 60_000 }
          const { groups } = await withResults(results, (store) => store.aggregate({ ...whole, buckets }))
          expect(groups[0]?.rows.reduce((sum, { counts }) => sum + (counts?.total ?? 0), 0) ?? 0).toBe(results.length)
        }),
        { numRuns: triesOf(10) },
      )
    })
  })

  describe(`${name}: the newest results`, () => {
    test('are returned per check, in the requested order', async () => {
      await withStore(async (store) => {
        const other = { ...check, checkId: 'shop' }
        await store.append([{ check: other, result: resultAt(4) }])
        const [none, some] = await store.latest([check, other])
        expect(none?.byLocation).toEqual([])
        expect(some?.byLocation).toMatchObject([{ startedAt: span.from + 4 }])
        expect(await store.latest([])).toEqual([])
      })
    })

    test('have a revision that changes only with new results of the check', async () => {
      await withStore(async (store) => {
        const revision = async () => (await store.latest([check]))[0]?.revision
        const before = await revision()
        await store.append(file([resultAt(5)]))
        const first = await revision()
        await store.append([{ check: { ...check, checkId: 'shop' }, result: resultAt(6) }])
        await store.append(file([resultAt(5)]))
        expect(await revision()).toBe(first)
        await store.append(file([resultAt(1)]))
        const second = await revision()
        expect(new Set([before, first, second]).size).toBe(3)
      })
    })
  })

  describe(`${name}: retention`, () => {
    test('keeps today and the given number of days before it, and drops whole days', async () => {
      const day = 86_400_000
      await withStore(async (store) => {
        const times = [span.to - 3 * day, span.to - 2 * day - 1, span.to - 2 * day, span.to]
        await store.append(file(times.map((startedAt) => ({ ...resultAt(0), startedAt }))))
        await store.applyRetention(2)
        expect((await scanned(store, check)).map(({ startedAt }) => startedAt)).toEqual(times.slice(2))
      })
    })

    test('allows a dropped result to be stored again', async () => {
      await withStore(async (store) => {
        await store.append(file([resultAt(1)]))
        await store.applyRetention(1)
        expect(await scanned(store, check)).toEqual([])
        expect(await store.append(file([resultAt(1)]))).toEqual({ duplicates: [] })
      })
    })
  })

  describe(`${name}: an aborted query`, () => {
    const aborted = { name: 'AbortError' }
    const signal = AbortSignal.abort()

    test('rejects with the reason of its signal', async () => {
      await withStore(async (store) => {
        await store.append(file([resultAt(1)]))
        await expect(store.aggregate(whole, { signal })).rejects.toMatchObject(aborted)
        await expect(store.raw(everyRun, { signal })).rejects.toMatchObject(aborted)
        await expect(store.results(all, { signal })).rejects.toMatchObject(aborted)
        await expect(store.result({ check, id: 'any', startedAt: null }, { signal })).rejects.toMatchObject(aborted)
        await expect(store.failures({ sources: [check], window: span, locations: null }, { signal })).rejects.toMatchObject(aborted)
        await expect(scanned(store, check, signal)).rejects.toMatchObject(aborted)
        await expect(store.latest([check], { signal })).rejects.toMatchObject(aborted)
        expect((await store.aggregate(whole, new AbortController())).groups).toHaveLength(1)
      })
    })
  })

  describe(`${name}: a closed store`, () => {
    test('reports that it is unavailable, with a time to retry', async () => {
      await withStore(async (store) => {
        expect([await store.ready(), await store.writable()]).toEqual([true, true])
        await store.close()
        const gone = { name: 'StoreUnavailable', retryAfterSeconds: 5 }
        expect([await store.ready(), await store.writable()]).toEqual([false, false])
        await expect(store.append([])).rejects.toMatchObject(gone)
        await expect(store.results(all)).rejects.toMatchObject(gone)
        await expect(store.latest([check])).rejects.toMatchObject(gone)
        await expect(store.applyRetention(1)).rejects.toMatchObject(gone)
        await expect(store.applyEvidenceRetention(1)).rejects.toMatchObject(gone)
        await expect(store.failures({ sources: [check], window: span, locations: null })).rejects.toMatchObject(gone)
      })
    })
  })
}

export const file = (results: readonly NewResult[]) => results.map((result) => ({ check, result }))

const whole: AggregateQuery = {
  sources: [{ check, columns: [], labels: [] }],
  window: span,
  filter: null,
  groupBy: [],
  rowPage: { offset: 0, limit: 100 },
  groupPage: null,
  figures: [],
  counts: true,
  buckets: null,
  fill: null,
  histogram: null,
}
const everyRun: RawQuery = {
  check,
  window: span,
  filter: null,
  groupBy: null,
  rowPage: { offset: 0, limit: 100 },
  groupPage: null,
  metrics: [],
}
const all: ResultsQuery = {
  check,
  window: span,
  location: null,
  hasFailures: null,
  before: null,
  rowPage: { offset: 0, limit: 1000 },
}

/** A result without an id that starts `ms` milliseconds into the span. */
function resultAt(ms: number, more: Partial<NewResult> = {}): NewResult {
  return { ...calm, id: null, startedAt: span.from + ms, runLocation: 'eu', values: {}, pages: [], ...more }
}

export async function scanned(store: Store, check: CheckRef, signal?: AbortSignal): Promise<Result[]> {
  const results: Result[] = []
  for await (const some of store.scan(check, span, signal && { signal })) results.push(...some)
  return results
}

async function byPosition(store: Store, limit: number): Promise<Result[]> {
  const results: Result[] = []
  for (;;) {
    const page = await store.results({ ...all, before: results.at(-1) ?? null, rowPage: { offset: 0, limit } })
    results.push(...page)
    if (page.length < limit) return results
  }
}

async function byPage(store: Store, limit: number): Promise<Result[]> {
  const results: Result[] = []
  for (;;) {
    const page = await store.results({ ...all, rowPage: { offset: results.length, limit } })
    results.push(...page)
    if (page.length < limit) return results
  }
}

const rounded = new Set(['sum', 'avg', 'stddev'])

/** Equal except for the last bits of sums, means and deviations. */
function expectClose(query: AggregateQuery, answer: readonly AggregateGroup[], expected: readonly AggregateGroup[]): void {
  const isRounded = (figure: number) => rounded.has(query.figures[figure]?.aggregation ?? '')
  const exact = (groups: readonly AggregateGroup[]) =>
    groups.map((group) => ({
      ...group,
      rows: group.rows.map((row) => ({ ...row, values: row.values.map((value, i) => (isRounded(i) && value !== null ? 0 : value)) })),
    }))
  expect(exact(answer)).toEqual(exact(expected))
  const valuesOf = (groups: readonly AggregateGroup[]) => groups.flatMap(({ rows }) => rows.flatMap(({ values }) => values))
  const wanted = valuesOf(expected)
  for (const [i, value] of valuesOf(answer).entries()) {
    const other = wanted[i] ?? null
    if (!isRounded(i % query.figures.length) || value === null || other === null) continue
    expect(Math.abs(value - other)).toBeLessThanOrEqual(1e-12 * Math.abs(other))
  }
}
