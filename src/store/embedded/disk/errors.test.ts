import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { unwritableFolder } from './errors.ts'
import { lock } from './lock.ts'

test('a full disk is reported as such', () => {
  const database = new DatabaseSync(':memory:')
  database.exec('PRAGMA max_page_count = 2; CREATE TABLE t (x)')
  const fill = () => database.exec('INSERT INTO t VALUES (zeroblob(100000))')
  let problem: unknown
  try {
    fill()
  } catch (error) {
    problem = error
  }
  expect(unwritableFolder('./data', problem).message).toBe('The disk of ./data is full. Free some space, and start again.')
  database.close()
})

test('a folder in use by another process is reported as such', () => {
  const folder = join(temporaryFolder(), 'data')
  const unlock = lock(folder)
  expect(() => lock(folder)).toThrow('Another Tidemark is using the data folder')
  unlock()
  lock(folder)()
})
