import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testCheck } from '../../../../test/support/catalogue.ts'
import { testResult } from '../../../../test/support/results.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { checkTypes } from '../../../checks/registry.ts'
import { createEmbeddedStore } from '../embedded-store.ts'
import { backUp } from './backup.ts'

let umask = 0
beforeEach(() => {
  umask = process.umask(0)
})
afterEach(() => {
  process.umask(umask)
})

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const modesIn = (directory: string) => Object.fromEntries(readdirSync(directory).map((name) => [name, modeOf(join(directory, name))]))

test('a new data folder and its files are accessible only to their owner, whatever the umask', async () => {
  const directory = join(temporaryFolder(), 'data')
  const store = await createEmbeddedStore({ directory, workers: 0 })
  for (const checkType of checkTypes) await store.append([testResult(testCheck(checkType), Date.now())])
  expect(modeOf(directory)).toBe('700')
  const modes = modesIn(directory)
  expect(modes).toMatchObject({ lock: '600', 'tidemark.db': '600', 'tidemark.db-shm': '600', 'tidemark.db-wal': '600' })
  expect(new Set(Object.values(modes))).toEqual(new Set(['600']))
  await store.close()
})

test('readable files of an older version are restricted, and the mode of the folder is kept', async () => {
  const directory = join(temporaryFolder(), 'data')
  mkdirSync(directory, { mode: 0o750 })
  const first = await createEmbeddedStore({ directory, workers: 0 })
  await first.close()
  for (const name of readdirSync(directory)) chmodSync(join(directory, name), 0o644)
  const store = await createEmbeddedStore({ directory, workers: 0 })
  expect(modeOf(directory)).toBe('750')
  expect(new Set(Object.values(modesIn(directory)))).toEqual(new Set(['600']))
  await store.close()
})

test('a backup is accessible only to its owner, too', async () => {
  const [directory, copy] = [join(temporaryFolder(), 'data'), join(temporaryFolder(), 'copy')]
  const store = await createEmbeddedStore({ directory, workers: 0 })
  await backUp(directory, copy)
  expect(modeOf(copy)).toBe('700')
  expect(modesIn(copy)).toEqual({ 'tidemark.db': '600' })
  await store.close()
})
