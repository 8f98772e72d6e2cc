import { expect, test } from 'vitest'
import { createKeyedSlots } from './concurrency-limit.ts'

const limits = { perKey: 2, inAll: 3 }
const create = () => {
  const take = createKeyedSlots((limit, exceeded) => new Error(`${exceeded} ${limit}`))
  return (key: string) => take(key, limits)
}

test('slots are limited per key and in total', () => {
  const take = create()
  const [first] = [take('a'), take('a')]
  expect(() => take('a')).toThrow('perKey 2')
  const ofB = take('b')
  expect(() => take('b')).toThrow('inAll 3')
  expect(() => take('c')).toThrow('inAll 3')
  first?.()
  expect(() => take('c')).not.toThrow()
  ofB()
  expect(() => take('a')).not.toThrow()
  expect(() => take('a')).toThrow('perKey 2')
})

test('a slot is released only once, even if release is called again', () => {
  const take = create()
  const [first, second] = [take('a'), take('a')]
  first()
  first()
  take('a')
  expect(() => take('a')).toThrow('perKey 2')
  second()
  take('b')
  take('b')
  expect(() => take('b')).toThrow('perKey 2')
  expect(() => take('a')).toThrow('inAll 3')
})
