import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { testCheck } from '../../../test/support/catalogue.ts'
import { anyRunType } from '../../../test/support/example-config.ts'
import { createBadgeCache } from './badge-cache.ts'

const check = testCheck(anyRunType())

function open(timeoutMs = 3_000) {
  const time = { now: 0 }
  const store = { latest: async () => [] }
  const cache = createBadgeCache({ store, clock: { now: () => time.now }, log: pino({ level: 'silent' }), timeoutMs })
  return { time, cache }
}

const never = () => new Promise<number>(() => undefined)

describe('the badge cache', () => {
  test('serves a figure for a minute', async () => {
    const { time, cache } = open()
    expect(await cache.figure(check, 'p95', async () => 1)).toBe(1)
    time.now = 59_999
    expect(await cache.figure(check, 'p95', async () => 2)).toBe(1)
    time.now = 60_000
    expect(await cache.figure(check, 'p95', async () => 3)).toBe(3)
  })

  test('reloads a figure after the clock was set back', async () => {
    const { time, cache } = open()
    time.now = 3_600_000
    expect(await cache.figure(check, 'p95', async () => 1)).toBe(1)
    time.now = 60_000
    expect(await cache.figure(check, 'p95', async () => 2)).toBe(2)
    expect(await cache.figure(check, 'p95', async () => 3)).toBe(2)
  })

  test('does not mix up figures of different names or checks', async () => {
    const { cache } = open()
    await cache.figure(check, 'p95', async () => 1)
    expect(await cache.figure(check, 'p99', async () => 2)).toBe(2)
    expect(await cache.figure({ ...check, id: 'other' }, 'p95', async () => 3)).toBe(3)
    expect(await cache.figure({ ...check, account: 'other' }, 'p95', async () => 4)).toBe(4)
  })

  test('serves a stale figure if the store fails, and loads again a minute later', async () => {
    const { time, cache } = open()
    await cache.figure(check, 'p95', async () => 1)
    time.now = 60_000
    expect(await cache.figure(check, 'p95', () => Promise.reject(new Error('away')))).toBe(1)
    time.now = 120_000
    expect(await cache.figure(check, 'p95', async () => 2)).toBe(2)
  })

  test('serves a stale figure if the store takes too long', async () => {
    const { time, cache } = open(1)
    await cache.figure(check, 'p95', async () => 1)
    time.now = 60_000
    expect(await cache.figure(check, 'p95', never)).toBe(1)
    expect(await cache.figure(check, 'p95', async () => 2)).toBe(1)
  })

  test('has no figure if the store never responds', async () => {
    const { cache } = open(1)
    expect(await cache.figure(check, 'p95', never)).toBeNull()
  })

  test('loads once for concurrent requests of the same figure', async () => {
    const { cache } = open()
    let loads = 0
    const load = async () => {
      loads++
      return 1
    }
    expect(await Promise.all([1, 2, 3].map(() => cache.figure(check, 'p95', load)))).toEqual([1, 1, 1])
    expect(loads).toBe(1)
  })
})
