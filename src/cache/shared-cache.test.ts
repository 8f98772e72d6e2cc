import { expect, test } from 'vitest'
import { sharedCache } from './shared-cache.ts'

function cacheOf(capacity: number) {
  const cache = sharedCache<number>(capacity, (size) => size)
  const cached = (...keys: readonly string[]) => keys.filter((key) => cache.get(key) !== undefined)
  return { cache, cached }
}

test('the least recently used value of the largest owner is evicted', () => {
  const { cache, cached } = cacheOf(10)
  cache.set('small', 3, 'careful')
  for (let i = 0; i < 20; i++) cache.set(`large-${i}`, 2, 'greedy')
  expect(cached('small', 'large-16', 'large-17', 'large-18', 'large-19')).toEqual(['small', 'large-17', 'large-18', 'large-19'])
  cache.get('large-17')
  cache.set('large-20', 2, 'greedy')
  expect(cached('small', 'large-17', 'large-18', 'large-20')).toEqual(['small', 'large-17', 'large-20'])
})

test('one owner may fill the cache, and loses what exceeds its share when another needs it', () => {
  const { cache, cached } = cacheOf(4)
  const keys = ['a', 'b', 'c', 'd']
  for (const key of keys) cache.set(key, 1, 'first')
  expect(cached(...keys)).toEqual(keys)
  for (const key of ['e', 'f', 'g']) cache.set(key, 1, 'second')
  expect(cached(...keys)).toEqual(['c', 'd'])
  expect(cached('e', 'f', 'g')).toEqual(['f', 'g'])
})

test('a value larger than the cache is not kept', () => {
  const { cache, cached } = cacheOf(2)
  cache.set('a', 3, 'own')
  cache.set('b', 2, 'own')
  expect(cached('a', 'b')).toEqual(['b'])
})
