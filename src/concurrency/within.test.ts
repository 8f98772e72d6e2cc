import { expect, test } from 'vitest'
import { within } from './within.ts'

test('work is awaited for a limited time, and continues afterwards', async () => {
  let isDone = false
  const quick = Promise.resolve().then(() => {
    isDone = true
  })
  await within(quick, 60_000)
  expect(isDone).toBe(true)
  await within(new Promise(() => {}), 1)
})

test('failures are ignored with a time limit, and reject without one', async () => {
  await within(Promise.reject(new Error('busy')), 60_000)
  await expect(within(Promise.reject(new Error('busy')), undefined)).rejects.toThrow('busy')
  let fail = (_: Error) => {}
  const late = new Promise((_, reject) => {
    fail = reject
  })
  await within(late, 1)
  fail(new Error('too late for anyone to hear'))
})
