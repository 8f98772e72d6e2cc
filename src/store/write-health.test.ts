import { expect, test } from 'vitest'
import { createWriteHealth } from './write-health.ts'

const retryAfterMs = 30_000

test('while commits fail nothing is writable, and the next that succeeds shows that it is', async () => {
  const { observe, isWritable } = createWriteHealth({ clock: () => 0, probe: async () => {}, retryAfterMs })
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
  const { observe, isWritable } = createWriteHealth({ clock: () => now, probe, retryAfterMs })
  await observe(Promise.reject(new Error('full'))).catch(() => {})
  now += retryAfterMs
  expect(await isWritable()).toBe(false)
  isFull = false
  expect(await isWritable()).toBe(false)
  now += retryAfterMs
  expect(await isWritable()).toBe(true)
})
