import { expect, test } from 'vitest'
import { allTime } from '../../../calendar/window.ts'
import type { CheckRef } from '../../store.ts'
import type { Connection, Statement } from '../connection.ts'
import { createResultCounts } from './result-counts.ts'

const dayMs = 86_400_000
const [first, second]: readonly [CheckRef, CheckRef] = [
  { account: 'acme', checkId: 'homepage' },
  { account: 'acme', checkId: 'shop' },
]

/** Counts from a server with this many results per check. */
function openCounts(results: Readonly<Record<string, number>>) {
  const asked: Statement[] = []
  let isAway = false
  let now = 0
  const rows = async (statement: Statement) => {
    asked.push(statement)
    if (isAway) throw new Error('away')
    return Object.entries(results).map(([checkId, count]) => ['acme', checkId, String(count)])
  }
  const connection = { rows } as Partial<Connection> as Connection
  const count = createResultCounts({ connection, settings: { one: 1 }, monotonic: () => now })
  return {
    count,
    asked,
    wait: (ms: number) => {
      now += ms
    },
    setAway: (away: boolean) => {
      isAway = away
    },
  }
}

test('concurrent counts share a statement, and a single check is counted on its shard', async () => {
  const { count, asked } = openCounts({ homepage: 5 })
  const window = { from: dayMs, to: 2 * dayMs }
  expect(await Promise.all([count(first, window), count(second, window)])).toEqual([5, 0])
  expect(asked).toHaveLength(1)
  expect(asked[0]?.params).toMatchObject({ checkIds: ['homepage', 'shop'] })
  await count(first, allTime)
  expect(asked[1]).toMatchObject({ params: first, settings: { one: 1 } })
})

test('a count covers whole days, and is refreshed after some seconds', async () => {
  const { count, asked, wait } = openCounts({ homepage: 5 })
  await count(first, { from: dayMs + 1, to: 2 * dayMs + 1 })
  await count(first, { from: dayMs + 2, to: 3 * dayMs - 1 })
  expect(asked).toHaveLength(1)
  expect(asked[0]?.params).toMatchObject({ from: dayMs, to: 3 * dayMs - 1 })
  wait(10_001)
  await count(first, { from: dayMs, to: 2 * dayMs })
  expect(asked).toHaveLength(2)
})

test('a failure is not cached', async () => {
  const { count, setAway } = openCounts({ homepage: 5 })
  setAway(true)
  await expect(count(first, allTime)).rejects.toThrow('away')
  setAway(false)
  expect(await count(first, allTime)).toBe(5)
})
