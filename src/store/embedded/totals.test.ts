// @slow
import { DatabaseSync } from '@photostructure/sqlite'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { anyResults, check, span } from '../../../test/support/arbitrary-results.ts'
import { calm } from '../../../test/support/results.ts'
import { file } from '../../../test/support/store-conformance.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { temporaryStore } from '../../../test/support/temporary-store.ts'
import { triesOf } from '../../../test/support/tries.ts'
import { dayMs } from '../../time.ts'
import type { Result } from '../store.ts'
import { durationBoundsMs, type LocationTotals } from '../totals.ts'
import { databaseFile } from './disk/database.ts'
import { createEmbeddedStore } from './embedded-store.ts'

const metric = 'responseTime'
const sources = [{ check, duration: metric }]

/** The totals by plain counting. */
function countedPlainly(results: readonly Result[]): readonly LocationTotals[] {
  const locations = [...new Set(results.map(({ runLocation }) => runLocation))].sort((a, b) =>
    Buffer.compare(Buffer.from(a), Buffer.from(b)),
  )
  return locations.map((location) => {
    const own = results.filter(({ runLocation }) => runLocation === location)
    const durations = own.flatMap(({ values }) => values[metric] ?? [])
    const upTo = (bound: number) => durations.filter((duration) => duration <= bound).length
    const cumulative = [...durationBoundsMs.map(upTo), durations.length]
    return {
      location,
      passed: own.filter(({ hasFailures, isDegraded }) => !hasFailures && !isDegraded).length,
      degraded: own.filter(({ hasFailures, isDegraded }) => !hasFailures && isDegraded).length,
      failed: own.filter(({ hasFailures }) => hasFailures).length,
      retries: own.reduce((sum, { attempts }) => sum + attempts - 1, 0),
      buckets: cumulative.map((count, i) => count - (cumulative[i - 1] ?? 0)),
      durationMicros: durations.reduce((sum, duration) => sum + Math.round(duration * 1000), 0),
    }
  })
}

test('totals equal a naive count: read from the store, kept up to date, and after a restart', async () => {
  await fc.assert(
    fc.asyncProperty(anyResults, async (results) => {
      const { store, reopen } = await temporaryStore(() => span.to)
      const half = Math.ceil(results.length / 2)
      await store.append(file(results.slice(0, half)))
      expect((await store.totals(sources))[0]).toEqual(countedPlainly(results.slice(0, half)))
      await store.append(file(results))
      const [updated] = await store.totals(sources)
      expect(updated).toEqual(countedPlainly(results))
      await store.seal()
      expect((await store.totals(sources))[0]).toBe(updated)
      expect((await (await reopen()).totals(sources))[0]).toEqual(updated)
    }),
    { numRuns: triesOf(12) },
  )
})

test('results that the retention drops stay counted until a restart', async () => {
  const now = 40 * dayMs
  const { store, reopen } = await temporaryStore(() => now)
  const at = (startedAt: number): Result => ({
    id: `r${startedAt}`,
    startedAt,
    runLocation: 'eu',
    ...calm,
    values: {},
    pages: [],
  })
  await store.append(file([at(dayMs), at(now - dayMs)]))
  expect((await store.totals(sources))[0]).toMatchObject([{ passed: 2 }])
  await store.applyRetention(7)
  await store.append(file([at(now)]))
  expect((await store.totals(sources))[0]).toMatchObject([{ passed: 3 }])
  expect((await (await reopen()).totals(sources))[0]).toMatchObject([{ passed: 2 }])
})

test('a check without results has no totals', async () => {
  const { store } = await temporaryStore()
  expect(await store.totals(sources)).toEqual([[]])
})

test('damage of one check does not affect others', async () => {
  const directory = temporaryFolder()
  const logged: string[] = []
  const open = () => createEmbeddedStore({ directory, workers: 0, clock: () => dayMs, log: (line) => void logged.push(String(line)) })
  const first = await open()
  const both = ['shop', 'blog'].map((checkId) => ({ check: { account: 'acme', checkId }, duration: null }))
  for (const { check: own } of both)
    await first.append([{ check: own, result: { ...calm, id: null, startedAt: 1, runLocation: 'eu', values: {}, pages: [] } }])
  await first.seal()
  await first.close()
  const database = new DatabaseSync(databaseFile(directory))
  database.exec("UPDATE day SET crc = crc + 1 WHERE series = (SELECT key FROM series WHERE checkId = 'shop')")
  database.close()
  const store = await open()
  onTestFinished(() => store.close())
  expect(await store.totals(both)).toMatchObject(['damaged', [{ passed: 1 }]])
  expect(logged).toEqual([expect.stringMatching(/^Metrics omit the counters of shop of acme: The stored data at .* is damaged\./)])
})
