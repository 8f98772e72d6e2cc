import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { calm } from '../../../test/support/results.ts'
import { addRun, type RunTotals, tallyAt } from '../kernels/run-totals.ts'
import { type FiledResult, StoreUnavailable } from '../store.ts'
import type { TotalsSource } from '../totals.ts'
import { createTotalsCache } from './totals-cache.ts'

const quiet = { clock: () => 0, log: () => {} }
/** Number of results counted, or the reason why there are none. */
const passedOf = async (answers: ReturnType<ReturnType<typeof createTotalsCache>['of']>) => {
  const [totals] = await answers
  return typeof totals === 'string' ? totals : totals?.[0]?.passed
}

const check = { account: 'acme', checkId: 'shop' }
const source = { check, duration: null }
const filed = (startedAt: number): FiledResult => ({
  check,
  result: { ...calm, id: null, startedAt, runLocation: 'eu', values: {}, pages: [] },
})

/** A store that the test steps through: commits become durable and are acknowledged, and a read takes its snapshot and answers. */
function steppedStore(initial: number) {
  let [durable, submitted, generation] = [initial, 0, 0]
  let reading: { snapshot: number | null; readonly answer: () => void } | null = null
  const cache = createTotalsCache({
    count: () => durable,
    read: () =>
      new Promise((resolve) => {
        const answer = () => resolve({ results: reading?.snapshot ?? 0, byLocation: counted(reading?.snapshot ?? 0) })
        reading = { snapshot: null, answer }
      }),
    dropGeneration: async () => generation,
    ...quiet,
  })
  return {
    cache,
    expected: () => initial + submitted,
    isReading: () => reading !== null,
    dropAll: () => {
      generation++
    },
    begin: cache.commitStarts,
    makeDurable: (results: number) => {
      durable += results
    },
    acknowledge: (results: number) => {
      submitted += results
      cache.committed(Array.from({ length: results }, (_, i) => filed(i)))
      cache.commitEnds()
    },
    takeSnapshot: () => {
      if (reading) reading.snapshot ??= durable
    },
    answer: () => {
      if (reading?.snapshot === null) reading.snapshot = durable
      reading?.answer()
    },
  }
}

function counted(results: number): ReadonlyMap<string, RunTotals> {
  const tallies = new Map<string, RunTotals>()
  for (let i = 0; i < results; i++) addRun(tallyAt(tallies, 'eu'), { flags: 0, attempts: 1, durationMs: Number.NaN })
  return tallies
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('totals that are read while results arrive', () => {
  /** The steps of three commits at which the totals are requested, the snapshot is taken and the answer arrives. */
  const moments = fc
    .tuple(fc.nat(9), fc.nat(9), fc.nat(9))
    .map((steps) => steps.toSorted((a, b) => a - b) as [asked: number, snapshot: number, answered: number])

  test('count every result once, whenever the snapshot is taken', async () => {
    await fc.assert(
      fc.asyncProperty(moments, fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 3, maxLength: 3 }), async (when, sizes) => {
        const [asked, snapshot, answered] = when
        const store = steppedStore(5)
        const steps = sizes.flatMap((size) => [store.begin, () => store.makeDurable(size), () => store.acknowledge(size)])
        let totals: Promise<unknown> = Promise.resolve()
        for (const [i, step] of [...steps, () => {}].entries()) {
          if (i === asked) totals = store.cache.of([source])
          await turn()
          if (i >= snapshot) store.takeSnapshot()
          if (i >= answered) store.answer()
          await turn()
          step()
        }
        await turn()
        store.answer()
        await totals
        expect(await passedOf(store.cache.of([source]))).toBe(store.expected())
      }),
    )
  })

  test('are read again if the retention has dropped results in the meantime', async () => {
    const store = steppedStore(5)
    const totals = store.cache.of([source])
    await turn()
    store.dropAll()
    store.answer()
    await turn()
    store.answer()
    expect(await passedOf(totals)).toBe(5)
  })

  test('are read again if the store was overloaded', async () => {
    let failures = 0
    const read = async () => {
      if (failures++ === 0) throw new StoreUnavailable('busy', 1)
      return { results: 2, byLocation: counted(2) }
    }
    const cache = createTotalsCache({ count: () => 2, read, dropGeneration: async () => 0, ...quiet })
    expect(await passedOf(cache.of([source]))).toBe('counting')
    expect(await passedOf(cache.of([source]))).toBe(2)
  })
})

describe('a check that cannot be read', () => {
  const other = { check: { account: 'acme', checkId: 'blog' }, duration: null }

  test.each([
    ['after a minute', 60_000],
    ['after the clock was set back', -1_800_000],
  ])('does not affect others, is logged, and is retried %s', async (_, afterMs) => {
    let [now, reads, isDamaged] = [afterMs < 0 ? 3_600_000 : 0, 0, true]
    const logged: string[] = []
    const read = async ({ check: { checkId } }: TotalsSource) => {
      if (checkId === 'shop') reads++
      if (checkId === 'shop' && isDamaged) throw new Error('The stored data is damaged.')
      return { results: 2, byLocation: counted(2) }
    }
    const cache = createTotalsCache({
      count: () => 2,
      read,
      dropGeneration: async () => 0,
      clock: () => now,
      log: (line) => void logged.push(line),
    })
    for (let i = 0; i < 3; i++) expect(await cache.of([source, other])).toMatchObject(['damaged', [{ passed: 2 }]])
    expect([reads, logged]).toEqual([1, ['Metrics omit the counters of shop of acme: The stored data is damaged.']])
    now += afterMs
    isDamaged = false
    expect(await cache.of([source, other])).toMatchObject([[{ passed: 2 }], [{ passed: 2 }]])
  })
})

test('an unfinished count is reported as such, continues, and is available later', async () => {
  const store = steppedStore(5)
  expect(await store.cache.of([source], { waitMs: 1 })).toEqual(['counting'])
  expect(store.isReading()).toBe(true)
  store.answer()
  expect(await passedOf(store.cache.of([source]))).toBe(5)
})
