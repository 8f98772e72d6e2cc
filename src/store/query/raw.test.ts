import { expect, test } from 'vitest'
import { calm } from '../../../test/support/results.ts'
import { temporaryStore } from '../../../test/support/temporary-store.ts'
import type { CheckRef, FiledResult } from '../store.ts'

const check: CheckRef = { account: 'acme', checkId: 'homepage' }
const start = Date.UTC(2026, 10, 1)
const [locations, runsEach] = [501, 100]

test('runs by location are rejected if there are more than 50,000 in one answer', { timeout: 60_000 }, async () => {
  const { store } = await temporaryStore()
  const results = Array.from({ length: locations * runsEach }, (_, i): FiledResult => {
    const runLocation = `location-${i % locations}`
    return { check, result: { ...calm, id: null, startedAt: start + i, runLocation, values: {}, pages: [] } }
  })
  await store.append(results)
  const window = { from: start, to: start + results.length }
  const ask = (limit: number) =>
    store.raw({ check, window, filter: null, metrics: [], groupBy: { by: 'location' }, rowPage: { offset: 0, limit }, groupPage: null })
  await expect(ask(runsEach)).rejects.toMatchObject({ name: 'QueryTooLarge', message: expect.stringContaining('50100 rows in 501 groups') })
  expect(await ask(runsEach - 1)).toHaveLength(locations)
})
