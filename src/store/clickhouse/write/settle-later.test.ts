import { expect, test } from 'vitest'
import { check, span } from '../../../../test/support/arbitrary-results.ts'
import { calm } from '../../../../test/support/results.ts'
import { type FiledResult, QueryTooLarge, StoreUnavailable } from '../../store.ts'
import { createSettleLater } from './settle-later.ts'

const filed = (id: string | null, count = 1): readonly FiledResult[] =>
  Array(count).fill({ check, result: { ...calm, id, startedAt: span.from, runLocation: 'eu', values: {}, pages: [] } })

/** Groups are settled when the test says so. */
function openSettling() {
  const started: string[] = []
  const ends: ((outcome: boolean | Error) => void)[] = []
  const logged: string[] = []
  let failures = 0
  const settling = createSettleLater({
    settle(own) {
      started.push([...new Set(own.map(({ result }) => result.id))].join(' '))
      return new Promise((resolve, reject) => ends.push((outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome))))
    },
    failed() {
      failures += 1
    },
    log: (problem) => void logged.push(String(problem)),
  })
  return { settling, started, logged, failures: () => failures, end: (outcome: boolean | Error = true) => ends.shift()?.(outcome) }
}

test('one group per shard is settled at a time, with what arrived in the meantime and has ids', async () => {
  const { settling, started, end } = openSettling()
  settling.add(1, filed('a'))
  settling.add(1, filed(null))
  settling.add(1, filed('b'))
  settling.add(1, filed('c'))
  settling.add(2, filed('d'))
  expect(started).toEqual(['a', 'd'])
  end()
  await expect.poll(() => started).toEqual(['a', 'd', 'b c'])
})

test('a shard is settled once everything is that arrived before the call', async () => {
  const { settling, started, end } = openSettling()
  await settling.settled(1)
  settling.add(1, filed('a'))
  settling.add(1, filed('b'))
  const events: string[] = []
  const settled = settling.settled(1).then(() => void events.push('settled'))
  end()
  await expect.poll(() => started).toEqual(['a', 'b'])
  events.push('last')
  end()
  await settled
  expect(events).toEqual(['last', 'settled'])
})

test('with too many waiting, new ones are left to the search for repeated ids, with a single log message', async () => {
  const { failures, settling, started, logged, end } = openSettling()
  settling.add(1, filed('a'))
  settling.add(1, filed('b', 30_000))
  settling.add(1, filed('left', 20_000))
  settling.add(1, filed('left', 20_000))
  settling.add(1, filed('c', 10_000))
  end()
  await expect.poll(() => started).toEqual(['a', 'b'])
  end()
  await expect.poll(() => started).toEqual(['a', 'b', 'c'])
  expect(logged).toEqual([
    '20000 results with possibly duplicate ids were not deduplicated; the next search covers them. Results arrive faster than they can be searched.',
  ])
  expect(failures()).toBe(2)
})

test('nothing begins after closing', async () => {
  const { settling, started, end } = openSettling()
  settling.add(1, filed('a'))
  settling.add(1, filed('b'))
  const closed = settling.close()
  end()
  await closed
  expect(started).toEqual(['a'])
})

test('a failure does not block the next one, and is logged once', async () => {
  const { settling, started, logged, failures, end } = openSettling()
  for (const [i, outcome] of [new QueryTooLarge('too much'), new StoreUnavailable('logged already', 5), false, true].entries()) {
    settling.add(1, filed(`${i}`))
    await expect.poll(() => started.length).toBe(i + 1)
    end(outcome)
    await settling.settled(1)
  }
  expect(logged).toEqual([
    '1 results with possibly duplicate ids were not deduplicated; the next search covers them. QueryTooLarge: too much',
    '1 results with possibly duplicate ids were not deduplicated; the next search covers them. The row to keep cannot be read now.',
  ])
  expect(failures()).toBe(3)
})
