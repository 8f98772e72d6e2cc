// @slow
import { rmSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { check } from '../../../test/support/arbitrary-results.ts'
import { calm } from '../../../test/support/results.ts'
import { filedRows, naiveOutages, naiveRows, plainPolicy, scaled, statesQuery } from '../../../test/support/states-conformance.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { type History, histories, naiveState, type Row, windows } from '../../../test/support/timeline.ts'
import { triesOf } from '../../../test/support/tries.ts'
import { createEmbeddedStore, type EmbeddedStore } from './embedded-store.ts'

/** How the results of a history are delivered: their order, the size of calls, and the calls after which everything is sealed. */
const deliveries = fc.record({
  order: fc.infiniteStream(fc.nat()),
  size: fc.integer({ min: 1, max: 30 }),
  seals: fc.infiniteStream(fc.boolean()),
})

test('states and outages follow the recorded regimes, in any order of arrival, sealed or not', async () => {
  await fc.assert(
    fc.asyncProperty(histories, windows, deliveries, async (history, window, { order, size, seals }) => {
      const shuffled = history.rows.map((row) => ({ row, rank: order.next().value })).sort((a, b) => a.rank - b.rank)
      await withStore(async (store) => {
        await recordRegimes(store, history)
        await deliver(
          store,
          shuffled.map(({ row }) => row),
          { size, seals: () => seals.next().value },
        )
        const query = statesQuery(history, window, plainPolicy, [window])
        const [answer] = await store.states(query)
        expect(answer?.groups[0]?.rows).toEqual(naiveRows(history, window, plainPolicy, [window], (at) => naiveState(history, at)))
        const outages = await store.outages({ ...query, minMs: 0, after: null, limit: 1000 })
        expect(outages.toReversed()).toEqual(naiveOutages(check, history, window))
      })
    }),
    { numRuns: triesOf(60) },
  )
})

test('the current rhythm of a check applies to the time before it was first recorded', async () => {
  await withStore(async (store) => {
    const rhythm = { periodMs: 1000, locations: 1, parallel: true }
    const recordedAt = 100_000
    await store.recordDefinitions([{ ...check, fingerprint: '1', rhythm: { ...rhythm, periodMs: 2000 } }], recordedAt)
    const results = [0, recordedAt].map((startedAt) => ({ ...calm, id: null, startedAt, runLocation: 'eu', values: {}, pages: [] }))
    await store.append(results.map((result) => ({ check, result })))
    const upFrom = async (from: number) => {
      const window = { from, to: from + 10_000 }
      const sources = [{ check, rhythm, maintenance: [] }]
      const [answer] = await store.states({ ...question, sources, window, rows: [window] })
      return answer?.groups[0]?.rows[0]?.up
    }
    expect(await upFrom(0)).toBe(1500)
    expect(await upFrom(recordedAt)).toBe(3000)
  })
})

const question = { now: Date.UTC(2026, 10, 20), quorum: 1, byLocation: false, serviceHours: null, minOutageMs: 0, intervals: false }

/** The first regime is the current rhythm; later ones are recorded when they begin. */
async function recordRegimes(store: EmbeddedStore, { regimes }: History): Promise<void> {
  for (const [i, regime] of regimes.entries()) {
    if (i === 0) continue
    const { from, ...rhythm } = scaled(regime)
    await store.recordDefinitions([{ ...check, fingerprint: String(i), rhythm }], from)
  }
}

type Delivery = { readonly size: number; readonly seals: () => boolean }

async function deliver(store: EmbeddedStore, rows: readonly Row[], { size, seals }: Delivery): Promise<void> {
  for (let first = 0; first < rows.length; first += size) {
    await store.append(filedRows(check, rows.slice(first, first + size)))
    if (seals()) await store.seal()
  }
}

async function withStore(work: (store: EmbeddedStore) => Promise<void>): Promise<void> {
  const directory = temporaryFolder()
  const store = await createEmbeddedStore({ directory, workers: 0, clock: () => Date.UTC(2026, 10, 20) })
  try {
    await work(store)
  } finally {
    await store.close()
    rmSync(directory, { recursive: true })
  }
}
