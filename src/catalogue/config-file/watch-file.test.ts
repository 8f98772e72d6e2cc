import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { signature, watchFile } from './watch-file.ts'
import { type WatchedPath, watchedFile, watchedFolder } from './watched-paths.ts'

const never = 2 ** 30

/** Watches a file and all other texts of its folder; `applied` has what was read at each change. */
async function watched() {
  const folder = temporaryFolder()
  const file = join(folder, 'main.yaml')
  const other = join(folder, 'other.txt')
  await writeFile(file, 'old')
  await writeFile(other, 'old')
  const applied: string[] = []
  const look = (): readonly WatchedPath[] => [watchedFolder(folder, '*.txt'), watchedFile(other)]
  let others = look()
  const changed = async () => {
    others = look()
    applied.push(await readFile(file, 'utf8'))
    return true
  }
  const { poll, close } = watchFile(file, { seen: await signature(file), pollMs: never, others: () => others, changed })
  onTestFinished(close)
  return { file, other, applied, poll }
}

test('a file that is written in steps is applied once it is stable', async () => {
  const { file, applied, poll } = await watched()
  await writeFile(file, '')
  await poll()
  await writeFile(file, 'half')
  await poll()
  await writeFile(file, 'half and half')
  await poll()
  expect(applied).toEqual([])
  await poll()
  await poll()
  expect(applied).toEqual(['half and half'])
})

test('files that are replaced one after the other are applied together', async () => {
  const { file, other, applied, poll } = await watched()
  await writeFile(file, 'new')
  await poll()
  await rm(other)
  await poll()
  await writeFile(other, 'new')
  await poll()
  expect(applied).toEqual([])
  await poll()
  await poll()
  expect(applied).toEqual(['new'])
})

test('a change that is reverted is not applied', async () => {
  const { other, applied, poll } = await watched()
  const added = `${other}.txt`
  await writeFile(added, '')
  await poll()
  await rm(added)
  await poll()
  await writeFile(added, '')
  await poll()
  expect(applied).toEqual([])
  await poll()
  expect(applied).toEqual(['old'])
})
