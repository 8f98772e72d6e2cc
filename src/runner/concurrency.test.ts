import { describe, expect, test } from 'vitest'
import { virtualClock } from '../../test/support/virtual-clock.ts'
import { createSemaphore } from '../concurrency/semaphore.ts'
import { concurrencyLimits, withSlowGate } from './concurrency.ts'

const gibibyte = 2 ** 30
const unset = { light: null, heavy: null }

describe('concurrency limits', () => {
  test.each([
    { cores: 1, memory: 0.5, light: 100, heavy: 1 },
    { cores: 2, memory: 4, light: 256, heavy: 2 },
    { cores: 1, memory: 32, light: 250, heavy: 1 },
    { cores: 8, memory: 4, light: 256, heavy: 4 },
    { cores: 64, memory: 256, light: 500, heavy: 8 },
  ])('of a machine with $cores cores and $memory GiB', ({ cores, memory, light, heavy }) => {
    expect(concurrencyLimits({ cores, memoryBytes: memory * gibibyte }, unset)).toEqual({ light, slow: 4 * light, heavy })
  })

  test('can be configured', () => {
    expect(concurrencyLimits({ cores: 2, memoryBytes: gibibyte }, { light: 7, heavy: 3 })).toEqual({ light: 7, slow: 28, heavy: 3 })
  })
})

describe('a permit that is held for a long time', () => {
  async function setUp(slowPermits: number) {
    const clock = virtualClock(0)
    const [fast, slow] = [createSemaphore(1), createSemaphore(slowPermits)]
    const gate = withSlowGate(fast, slow, clock)
    const release = await gate.acquire(new AbortController().signal)
    return { clock, fast, slow, release }
  }

  test('is exchanged for a slow one, which is released in its place', async () => {
    const { clock, fast, slow, release } = await setUp(1)
    expect(fast.tryAcquire()).toBeUndefined()
    await clock.advance(2000)
    expect(fast.tryAcquire()).toBeDefined()
    expect(slow.tryAcquire()).toBeUndefined()
    release?.()
    expect(slow.tryAcquire()).toBeDefined()
  })

  test('is kept if no slow one is free', async () => {
    const { clock, fast, release } = await setUp(0)
    await clock.advance(10_000)
    expect(fast.tryAcquire()).toBeUndefined()
    release?.()
    expect(fast.tryAcquire()).toBeDefined()
    expect(clock.pending()).toBe(0)
  })
})
