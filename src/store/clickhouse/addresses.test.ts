import { expect, test } from 'vitest'
import { createAddresses } from './addresses.ts'

test('addresses are chosen round robin', () => {
  const addresses = createAddresses(['a', 'b', 'c'])
  expect(Array.from({ length: 4 }, addresses.choose)).toEqual(['a', 'b', 'c', 'a'])
})

test('a failed address is skipped until its penalty is over', () => {
  let now = 0
  const addresses = createAddresses(['a', 'b'], { penaltyMs: 1000, monotonic: () => now })
  addresses.failed('a')
  expect(Array.from({ length: 3 }, addresses.choose)).toEqual(['b', 'b', 'b'])
  expect([addresses.hasOther('a'), addresses.hasOther('b')]).toEqual([true, false])
  now = 1000
  expect(new Set(Array.from({ length: 2 }, addresses.choose))).toEqual(new Set(['a', 'b']))
})

test('if all have failed, the one that failed first is tried again', () => {
  let now = 0
  const addresses = createAddresses(['a', 'b'], { monotonic: () => now })
  addresses.failed('b')
  now = 1
  addresses.failed('a')
  expect(addresses.choose()).toBe('b')
})

test('after a penalty one statement probes the server, and the others await the outcome', () => {
  let now = 0
  const addresses = createAddresses(['a', 'b'], { penaltyMs: 1000, monotonic: () => now })
  addresses.failed('a')
  now = 1000
  expect(Array.from({ length: 4 }, addresses.choose).toSorted()).toEqual(['a', 'b', 'b', 'b'])
  addresses.answered('a')
  expect(Array.from({ length: 4 }, addresses.choose).toSorted()).toEqual(['a', 'a', 'b', 'b'])
})

test('each failed probe doubles the penalty up to a limit, and a response ends it', () => {
  let now = 0
  const addresses = createAddresses(['a', 'b'], { penaltyMs: 1000, maxPenaltyMs: 3000, monotonic: () => now })
  /** How many seconds pass until `a` is chosen again. */
  const secondsLeftOut = () => {
    addresses.failed('a')
    addresses.failed('a')
    for (let seconds = 1; ; seconds++) {
      now += 1000
      if ([addresses.choose(), addresses.choose()].includes('a')) return seconds
    }
  }
  expect([secondsLeftOut(), secondsLeftOut(), secondsLeftOut(), secondsLeftOut()]).toEqual([1, 2, 3, 3])
  addresses.answered('a')
  expect(secondsLeftOut()).toBe(1)
})
