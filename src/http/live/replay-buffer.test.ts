import { expect, test } from 'vitest'
import { testCheck } from '../../../test/support/catalogue.ts'
import { anyRunType } from '../../../test/support/example-config.ts'
import { testResult } from '../../../test/support/results.ts'
import type { FiledResult } from '../../store/store.ts'
import { byCheck, createReplayBuffer, type ReplayBuffer } from './replay-buffer.ts'

const [shop, blog] = ['shop', 'blog'].map((id) => testCheck(anyRunType(), { id }))
const of = (check: typeof shop, ...starts: readonly number[]) =>
  starts.map((start) => testResult(check as NonNullable<typeof shop>, start, { pages: [] }))

/** The starts of the results that are buffered. */
function contents(buffer: ReplayBuffer): readonly number[] {
  const kept = [...buffer.chunksFrom(buffer.first())]
  return kept.flatMap((chunk) =>
    'alert' in chunk ? [] : chunk.filed.slice(Math.max(0, buffer.first() - chunk.first)).map(({ result }) => result.startedAt),
  )
}

test('the oldest results are dropped beyond the maximum number', () => {
  const buffer = createReplayBuffer({ items: 3, bytes: 1e6 })
  buffer.push(of(shop, 1, 2))
  buffer.push(of(shop, 3, 4, 5))
  expect([buffer.first(), buffer.end(), contents(buffer)]).toEqual([2, 5, [3, 4, 5]])
  buffer.push(of(blog, 6))
  expect([buffer.first(), buffer.end(), contents(buffer)]).toEqual([3, 6, [4, 5, 6]])
})

test('the oldest results are dropped beyond the maximum bytes, and a too large one is not kept', () => {
  const buffer = createReplayBuffer({ items: 100, bytes: 1500 })
  for (const start of [1, 2, 3]) buffer.push(of(shop, start))
  expect(contents(buffer)).toEqual([2, 3])
  buffer.push([testResult(shop as NonNullable<typeof shop>, 4, { error: 'x'.repeat(2000) })])
  expect([buffer.first(), buffer.end(), contents(buffer)]).toEqual([4, 4, []])
  buffer.push(of(shop, 5))
  expect(contents(buffer)).toEqual([5])
})

test('the chunk of a position is found', () => {
  const buffer = createReplayBuffer({ items: 100, bytes: 1e6 })
  for (let i = 0; i < 20; i++) buffer.push(of(shop, i * 2, i * 2 + 1))
  for (let number = 0; number < 40; number++) {
    const { first, end } = buffer.chunksFrom(number).next().value ?? { first: 0, end: 0 }
    expect([first <= number, number < end]).toEqual([true, true])
  }
  expect(buffer.chunksFrom(40).next().done).toBe(true)
})

test('the range of starts of dropped results is known for each check', () => {
  const buffer = createReplayBuffer({ items: 2, bytes: 1e6 })
  buffer.push(of(shop, 10, 5))
  buffer.push(of(blog, 7))
  buffer.push(of(shop, 20, 30, 40))
  expect(Object.fromEntries(buffer.missedSince(0))).toEqual({ shop: { from: 5, to: 40 }, blog: { from: 7, to: 7 } })
  expect(Object.fromEntries(buffer.missedSince(3))).toEqual({ shop: { from: 20, to: 40 } })
})

test('a skip drops everything before it and counts as missed', () => {
  const buffer = createReplayBuffer({ items: 100, bytes: 1e6 })
  buffer.push(of(shop, 10))
  buffer.skip({ results: 5, byCheck: new Map([['blog', { from: 3, to: 8 }]]) })
  expect([buffer.first(), buffer.end(), contents(buffer)]).toEqual([6, 6, []])
  buffer.push(of(shop, 20))
  expect([buffer.first(), buffer.end(), contents(buffer)]).toEqual([6, 7, [20]])
  expect(Object.fromEntries(buffer.missedSince(0))).toEqual({ shop: { from: 10, to: 10 }, blog: { from: 3, to: 8 } })
  expect(Object.fromEntries(buffer.missedSince(1))).toEqual({ blog: { from: 3, to: 8 } })
  expect(Object.fromEntries(buffer.missedSince(6))).toEqual({})
})

test('evidence is not buffered, since it is not sent', () => {
  const buffer = createReplayBuffer({ items: 100, bytes: 1e6 })
  const [filed] = of(shop, 1) as [FiledResult]
  buffer.push([{ ...filed, evidence: Buffer.alloc(10) }])
  expect(buffer.chunksFrom(0).next().value?.filed).toEqual([filed])
})

test('results are split into pieces of one check each', () => {
  const mixed = [...of(shop, 1, 2), ...of(blog, 3), ...of(shop, ...Array.from({ length: 300 }, (_, i) => i))]
  const pieces = [...byCheck(mixed)]
  expect(pieces.flat()).toEqual(mixed)
  expect(pieces.map((piece) => piece.length)).toEqual([2, 1, 250, 50])
  expect([...byCheck([])]).toEqual([])
})

test('fewer results are buffered while they arrive faster than they can be sent, but not after a single burst', () => {
  let now = 0
  const buffer = createReplayBuffer({ items: 100, bytes: 1e6 }, () => now)
  const kept = () => buffer.end() - buffer.first()
  const push = (results: number, ms: number) => {
    buffer.push(of(shop, ...Array(results).keys()))
    now += ms
    return kept()
  }
  expect([push(1, 10_000), push(90, 0), push(90, 0), push(90, 250), push(1, 250), push(1, 250)]).toEqual([1, 91, 100, 100, 100, 100])
  expect([push(90, 100), push(90, 150), push(90, 250), push(110, 250), push(110, 250)]).toEqual([100, 100, 100, 10, 10])
  expect([push(40, 250), push(40, 250)]).toEqual([50, 90])
})

test('alerts have a position among results, and count as missed once they are dropped', () => {
  const alert = { name: 'alert', checkIds: [], bytes: 100, data: () => '{}' } as const
  const buffer = createReplayBuffer({ items: 2, bytes: 1e6 })
  buffer.push(of(shop, 1))
  buffer.pushAlert(alert)
  expect([buffer.end(), buffer.hasMissedAlerts(0)]).toEqual([2, false])
  buffer.push(of(shop, 2))
  expect([buffer.first(), buffer.hasMissedAlerts(0)]).toEqual([1, false])
  buffer.push(of(shop, 3))
  expect([buffer.first(), buffer.hasMissedAlerts(1), buffer.hasMissedAlerts(2)]).toEqual([2, true, false])
  expect(Object.fromEntries(buffer.missedSince(0))).toEqual({ shop: { from: 1, to: 1 } })
})
