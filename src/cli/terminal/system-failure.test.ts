import { expect, test } from 'vitest'
import { DamagedData } from '../../store/embedded/disk/errors.ts'
import { systemFailure } from './system-failure.ts'

const refused = (code: string, more: object = {}) =>
  Object.assign(new Error(code), { code, syscall: 'open', path: '/etc/tidemark.yaml', ...more })

test.each(['EACCES', 'EBUSY', 'ENOSPC', 'EROFS'])('%s is a sentence that names the file and what to do', (code) => {
  const failure = systemFailure(refused(code))
  expect(failure?.message).toMatch(new RegExp(`^/etc/tidemark\\.yaml cannot be used \\(${code}, open\\)\\. [A-Z].*\\.$`))
  expect(failure?.exitCode).toBe(1)
})

test('the target of a rename is what could not be replaced', () => {
  expect(systemFailure(refused('EBUSY', { syscall: 'rename', dest: '/etc/t.yaml' }))?.message).toMatch(/^\/etc\/t\.yaml cannot be used/)
})

test('a full disk below the database is called that', () => {
  const error = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', sqliteCode: 13 })
  expect(systemFailure(error)?.message).toContain('The disk is full')
})

test.each([
  ['of the driver of SQLite', new RangeError('Value is too large to be represented as a JavaScript number: 4611686018427387904')],
  ['of SQLite', new Error('database disk image is malformed')],
  ['of a checksum', new DamagedData('The stored data at 1 day 2 is damaged. Run: tidemark doctor')],
])('an error %s says that the data is damaged and what finds out more', (_, error) => {
  expect(systemFailure(error)?.message).toMatch(/^The stored data is damaged \(.*[^.]\)\. Run: tidemark doctor$/)
})

test('a bug is none of these', () => {
  expect(systemFailure(new TypeError('x is undefined'))).toBeNull()
  expect(systemFailure(Object.assign(new Error('x'), { code: 'ERR_INVALID_ARG_TYPE' }))).toBeNull()
})
