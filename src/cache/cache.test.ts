import { expect, test } from 'vitest'
import { lruCache, memoize } from './cache.ts'

test('the least recently used value is evicted once the capacity is exceeded', () => {
  const cache = lruCache<string, string>(10, (text) => text.length)
  cache.set('a', 'aaaa')
  cache.set('b', 'bbbb')
  expect([cache.get('a'), cache.get('a')]).toEqual(['aaaa', 'aaaa'])
  cache.set('c', 'cccc')
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual(['aaaa', undefined, 'cccc'])
})

test('a replaced value counts once, and one larger than the capacity is not cached', () => {
  const cache = lruCache<string, string>(10, (text) => text.length)
  cache.set('a', 'aaaaaaaa')
  cache.set('a', 'aaaaaa')
  cache.set('b', 'bbbb')
  expect([cache.get('a'), cache.get('b')]).toEqual(['aaaaaa', 'bbbb'])
  cache.set('c', 'c'.repeat(11))
  expect(cache.get('c')).toBeUndefined()
})

test('without sizes, the capacity is the number of values', () => {
  const cache = lruCache<number, string>(2)
  for (const key of [1, 2, 3]) cache.set(key, String(key))
  expect([1, 2, 3].map((key) => cache.get(key))).toEqual([undefined, '2', '3'])
})

test('a value is created once, and again after it was evicted or deleted', () => {
  const cache = lruCache<string, string>(2)
  let created = 0
  const create = () => `value ${++created}`
  expect([cache.getOrCreate('a', create), cache.getOrCreate('a', create)]).toEqual(['value 1', 'value 1'])
  cache.delete('a')
  expect(cache.getOrCreate('a', create)).toBe('value 2')
  cache.set('b', 'b')
  cache.set('c', 'c')
  expect(cache.getOrCreate('a', create)).toBe('value 3')
})

test('a value is computed once per key, and again after it was evicted', () => {
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

test('a value with a long key is not cached, since clients choose keys', () => {
  let computed = 0
  const cached = memoize<number>(2)
  for (const key of ['x'.repeat(5000), 'x'.repeat(5000), 'short', 'short']) cached(key, () => ++computed)
  expect(computed).toBe(3)
})
