import { expect, onTestFinished, test } from 'vitest'
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
import { createEmbeddedStore } from './embedded-store.ts'
import { openReader } from './query/reader.ts'

async function openStore(maxQuestionCost: number) {
  const directory = temporaryFolder()
  const store = await createEmbeddedStore({ directory, workers: 0, maxQuestionCost })
  onTestFinished(() => store.close())
  return { store, directory, dispose: () => store.close() }
}

/** A store that seals everything after each call that appends. */
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

test('a page of runs is not answered in the main thread where many results are hot', async () => {
  const { store } = await openStore(100)
  await store.append(costedResults)
  const page = () => store.raw({ ...whole, window: everything, check, groupBy: null, metrics: [] })
  expect((await page())[0]?.rows).toHaveLength(10)
  const many = Array.from({ length: 2000 }, (_, i) => ({
    check,
    result: { ...calm, id: `r${i}`, startedAt: everything.to, runLocation: 'eu', values: {}, pages: [] },
  }))
  await store.append(many)
  await expect(page()).rejects.toMatchObject({ name: 'QueryTooLarge' })
  await store.seal()
  expect((await page())[0]?.rows).toHaveLength(10)
})

test('a question that nobody waits for ends between two days', async () => {
  const { store, directory } = await openStore(Number.POSITIVE_INFINITY)
  await store.append(costedResults)
  await store.seal()
  let checkpoints = 0
  const reader = openReader(directory, 0, () => {
    checkpoints++
    if (checkpoints > days / 2) throw new Error('cancelled')
  })
  onTestFinished(() => reader.close())
  expect(() => reader.scan({ check, window: everything, after: null, limit: days * perDay })).toThrow('cancelled')
  expect(checkpoints).toBe(days / 2 + 1)
})
