// @slow
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defineCheckType } from '../../src/checks/define.ts'
import { milliseconds, perPage, runLocation } from '../../src/checks/metric.ts'
import { ingest } from '../../src/ingest/ingest.ts'
import { Type } from '../../src/schema/typebox.ts'
import { newestOf } from '../../src/store/current-state.ts'
import { createEmbeddedStore, type EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import type { AggregateQuery, RawQuery, Result } from '../../src/store/store.ts'
import { anyAggregateQuery, anyRawQuery, anyResults, check, metricNames, pageMetricNames, span } from '../support/arbitrary-results.ts'
import { testCatalogue, testCheck } from '../support/catalogue.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { triesOf } from '../support/tries.ts'

const states = { LATE: 'failure', RECEIVED: 'success' } as const
const checkType = defineCheckType({
  type: 'TIDE',
  path: 'tides',
  label: 'Tide gauge',
  metrics: {
    ...Object.fromEntries(metricNames.map((name) => [name, milliseconds(name)])),
    ...Object.fromEntries(pageMetricNames.map((name) => [name, perPage(milliseconds(name))])),
  },
  fields: ['statusCode'],
  states,
  duration: null,
  groupBy: [runLocation],
  settings: Type.Object({}),
  target: () => ({}),
  demo: { name: 'Tide', tags: [], settings: () => ({}), files: {}, run: () => ({ metrics: {}, failure: null, broken: false }) },
})
const catalogue = testCatalogue({ checks: [testCheck(checkType, { id: check.checkId })] })

type Step = { readonly deliver: readonly Result[] } | 'seal' | 'maintain' | 'reopen'

/** The results in any order, some more than once, in any batches, with any other steps in between. */
const anyDelivery = anyResults.chain((results) =>
  fc.record({
    results: fc.constant(results),
    steps: fc
      .tuple(fc.shuffledSubarray([...results, ...results], { minLength: results.length }), fc.array(fc.nat(40), { maxLength: 8 }))
      .chain(([some, cuts]) => {
        const everything = [...some, ...results]
        const parts = cutAt(everything, cuts).map((deliver): Step => ({ deliver }))
        const between = fc.array(fc.constantFrom<Step>('seal', 'maintain', 'reopen', { deliver: [] }), {
          minLength: parts.length,
          maxLength: parts.length,
        })
        return between.map((steps) => parts.flatMap((part, i) => [part, steps[i] ?? 'seal']))
      }),
    aggregates: fc.array(anyAggregateQuery, { minLength: 3, maxLength: 3 }),
    raws: fc.array(anyRawQuery, { minLength: 2, maxLength: 2 }),
  }),
)

test('the same results give the same responses, however they were delivered', async () => {
  await fc.assert(
    fc.asyncProperty(anyDelivery, async ({ results, steps, aggregates, raws }) => {
      const [plain, other] = await Promise.all([deliverAll([{ deliver: results }]), deliverAll(steps)])
      expect(other.accepted).toBe(plain.accepted)
      expect(await answers(other.store, aggregates, raws)).toEqual(await answers(plain.store, aggregates, raws))
      await Promise.all([plain.store.close(), other.store.close()])
    }),
    { numRuns: triesOf(40) },
  )
}, 120_000)

test('late results of a sealed day are visible at once, and are merged by the next sealing', async () => {
  const { store } = await deliverAll([])
  const row = (minutes: number) => ({
    checkId: check.checkId,
    startedAt: span.from + minutes * 60_000,
    runLocation: 'eu',
    hasFailures: false,
    dns: minutes,
  })
  const put = (minutes: number) =>
    ingest(check.account, [{ at: 0, value: row(minutes) }], { catalogue, store, cardinality: null, now: span.to })
  const seen = async () => (await everything(store)).map(({ values }) => values.dns)
  for (const minutes of [1, 3, 5]) await put(minutes)
  await store.seal()
  await put(2)
  expect(await seen()).toEqual([1, 2, 3, 5])
  expect(await put(2)).toMatchObject({ accepted: 0, duplicates: 1 })
  await store.maintain()
  expect(await seen()).toEqual([1, 2, 3, 5])
  expect(await put(2)).toMatchObject({ accepted: 0, duplicates: 1 })
  await store.close()
})

async function deliverAll(steps: readonly Step[]): Promise<{ store: EmbeddedStore; accepted: number }> {
  const options = { directory: temporaryFolder(), workers: 0, clock: () => span.to + 86_400_000 }
  let store = await createEmbeddedStore(options)
  let accepted = 0
  for (const step of steps) {
    if (step === 'reopen') {
      await store.close()
      store = await createEmbeddedStore(options)
    } else if (typeof step === 'string') await store[step]()
    else accepted += await deliver(store, step.deliver)
  }
  return { store, accepted }
}

async function deliver(store: EmbeddedStore, results: readonly Result[]): Promise<number> {
  const rows = results.map((result, at) => ({ at, value: rowOf(result) }))
  const { accepted, duplicates, rejected } = await ingest(check.account, rows, { catalogue, store, cardinality: null, now: span.to })
  expect(rejected).toEqual([])
  expect(accepted + duplicates).toBe(results.length)
  return accepted
}

function rowOf({ state, values, pages, ...result }: Result): object {
  const outcome = state === null ? {} : { state, hasFailures: states[state as keyof typeof states] === 'failure' }
  return {
    checkId: check.checkId,
    ...result,
    ...outcome,
    ...values,
    pages: pages.map((page) => ({ pageUrl: page.pageUrl, ...page.values })),
  }
}

async function answers(store: EmbeddedStore, aggregates: readonly AggregateQuery[], raws: readonly RawQuery[]) {
  return {
    aggregates: await Promise.all(aggregates.map((query) => store.aggregate(query))),
    raws: await Promise.all(raws.map((query) => store.raw(query))),
    everything: await everything(store),
    ...(await latest(store)),
  }
}

/** The arrival time is kept only for the newest result of the check. */
async function latest(store: EmbeddedStore) {
  const [{ byLocation = [] } = {}] = await store.latest([check])
  return { byLocation: byLocation.map(({ arrivedAt, ...result }) => result), newest: newestOf(byLocation) }
}

async function everything(store: EmbeddedStore): Promise<Result[]> {
  const all: Result[] = []
  for await (const results of store.scan(check, span)) all.push(...results)
  return all
}

function cutAt<T>(items: readonly T[], sizes: readonly number[]): T[][] {
  const parts: T[][] = []
  let start = 0
  for (const size of sizes) {
    parts.push(items.slice(start, start + size))
    start += size
  }
  return [...parts, items.slice(start)]
}
