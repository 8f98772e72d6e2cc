import { expect, test } from 'vitest'
import { abortable } from './failures.ts'

test('work that fails after its run was cancelled has no effect', async () => {
  const late = Promise.reject(new Error('late'))
  await expect(abortable(late, AbortSignal.abort(new Error('cancelled')))).rejects.toThrow('cancelled')
})
