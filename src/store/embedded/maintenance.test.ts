import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { calm } from '../../../test/support/results.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { dayMs, minuteMs } from '../../time.ts'
import { toStored } from '../query/parts/stored-result.ts'
import { inlineWorker } from '../threads/worker.ts'
import { inspect } from './disk/inspect.ts'
import { startMaintenance } from './maintenance.ts'
import { toBatches } from './write/batch.ts'
import { openWriter, type Writer } from './write/writer.ts'

const check = { account: 'acme', checkId: 'homepage' }
const today = Date.UTC(2026, 10, 14)
const noon = today + dayMs / 2

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function setUp(faulty: Partial<Writer> = {}) {
  const directory = temporaryFolder()
  const writer = openWriter(directory)
  const clock = { now: noon }
  const problems: unknown[] = []
  const maintenance = startMaintenance(inlineWorker({ ...writer, ...faulty }), {
    clock: () => clock.now,
    log: (problem) => problems.push(problem),
    dropped: () => {},
  })
  onTestFinished(async () => {
    await maintenance.close()
    writer.close()
  })
  /** Appends `count` results, one per millisecond from `startedAt` on. */
  const append = (startedAt: number, count = 1) => {
    const results = Array.from({ length: count }, (_, i) => ({
      check,
      result: { ...calm, id: null, startedAt: startedAt + i, runLocation: 'eu', values: {}, pages: [] },
    }))
    writer.append(toBatches(results.map(toStored), 0).batches)
  }
  const held = () => {
    const [holding] = inspect(directory).holdings
    return [holding?.hot, holding?.sealed]
  }
  return { clock, maintenance, problems, append, held }
}

describe('past days are sealed', () => {
  test('ten seconds after the start, and then every ten minutes', async () => {
    const { append, held } = setUp()
    append(today - 1)
    await vi.advanceTimersByTimeAsync(9999)
    expect(held()).toEqual([1, 0])
    await vi.advanceTimersByTimeAsync(1)
    expect(held()).toEqual([0, 1])
    append(today - 2)
    await vi.advanceTimersByTimeAsync(10 * minuteMs - 10_001)
    expect(held()).toEqual([1, 1])
    await vi.advanceTimersByTimeAsync(1)
    expect(held()).toEqual([0, 2])
  })

  test('but not the current one', async () => {
    const { append, held } = setUp()
    append(today)
    await vi.advanceTimersByTimeAsync(30 * minuteMs)
    expect(held()).toEqual([1, 0])
  })

  test('not after closing', async () => {
    const { maintenance, append, held } = setUp()
    append(today - 1)
    await maintenance.close()
    await vi.advanceTimersByTimeAsync(30 * minuteMs)
    expect(held()).toEqual([1, 0])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a commit', () => {
  test.each([
    ['is followed by sealing if a check has many results', noon - minuteMs - 600, 512, [0, 512]],
    ['leaves few results unsealed', noon - minuteMs - 600, 511, [511, 0]],
    ['leaves results of the last minute unsealed', noon - minuteMs, 600, [600, 0]],
  ])('%s', async (_, from, count, expected) => {
    const { maintenance, append, held } = setUp()
    append(from, count)
    maintenance.afterCommit(count)
    await vi.advanceTimersByTimeAsync(1)
    expect(held()).toEqual(expected)
  })

  test('is followed by a check for work after 10,000 results, with small commits counted as 320', async () => {
    for (const [commits, results] of [
      [32, 1],
      [32, 320],
      [10, 1000],
      [1, 10_000],
    ] as const) {
      const { maintenance, append, held } = setUp()
      maintenance.afterCommit(1)
      await vi.advanceTimersByTimeAsync(1)
      append(noon - dayMs / 4, 512)
      for (let commit = 1; commit < commits; commit++) maintenance.afterCommit(results)
      await vi.advanceTimersByTimeAsync(1)
      expect(held()).toEqual([512, 0])
      maintenance.afterCommit(results)
      await vi.advanceTimersByTimeAsync(1)
      expect(held()).toEqual([0, 512])
    }
  })
})

describe('the retention', () => {
  test('drops days before its limit, and further days as time passes', async () => {
    const { maintenance, append, held } = setUp()
    append(today - 3 * dayMs)
    append(today - 2 * dayMs)
    await maintenance.run()
    expect(held()).toEqual([0, 2])
    await maintenance.applyRetention(2)
    expect(held()).toEqual([0, 1])
    append(today - 2 * dayMs - 1)
    await maintenance.run()
    expect(held()).toEqual([0, 1])
  })

  const hour = 60 * minuteMs

  test('drops nothing for an hour after the clock jumped ahead by days, and nothing if it is corrected by then', async () => {
    const { clock, maintenance, append, held, problems } = setUp()
    append(today - dayMs)
    await maintenance.applyRetention(2)
    await vi.advanceTimersByTimeAsync(hour)
    clock.now += 1000 * dayMs
    await vi.advanceTimersByTimeAsync(50 * minuteMs)
    expect(held()).toEqual([0, 1])
    expect(problems).toEqual([expect.stringContaining('The system clock went ahead by 1000 days')])
    clock.now -= 1000 * dayMs
    await vi.advanceTimersByTimeAsync(3 * hour)
    expect(held()).toEqual([0, 1])
  })

  test('drops nothing within that hour if it is changed', async () => {
    const { clock, maintenance, append, held } = setUp()
    append(today - dayMs)
    clock.now += 1000 * dayMs
    await maintenance.applyRetention(2)
    expect(held()).toEqual([1, 0])
    await vi.advanceTimersByTimeAsync(80 * minuteMs)
    expect(held()).toEqual([0, 0])
  })

  test('drops days before its limit if the clock stays ahead', async () => {
    const { clock, maintenance, append, held } = setUp()
    append(today - dayMs)
    await maintenance.applyRetention(2)
    await vi.advanceTimersByTimeAsync(hour)
    clock.now += 1000 * dayMs
    await vi.advanceTimersByTimeAsync(80 * minuteMs)
    expect(held()).toEqual([0, 0])
  })

  test('drops days at once if time passes normally', async () => {
    const { clock, maintenance, append, held } = setUp()
    append(today - 2 * dayMs)
    await maintenance.applyRetention(2)
    await vi.advanceTimersByTimeAsync(hour)
    expect(held()).toEqual([0, 1])
    clock.now = today + dayMs
    await vi.advanceTimersByTimeAsync(10 * minuteMs)
    expect(held()).toEqual([0, 0])
  })
})

test('background failures are logged, unless the store is closing', async () => {
  const full = new Error('database or disk is full')
  const sealSome = () => {
    throw full
  }
  const { maintenance, problems } = setUp({ sealSome })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(problems).toEqual([full])
  maintenance.afterCommit(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(problems).toEqual([full, full])
  maintenance.afterCommit(10_000)
  await maintenance.close()
  expect(problems).toHaveLength(2)
  await expect(setUp({ sealSome }).maintenance.run()).rejects.toThrow(full)
})

test('everything can be sealed at once', async () => {
  const { maintenance, append, held } = setUp()
  append(noon, 3)
  await maintenance.sealAll()
  expect(held()).toEqual([0, 3])
})
