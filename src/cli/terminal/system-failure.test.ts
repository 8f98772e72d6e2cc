import { expect, test } from 'vitest'
import { DamagedData } from '../../store/embedded/disk/errors.ts'
import { systemFailure } from './system-failure.ts'

const refused = (code: string, more: object = {}) =>
  Object.assign(new Error(code), { code, syscall: 'open', path: '/etc/tidemark.yaml', ...more })

test.each(['EACCES', 'EBUSY', 'ENOSPC', 'EROFS'])('%s is reported with the file and a hint', (code) => {
  const failure = systemFailure(refused(code))
  expect(failure?.message).toMatch(new RegExp(`^/etc/tidemark\\.yaml cannot be used \\(${code}, open\\)\\. [A-Z].*\\.$`))
  expect(failure?.exitCode).toBe(1)
})

test('the target of a failed rename is reported', () => {
  expect(systemFailure(refused('EBUSY', { syscall: 'rename', dest: '/etc/t.yaml' }))?.message).toMatch(/^\/etc\/t\.yaml cannot be used/)
})

test('a full disk is reported as such if the database fails', () => {
  const error = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', sqliteCode: 13 })
  expect(systemFailure(error)?.message).toContain('The disk is full')
})

test.each([
  ['of the driver of SQLite', new RangeError('Value is too large to be represented as a JavaScript number: 4611686018427387904')],
  ['of SQLite', new Error('database disk image is malformed')],
  ['of a checksum', new DamagedData('The stored data at 1 day 2 is damaged. Run: tidemark doctor')],
])('an error %s is reported as damaged data, with the command to diagnose it', (_, error) => {
  expect(systemFailure(error)?.message).toMatch(/^The stored data is damaged \(.*[^.]\)\. Run: tidemark doctor$/)
})

test('other errors are not system failures', () => {
  expect(systemFailure(new TypeError('x is undefined'))).toBeNull()
  expect(systemFailure(Object.assign(new Error('x'), { code: 'ERR_INVALID_ARG_TYPE' }))).toBeNull()
})
