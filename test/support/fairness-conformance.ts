import { describe, expect, test } from 'vitest'
import type { AggregateQuery, Store } from '../../src/store/store.ts'
import { check, span } from './arbitrary-results.ts'
import { calm } from './results.ts'

/** Opens an empty store that answers queries in threads. */
type OpenThreaded = () => Promise<{ readonly store: Store; readonly dispose: () => Promise<void> }>

const question: AggregateQuery = {
  sources: [{ check, columns: [{ metric: 'dns', perPage: false }], labels: [] }],
  window: span,
  filter: null,
  groupBy: [{ by: 'location' }],
  rowPage: { offset: 0, limit: 100 },
  groupPage: null,
  figures: [{ column: 0, aggregation: 'p99', bound: null }],
  counts: true,
  buckets: null,
  fill: null,
  histogram: null,
}
const results = Array.from({ length: 1000 }, (_, i) => ({
  check,
  result: { ...calm, id: null, startedAt: span.from + i, runLocation: 'eu', values: { dns: i }, pages: [] },
}))
/** The maximum queue length of a key. */
const queueLength = 64

/** Guarantees of every store to concurrent callers. */
export function describeFairness(name: string, open: OpenThreaded): void {
  describe(`${name}: concurrent callers`, () => {
    const withStore = async (work: (store: Store) => Promise<void>) => {
      const { store, dispose } = await open()
      await store.append(results)
      await work(store).finally(dispose)
    }
    const askAs = (store: Store, account: string, signal?: AbortSignal) =>
      store.aggregate(question, { caller: { account, key: 'key' }, ...(signal && { signal }) })

    test('share the store: a single query does not wait for all queries of another caller', async () => {
      await withStore(async (store) => {
        // A key uses one of the two threads. After this, both threads have started and read the results.
        await Promise.all(['one', 'one', 'other', 'other'].map((account) => askAs(store, account)))
        const placeOfModest = async () => {
          const ended: string[] = []
          const ask = (account: string) => askAs(store, account).finally(() => ended.push(account))
          const greedy = Promise.allSettled(Array.from({ length: queueLength / 2 }, () => ask('greedy')))
          expect((await ask('modest')).results).toBe(results.length)
          await greedy
          return ended.indexOf('modest') / ended.length
        }
        // A busy machine may starve one of the threads. In a plain FIFO queue, the modest caller would be last each time.
        await expect.poll(placeOfModest).toBeLessThan(0.5)
      })
    })

    test('are rejected and may retry if too many queries of their key are queued, and other keys are not', async () => {
      await withStore(async (store) => {
        const greedy = Promise.allSettled(Array.from({ length: 2 * queueLength }, () => askAs(store, 'greedy')))
        expect((await askAs(store, 'modest')).results).toBe(results.length)
        const refused = (await greedy).flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
        expect(refused.length).toBeGreaterThan(0)
        for (const reason of refused) expect(reason).toMatchObject({ name: 'StoreUnavailable' })
      })
    })

    test('may abort a queued or running query, and other queries continue', async () => {
      await withStore(async (store) => {
        const abort = new AbortController()
        const aborted = Promise.allSettled(Array.from({ length: 9 }, () => askAs(store, 'gone', abort.signal)))
        const others = Array.from({ length: 4 }, () => askAs(store, 'patient'))
        abort.abort()
        for (const outcome of await aborted) expect(outcome).toMatchObject({ reason: { name: 'AbortError' } })
        for (const answer of await Promise.all(others)) expect(answer.results).toBe(results.length)
      })
    })
  })
}
