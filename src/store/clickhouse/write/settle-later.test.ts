import { expect, test } from 'vitest'
import { check, span } from '../../../../test/support/arbitrary-results.ts'
import { calm } from '../../../../test/support/results.ts'
import type { FiledResult } from '../../store.ts'
import { createSettleLater } from './settle-later.ts'

const filed = (id: string | null, count = 1): readonly FiledResult[] =>
  Array(count).fill({ check, result: { ...calm, id, startedAt: span.from, runLocation: 'eu', values: {}, pages: [] } })

/** What is settled, each until the test says so. */
function openSettling() {
  const started: (string | null | undefined)[] = []
  const ends: (() => void)[] = []
  const settling = createSettleLater((own) => {
    started.push(own[0]?.result.id)
    return new Promise((resolve) => ends.push(resolve))
  })
  return { settling, started, end: () => ends.shift()?.() }
}

test('of each shard one commit is settled at a time, in their order, and results without ids are not', async () => {
  const { settling, started, end } = openSettling()
  settling.add(1, filed('a'))
  settling.add(1, filed(null))
  settling.add(1, filed('b'))
  settling.add(2, filed('c'))
  expect(started).toEqual(['a', 'c'])
  end()
  await expect.poll(() => started).toEqual(['a', 'c', 'b'])
})

test('what comes while too much waits is left to the sweep', async () => {
  const { settling, started, end } = openSettling()
  settling.add(1, filed('a', 50_000))
  settling.add(1, filed('left'))
  settling.add(2, filed('b', 30_000))
  settling.add(2, filed('left', 20_000))
  settling.add(2, filed('c', 10_000))
  end()
  end()
  await expect.poll(() => started).toEqual(['a', 'b', 'c'])
})

test('nothing begins after it is closed', async () => {
  const { settling, started, end } = openSettling()
  settling.add(1, filed('a'))
  settling.add(1, filed('b'))
  const closed = settling.close()
  end()
  await closed
  expect(started).toEqual(['a'])
})

test('a failure does not hold up the next one', async () => {
  const started: unknown[] = []
  const settling = createSettleLater(async (own) => {
    started.push(own[0]?.result.id)
    throw new Error('it failed')
  })
  settling.add(1, filed('a'))
  settling.add(1, filed('b'))
  await expect.poll(() => started).toEqual(['a', 'b'])
})
