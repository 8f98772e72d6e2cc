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
