import { expect, test } from 'vitest'
import { lruCache } from './lru-cache.ts'

test('what was asked for longest ago is forgotten first, once all together are too large', () => {
  const memory = lruCache<string, string>(10, (text) => text.length)
  memory.set('a', 'aaaa')
  memory.set('b', 'bbbb')
  expect(memory.get('a')).toBe('aaaa')
  memory.set('c', 'cccc')
  expect(['a', 'b', 'c'].map((key) => memory.get(key))).toEqual(['aaaa', undefined, 'cccc'])
})

test('a value in the place of another counts once, and one too large for all is not kept', () => {
  const memory = lruCache<string, string>(10, (text) => text.length)
  memory.set('a', 'aaaaaaaa')
  memory.set('a', 'aaaaaa')
  memory.set('b', 'bbbb')
  expect([memory.get('a'), memory.get('b')]).toEqual(['aaaaaa', 'bbbb'])
  memory.set('c', 'c'.repeat(11))
  expect(memory.get('c')).toBeUndefined()
})
