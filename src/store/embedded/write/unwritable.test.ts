import { expect, test } from 'vitest'
import { rethrowUnwritable } from './unwritable.ts'

test('a folder that cannot be written is a store that is unavailable; another failure stays as it is', () => {
  const full = { name: 'StoreUnavailable', retryAfterSeconds: 30, message: 'Results cannot be stored: database or disk is full.' }
  expect(() => rethrowUnwritable(new Error('database or disk is full'))).toThrow(expect.objectContaining(full))
  expect(() => rethrowUnwritable(new Error('a bug'))).toThrow('a bug')
})
