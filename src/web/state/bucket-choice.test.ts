import { expect, test } from 'vitest'
import { hourMs } from '../../time.ts'
import { automaticBucket, callsFor, possibleBuckets } from './bucket-choice.ts'

const spanOf = (hours: number) => ({ from: 0, to: hours * hourMs })

test('the automatic bucket fills a chart by one call', () => {
  for (const hours of [0.01, 1, 24, 168, 720, 8760, 60_000]) {
    expect(callsFor(spanOf(hours), automaticBucket(spanOf(hours), 1))).toBe(1)
  }
})

test('the automatic bucket is no finer than the check runs', () => {
  expect(automaticBucket(spanOf(1), 10)).toBe(10)
  expect(automaticBucket(spanOf(24), 0)).toBe(15)
})

test('a bucket can be chosen that takes up to ten calls, but none that holds the whole window', () => {
  expect(possibleBuckets(spanOf(24))).toEqual([2, 5, 10, 15, 30, 60, 120, 180, 360, 720])
  expect(callsFor(spanOf(24), 2)).toBe(8)
})
