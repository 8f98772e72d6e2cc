// @slow
import { rmSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyAggregateQuery, anyRawQuery, anyResults, check, span } from '../../../test/support/arbitrary-results.ts'
import { inOrder } from '../../../test/support/oracle.ts'
import { describeRuns } from '../../../test/support/runs-conformance.ts'
import { describeStates } from '../../../test/support/states-conformance.ts'
import { describeStore, file, type OpenForTest, scanned } from '../../../test/support/store-conformance.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { triesOf } from '../../../test/support/tries.ts'
import type { Result } from '../store.ts'
import { openForReading } from './disk/database.ts'
import { createEmbeddedStore, type EmbeddedStore } from './embedded-store.ts'

const openHot = async (now: number) => {
  const directory = temporaryFolder()
  const store = await createEmbeddedStore({ directory, workers: 0, clock: () => now })
  return {
    store,
    directory,
    dispose: async () => {
      await store.close()
      rmSync(directory, { recursive: true })
    },
  }
}

/** A store that seals everything after each append. */
const openSealed: OpenForTest = async (now) => {
  const { store, dispose } = await openHot(now)
  const append: EmbeddedStore['append'] = async (results) => {
    const appended = await store.append(results)
    await store.seal()
    return appended
  }
  return { store: { ...store, append }, dispose }
}

describeStore('hot', openHot)
describeStore('sealed', openSealed)
describeRuns('hot', openHot)
describeRuns('sealed', openSealed)
describeStates('hot', openHot)
describeStates('sealed', openSealed)

async function withStore<T>(work: (store: EmbeddedStore, directory: string) => Promise<T>): Promise<T> {
  const { store, directory, dispose } = await openHot(span.to)
  try {
    return await work(store, directory)
  } finally {
    await dispose()
  }
}

/** Queries three stores: all results hot, the first half sealed before the rest arrives, and all sealed. */
async function inEveryState<T>(results: readonly Result[], ask: (store: EmbeddedStore) => Promise<T>): Promise<readonly [T, T, T]> {
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
    await ask(store) // What it caches here must not affect the answer after the next sealing.
    await store.append(file(results))
    await store.seal()
    return ask(store)
  })
  return Promise.all([hot, halfSealed, sealed])
}

describe('the same results give bitwise equal answers', () => {
  test('hot, half sealed and sealed, for any query', async () => {
    const questions = fc.record({
      aggregates: fc.array(anyAggregateQuery, { minLength: 1, maxLength: 4 }),
      raws: fc.array(anyRawQuery, { minLength: 1, maxLength: 2 }),
    })
    await fc.assert(
      fc.asyncProperty(anyResults, questions, async (results, { aggregates, raws }) => {
        const [hot, halfSealed, sealed] = await inEveryState(results, async (store) => ({
          aggregates: await Promise.all(aggregates.map((query) => store.aggregate(query))),
          raws: await Promise.all(raws.map((query) => store.raw(query))),
          scanned: await scanned(store, check),
        }))
        expect(halfSealed).toEqual(hot)
        expect(sealed).toEqual(hot)
      }),
      { numRuns: triesOf(25) },
    )
  })
})

describe('small segments', () => {
  test('are compacted, and their results are found in order and recognized as duplicates', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyResults, { minLength: 3, maxLength: 3 }), async (some) => {
        const results = [...new Map(some.flatMap((few) => few.slice(0, 40)).map((result) => [result.id, result])).values()]
        await withStore(async (store, directory) => {
          for (const result of results) await store.append(file([result]))
          await expect.poll(() => segmentsIn(directory)).toBeLessThan(33)
          expect(await scanned(store, check)).toEqual(inOrder(check, results))
          expect(await store.append(file(results))).toEqual({ duplicates: results.map((_, i) => i) })
        })
      }),
      { numRuns: triesOf(10) },
    )
  })
})

function segmentsIn(directory: string): number {
  const database = openForReading(directory)
  const { segments } = database.prepare('SELECT count(*) AS segments FROM hot').get()
  database.close()
  return segments
}

test('a second store on the same folder is rejected until the first is closed', async () => {
  const directory = temporaryFolder()
  const first = await createEmbeddedStore({ directory, workers: 0 })
  await expect(createEmbeddedStore({ directory, workers: 0 })).rejects.toThrow('Another Tidemark is using the data folder')
  await first.close()
  await (await createEmbeddedStore({ directory, workers: 0 })).close()
})
