import { expect, test } from 'vitest'
import { calm } from '../../../../test/support/results.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { dayMs, dayOf } from '../../../time.ts'
import { openForWriting } from '../disk/database.ts'
import { createEmbeddedStore } from '../embedded-store.ts'
import { openResultCounts } from './result-counts.ts'

const start = Date.UTC(2026, 10, 1)
const check = { account: 'acme', checkId: 'homepage' }
const resultAt = (startedAt: number) => ({ check, result: { ...calm, id: null, startedAt, runLocation: 'eu', values: {}, pages: [] } })
const dayWindow = (day: number) => ({ from: start + day * dayMs, to: start + (day + 1) * dayMs - 1 })

/** Three sealed days of 1, 2 and 3 results, and 4 hot results. */
async function filledFolder(): Promise<string> {
  const directory = temporaryFolder()
  const store = await createEmbeddedStore({ directory, workers: 0, clock: () => start + 3 * dayMs })
  await store.append([1, 2, 3].flatMap((count, day) => Array.from({ length: count }, (_, i) => resultAt(start + day * dayMs + i))))
  await store.seal()
  await store.append([0, 1, 2, 3].map((i) => resultAt(start + 3 * dayMs + i)))
  await store.close()
  return directory
}

test('counts cover the days of a window, and all hot results', async () => {
  const database = openForWriting(await filledFolder())
  const counts = openResultCounts(database)
  expect(counts.of(check, dayWindow(1))).toBe(2 + 4)
  expect(counts.of(check, { from: start, to: dayWindow(2).to })).toBe(6 + 4)
  expect(counts.hot(check)).toBe(4)
  expect(counts.committed(check)).toBe(10)
  expect(counts.of({ ...check, checkId: 'another' }, dayWindow(1))).toBe(0)
  database.close()
})

test('counting the results of a window does not read other days, of which there may be thousands', async () => {
  const database = openForWriting(await filledFolder())
  database.prepare('UPDATE day SET crc = crc + 1 WHERE day = ?').run(dayOf(start))
  expect(openResultCounts(database).of(check, dayWindow(2))).toBe(3 + 4)
  database.close()
})
