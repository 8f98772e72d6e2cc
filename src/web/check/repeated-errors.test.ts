import { expect, test } from 'vitest'
import { repeatsError } from './repeated-errors.ts'

const failed = (error: string | null) => ({ hasFailures: true, error })
const passed = { hasFailures: false, error: null }

test('an error is shown once for consecutive runs that have it', () => {
  const runs = [failed('a'), failed('a'), failed('b'), passed, failed('b'), failed('b'), failed(null), failed(null)]
  expect(runs.map((_, index) => repeatsError(runs, index))).toEqual([false, true, false, false, false, true, false, false])
})
