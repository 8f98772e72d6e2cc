import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { makeFolder } from './make-folder.ts'

test('a folder is created with its parents, and may exist already', () => {
  const folder = join(temporaryFolder(), 'a/b/c')
  makeFolder(folder)
  makeFolder(folder)
  expect(existsSync(folder)).toBe(true)
})

test('a folder that cannot be created is an error at once', () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  expect(() => makeFolder(join(file, 'a'))).toThrow(/ENOTDIR|EEXIST/)
  expect(() => makeFolder(file)).toThrow('EEXIST')
})

test.skipIf(!existsSync('/proc/self'))('a folder where nobody can create one is an error, too', () => {
  expect(() => makeFolder('/proc/tidemark/data')).toThrow('ENOENT')
})
