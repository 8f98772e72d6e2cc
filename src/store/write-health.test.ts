import { expect, test } from 'vitest'
import { createWriteHealth, rethrowUnwritable, retryAfterMs } from './write-health.ts'

test('while commits fail nothing is writable, and the next that succeeds shows that it is', async () => {
  const { observe, isWritable } = createWriteHealth({ clock: () => 0, probe: async () => {} })
  expect(await isWritable()).toBe(true)
  await expect(observe(Promise.reject(new Error('full')))).rejects.toThrow('full')
  expect(await isWritable()).toBe(false)
  expect(await observe(Promise.resolve('done'))).toBe('done')
  expect(await isWritable()).toBe(true)
})

test('without further commits, a small write finds out after a while', async () => {
  let now = 0
  let isFull = true
  const probe = async () => {
    if (isFull) throw new Error('full')
  }
  const { observe, isWritable } = createWriteHealth({ clock: () => now, probe })
  await observe(Promise.reject(new Error('full'))).catch(() => {})
  now += retryAfterMs
  expect(await isWritable()).toBe(false)
  isFull = false
  expect(await isWritable()).toBe(false)
  now += retryAfterMs
  expect(await isWritable()).toBe(true)
})

test('a folder that cannot be written is a store that is unavailable; another failure stays as it is', () => {
  const full = { name: 'StoreUnavailable', retryAfterSeconds: 30, message: 'Results cannot be stored: database or disk is full.' }
  expect(() => rethrowUnwritable(new Error('database or disk is full'))).toThrow(expect.objectContaining(full))
  expect(() => rethrowUnwritable(new Error('a bug'))).toThrow('a bug')
})
