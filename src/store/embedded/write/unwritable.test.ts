import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { rethrowUnwritable } from './unwritable.ts'

test('a folder that cannot be written is an unavailable store, with a public reason without a path', async () => {
  await expect(rethrowUnwritable(new Error('database or disk is full'), '/data')).rejects.toMatchObject({
    name: 'StoreUnavailable',
    retryAfterSeconds: 30,
    message: 'Nothing can be stored in /data: the disk is full (database or disk is full).',
    publicReason: 'Tidemark cannot store results: the disk is full.',
  })
})

test('an I/O error of SQLite has the reason of the operating system', async () => {
  const folder = temporaryFolder()
  const failed = new Error('disk I/O error')
  await expect(rethrowUnwritable(failed, folder)).rejects.toMatchObject({
    publicReason: expect.stringContaining('the disk fails to write'),
  })
  rmSync(folder, { recursive: true })
  await expect(rethrowUnwritable(failed, folder)).rejects.toMatchObject({
    publicReason: expect.stringContaining('the data folder no longer exists'),
  })
  const readOnly = new Error('attempt to write a readonly database')
  await expect(rethrowUnwritable(readOnly, '/proc')).rejects.toMatchObject({ name: 'StoreUnavailable' })
})

test('another failure is passed on', async () => {
  await expect(rethrowUnwritable(new Error('a bug'), '/data')).rejects.toThrow('a bug')
})
