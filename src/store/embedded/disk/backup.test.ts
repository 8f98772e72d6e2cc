import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { calm } from '../../../../test/support/results.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { derivedId } from '../../derived-id.ts'
import { createEmbeddedStore } from '../embedded-store.ts'
import { openReadOnly } from '../read-only.ts'
import { backUp } from './backup.ts'
import { databaseFile } from './database.ts'
import { inspect } from './inspect.ts'

const check = { account: 'acme', checkId: 'homepage' }
const window = { from: 0, to: Number.MAX_SAFE_INTEGER }
const resultAt = (startedAt: number) => ({
  check,
  result: { ...calm, id: null, startedAt, runLocation: 'eu', values: {}, pages: [] },
})

async function times(directory: string): Promise<readonly number[]> {
  const store = openReadOnly(directory)
  const found: number[] = []
  for await (const results of store.scan(check, window)) found.push(...results.map(({ startedAt }) => startedAt))
  await store.close()
  return found
}

async function evidenceAt(directory: string, startedAt: number): Promise<string> {
  const store = await createEmbeddedStore({ directory, workers: 0, clock: () => 5000 })
  const found = await store.result({ check, id: derivedId(check, 'eu', startedAt), startedAt })
  await store.close()
  return Buffer.from(found?.evidence ?? []).toString()
}

test('a copy has all results, also while the store is in use', async () => {
  const directory = temporaryFolder()
  const destination = join(temporaryFolder(), 'of', 'today')
  const store = await createEmbeddedStore({ directory, workers: 0, clock: () => 5000 })
  await store.append([resultAt(1000)])
  await store.seal()
  await store.append([{ ...resultAt(2000), evidence: Buffer.from('evidence') }])
  await backUp(directory, destination)
  await store.append([resultAt(3000)])
  await store.close()
  expect(await times(destination)).toEqual([1000, 2000])
  expect(await evidenceAt(destination, 2000)).toBe('evidence')
  expect(await times(directory)).toEqual([1000, 2000, 3000])
  expect(inspect(destination).problems).toEqual([])
})

test('a folder that already has a copy is rejected and unchanged', async () => {
  const [directory, destination] = [temporaryFolder(), temporaryFolder()]
  await (await createEmbeddedStore({ directory, workers: 0 })).close()
  await backUp(directory, destination)
  await expect(backUp(directory, destination)).rejects.toThrow(`${destination} already has a copy. Choose another folder.`)
  expect(readdirSync(destination)).toEqual(['tidemark.db'])
})

test('leftovers of an interrupted copy are replaced', async () => {
  const [directory, destination] = [temporaryFolder(), temporaryFolder()]
  await (await createEmbeddedStore({ directory, workers: 0 })).close()
  writeFileSync(`${databaseFile(destination)}.partial`, 'half of it')
  await backUp(directory, destination)
  expect(readdirSync(destination)).toEqual(['tidemark.db'])
})

test('nothing is copied from an empty folder', async () => {
  const destination = temporaryFolder()
  await expect(backUp(temporaryFolder(), destination)).rejects.toThrow()
  expect(existsSync(databaseFile(destination))).toBe(false)
})
