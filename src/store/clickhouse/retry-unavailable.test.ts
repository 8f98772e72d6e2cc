import { expect, test } from 'vitest'
import { StoreUnavailable } from '../store.ts'
import { createRetries } from './retry-unavailable.ts'

/** Work that first fails this many times. */
function failing(times: number, error: Error) {
  let calls = 0
  return async () => {
    calls += 1
    if (calls <= times) throw error
    return calls
  }
}

function patient() {
  const [warnings, waits]: [string[], number[]] = [[], []]
  const retried = createRetries(
    (problem) => warnings.push(problem),
    async (ms) => void waits.push(ms),
  )
  return { retried, warnings, waits }
}

const unavailable = new StoreUnavailable('It cannot be used now.', 5)

test('an unavailable server is retried after the delay that it asks for', async () => {
  const { retried, warnings, waits } = patient()
  expect(await retried(failing(2, unavailable))).toBe(3)
  expect(warnings).toEqual(new Array(2).fill('It cannot be used now. Retrying in 5 s.'))
  expect(waits).toEqual([5000, 5000])
})

test('retries stop after two minutes, and any other failure is not retried', async () => {
  const { retried, waits } = patient()
  await expect(retried(failing(1000, unavailable))).rejects.toBe(unavailable)
  expect(waits.reduce((sum, ms) => sum + ms, 0)).toBe(115_000)
  const other = new RangeError('no')
  await expect(retried(failing(1, other))).rejects.toBe(other)
})
