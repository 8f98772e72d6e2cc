import { expect, test } from 'vitest'
import { StoreUnavailable } from '../store.ts'
import { createPatience } from './retry-unavailable.ts'

/** Work that fails so many times first. */
function failing(times: number, error: Error) {
  let calls = 0
  return async () => {
    calls += 1
    if (calls <= times) throw error
    return calls
  }
}

function patient() {
  const [told, waits]: [string[], number[]] = [[], []]
  const patience = createPatience(
    (problem) => told.push(problem),
    async (ms) => void waits.push(ms),
  )
  return { patience, told, waits }
}

const unavailable = new StoreUnavailable('It cannot be used now.', 5)

test('while a server cannot be used it is asked again, after as long as it says', async () => {
  const { patience, told, waits } = patient()
  expect(await patience(failing(2, unavailable))).toBe(3)
  expect(told).toEqual(new Array(2).fill('It cannot be used now. Trying again in 5 s.'))
  expect(waits).toEqual([5000, 5000])
})

test('it is given up after two minutes, and any other failure at once', async () => {
  const { patience, waits } = patient()
  await expect(patience(failing(1000, unavailable))).rejects.toBe(unavailable)
  expect(waits.reduce((sum, ms) => sum + ms, 0)).toBe(115_000)
  const other = new RangeError('no')
  await expect(patience(failing(1, other))).rejects.toBe(other)
})
