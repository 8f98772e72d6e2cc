import { expect, test } from 'vitest'
import { apiError } from '../errors.ts'
import { QueryTooLarge, StoreUnavailable } from '../store/store.ts'

test.each([
  ['ApiError', () => apiError('CHECK_NOT_FOUND')],
  ['StoreUnavailable', () => new StoreUnavailable('The disk is full.', 1, { cause: new Error('ENOSPC') })],
  ['QueryTooLarge', () => new QueryTooLarge('it reads too much', { cause: new Error('too much') })],
])('an expected error (%s) has no stack trace, and bugs keep theirs', (name, create) => {
  const error = create()
  expect(error).toBeInstanceOf(Error)
  expect([error.name, error.stack?.includes('\n    at ')]).toEqual([name, false])
  expect(new Error('a bug').stack).toContain('\n    at ')
})
