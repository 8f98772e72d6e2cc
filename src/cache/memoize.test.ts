import { expect, test } from 'vitest'
import { memoize, memoizeByIdentity } from './memoize.ts'

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

test('what is derived from an object is computed once per object, even where contents are equal', () => {
  let computed = 0
  const cached = memoizeByIdentity<object, { readonly order: number }>()
  const ask = (key: object) => cached(key, () => ({ order: ++computed }))
  const one = { n: 1 }
  expect([ask(one), ask(one), ask({ n: 1 })].map(({ order }) => order)).toEqual([1, 1, 2])
})
