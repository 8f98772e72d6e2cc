// @slow
import { DatabaseSync } from '@photostructure/sqlite'
import { expect, test } from 'vitest'
import { calm } from '../../../test/support/results.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { databaseFile } from './disk/database.ts'
import { createEmbeddedStore } from './embedded-store.ts'
import { openReadOnly } from './read-only.ts'

const check = { account: 'acme', checkId: 'homepage' }

async function folderOf(count: number): Promise<string> {
  const directory = temporaryFolder()
  const store = await createEmbeddedStore({ directory, workers: 0, clock: () => count })
  await store.append(
    Array.from({ length: count }, (_, startedAt) => ({
      check,
      result: { ...calm, id: null, startedAt, runLocation: 'eu', values: {}, pages: [] },
    })),
  )
  await store.seal()
  await store.close()
  return directory
}

async function pages(directory: string, window: { from: number; to: number }, signal?: AbortSignal): Promise<number[][]> {
  const store = openReadOnly(directory)
  try {
    const found: number[][] = []
    for await (const results of store.scan(check, window, signal && { signal })) found.push(results.map(({ startedAt }) => startedAt))
    return found
  } finally {
    await store.close()
  }
}

test('all results of a window are returned in pages, once each and in order', async () => {
  const directory = await folderOf(20_000)
  for (const count of [0, 1, 7999, 8000, 8001, 16_000]) {
    const found = await pages(directory, { from: 100, to: 99 + count })
    expect(found.flat()).toEqual(Array.from({ length: count }, (_, i) => 100 + i))
    expect(found.every(({ length }) => length > 0 && length <= 8000)).toBe(true)
  }
})

test('an aborted scan rejects with the reason', async () => {
  const directory = await folderOf(1)
  await expect(pages(directory, { from: 0, to: 1 }, AbortSignal.abort(new Error('not wanted any more')))).rejects.toThrow(
    'not wanted any more',
  )
})

test.each([
  ['UPDATE chunk SET crc = crc + 1', /^The database in .* is damaged \(The stored data at .* is damaged\)\. Run: tidemark doctor --data /],
  ['UPDATE series SET edition = 1; DROP TABLE hot', /is damaged \(its tables were altered\)\. Run: tidemark doctor --data /],
])('damage is reported with a hint (%s)', async (statement, message) => {
  const directory = await folderOf(1)
  const database = new DatabaseSync(databaseFile(directory))
  database.exec(statement)
  database.close()
  await expect(pages(directory, { from: 0, to: 1 })).rejects.toThrow(message)
})

test('a folder without a database is not turned into one', async () => {
  await expect(pages(temporaryFolder(), { from: 0, to: 1 })).rejects.toThrow(/no such file/)
})
