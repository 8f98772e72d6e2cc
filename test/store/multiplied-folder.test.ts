import { expect, test } from 'vitest'
import { multiply } from '../../bench/multiply.ts'
import { allTime } from '../../src/calendar/window.ts'
import { inspect } from '../../src/store/embedded/disk/inspect.ts'
import { createEmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import type { CheckRef, FiledResult, Result } from '../../src/store/store.ts'
import { dayMs } from '../../src/time.ts'
import { calm } from '../support/results.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const start = Date.UTC(2026, 9, 1)
const periodDays = 3
const seeds = 2
const checks = Array.from({ length: 5 }, (_, i) => ({ account: 'acme', checkId: `check-${i}` }))

/** Results of a check over one period, the given number of periods ago: values differ by seed. */
function results(check: CheckRef, seed: number, period: number): readonly FiledResult[] {
  return Array.from({ length: 90 }, (_, i) => ({
    check,
    result: {
      ...calm,
      id: null,
      startedAt: start + Math.floor((i * periodDays * dayMs) / 90) - period * periodDays * dayMs,
      runLocation: ['eu', 'us'][i % 2] ?? '',
      values: { dns: seed * 1000 + i / 8 },
      pages: [],
    },
  }))
}

async function folderWith(batches: readonly (readonly FiledResult[])[]): Promise<string> {
  const directory = temporaryFolder()
  const store = await createEmbeddedStore({ directory, workers: 0 })
  for (const batch of batches) await store.append(batch)
  await store.seal()
  await store.close()
  return directory
}

async function contentsOf(directory: string) {
  const store = await createEmbeddedStore({ directory, workers: 0 })
  const stored: Result[][] = []
  for (const check of checks) stored.push(await resultsOf(store.scan(check, allTime)))
  const latest = (await store.latest(checks)).map(({ byLocation }) => byLocation.map(({ arrivedAt, ...result }) => result))
  await store.close()
  return { stored, latest, ...inspect(directory) }
}

async function resultsOf(pages: AsyncIterable<readonly Result[]>): Promise<Result[]> {
  const results: Result[] = []
  for await (const page of pages) results.push(...page)
  return results
}

test('a data folder multiplied by a bench is the same as if all of its results had been appended', async () => {
  const multiplied = await folderWith(checks.slice(0, seeds).map((check, i) => results(check, i, 0)))
  multiply(multiplied, { checks, seeds, periods: 2, periodDays })
  const appended = await folderWith(checks.flatMap((check, i) => [1, 0].map((period) => results(check, i % seeds, period))))
  const contents = await contentsOf(multiplied)
  expect(contents.problems).toEqual([])
  expect(contents).toEqual(await contentsOf(appended))
})
