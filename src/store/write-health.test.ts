import { expect, test } from 'vitest'
import { createWriteHealth } from './write-health.ts'

const retryAfterMs = 30_000

test('while commits fail the store is not writable, and the next success proves that it is', async () => {
  const { observe, isWritable } = createWriteHealth({ clock: () => 0, probe: async () => {}, retryAfterMs })
  expect(await isWritable()).toBe(true)
  await expect(observe(Promise.reject(new Error('full')))).rejects.toThrow('full')
  expect(await isWritable()).toBe(false)
  expect(await observe(Promise.resolve('done'))).toBe('done')
  expect(await isWritable()).toBe(true)
})

test('a success is trusted for a while, and concurrent checks share one small write', async () => {
  let now = 0
  let probes = 0
  const probe = async () => void probes++
  const { observe, isWritable } = createWriteHealth({ clock: () => now, probe, retryAfterMs, trustMs: 10_000 })
  expect(await Promise.all([isWritable(), isWritable(), isWritable()])).toEqual([true, true, true])
  expect(probes).toBe(1)
  now += 9000
  await observe(Promise.resolve())
  now += 9000
  expect([await isWritable(), probes]).toEqual([true, 1])
  now += 1000
  expect([await isWritable(), probes]).toEqual([true, 2])
})

test('a failing small write is noticed without commits', async () => {
  let now = 0
  let isRefused = false
  const probe = async () => {
    if (isRefused) throw new Error('too few replicas')
  }
  const { isWritable } = createWriteHealth({ clock: () => now, probe, retryAfterMs, trustMs: 10_000 })
  expect(await isWritable()).toBe(true)
  isRefused = true
  now += 10_000
  expect(await isWritable()).toBe(false)
})

test('without further commits, a small write tests the store again after a while', async () => {
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

test('after the clock was set back, a small write verifies at once what was trusted or had failed', async () => {
  let now = 3_600_000
  let isFull = false
  const probe = async () => {
    if (isFull) throw new Error('full')
  }
  const { isWritable } = createWriteHealth({ clock: () => now, probe, retryAfterMs, trustMs: 10_000 })
  expect(await isWritable()).toBe(true)
  isFull = true
  now -= 1_800_000
  expect(await isWritable()).toBe(false)
  isFull = false
  now -= 900_000
  expect(await isWritable()).toBe(true)
})
