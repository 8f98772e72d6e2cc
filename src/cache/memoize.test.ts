import { expect, test } from 'vitest'
import { memoize } from './memoize.ts'

test('a value is computed once per key, and again after its eviction', () => {
  const computed: string[] = []
  const cached = memoize<string>(2)
  const ask = (key: string) =>
    cached(key, () => {
      computed.push(key)
      return key.toUpperCase()
    })
  expect(['a', 'b', 'a', 'c', 'a', 'b'].map(ask)).toEqual(['A', 'B', 'A', 'C', 'A', 'B'])
  expect(computed).toEqual(['a', 'b', 'c', 'b'])
})

test('a value of a long key is not cached, since keys are what clients send', () => {
  let computed = 0
  const cached = memoize<number>(2)
  for (const key of ['x'.repeat(5000), 'x'.repeat(5000), 'short', 'short']) cached(key, () => ++computed)
  expect(computed).toBe(3)
})
