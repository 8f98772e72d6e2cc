import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { testCheck } from '../../../test/support/catalogue.ts'
import { anyRunType } from '../../../test/support/example-config.ts'
import { createBadgeCache } from './badge-cache.ts'

const check = testCheck(anyRunType())

function open(patienceMs = 3_000) {
  const time = { now: 0 }
  const store = { latest: async () => [] }
  const memory = createBadgeCache({ store, clock: { now: () => time.now }, log: pino({ level: 'silent' }), patienceMs })
  return { time, memory }
}

const never = () => new Promise<number>(() => undefined)

describe('the memory of badges', () => {
  test('keeps a figure for a minute', async () => {
    const { time, memory } = open()
    expect(await memory.figure(check, 'p95', async () => 1)).toBe(1)
    time.now = 59_999
    expect(await memory.figure(check, 'p95', async () => 2)).toBe(1)
    time.now = 60_000
    expect(await memory.figure(check, 'p95', async () => 3)).toBe(3)
  })

  test('keeps figures of different names and checks apart', async () => {
    const { memory } = open()
    await memory.figure(check, 'p95', async () => 1)
    expect(await memory.figure(check, 'p99', async () => 2)).toBe(2)
    expect(await memory.figure({ ...check, id: 'other' }, 'p95', async () => 3)).toBe(3)
    expect(await memory.figure({ ...check, account: 'other' }, 'p95', async () => 4)).toBe(4)
  })

  test('tells the last known figure when the store fails, and asks again a minute later', async () => {
    const { time, memory } = open()
    await memory.figure(check, 'p95', async () => 1)
    time.now = 60_000
    expect(await memory.figure(check, 'p95', () => Promise.reject(new Error('away')))).toBe(1)
    time.now = 120_000
    expect(await memory.figure(check, 'p95', async () => 2)).toBe(2)
  })

  test('tells the last known figure when the store takes too long', async () => {
    const { time, memory } = open(1)
    await memory.figure(check, 'p95', async () => 1)
    time.now = 60_000
    expect(await memory.figure(check, 'p95', never)).toBe(1)
    expect(await memory.figure(check, 'p95', async () => 2)).toBe(1)
  })

  test('has no figure to tell when the store never answered', async () => {
    const { memory } = open(1)
    expect(await memory.figure(check, 'p95', never)).toBeNull()
  })

  test('asks once for all who want the same figure at once', async () => {
    const { memory } = open()
    let asked = 0
    const ask = async () => {
      asked++
      return 1
    }
    expect(await Promise.all([1, 2, 3].map(() => memory.figure(check, 'p95', ask)))).toEqual([1, 1, 1])
    expect(asked).toBe(1)
  })
})
