import { expect, test } from 'vitest'
import { createReplayBuffer } from './replay-buffer.ts'

const contents = (buffer: ReturnType<typeof createReplayBuffer<string>>) =>
  Array.from({ length: buffer.end() - buffer.first() }, (_, i) => buffer.at(buffer.first() + i))

test('the oldest items are dropped beyond the number of items', () => {
  const buffer = createReplayBuffer<string>({ items: 3, bytes: 100 })
  for (const item of 'abcde') buffer.push(item, 1)
  expect([buffer.first(), buffer.end(), contents(buffer)]).toEqual([2, 5, ['c', 'd', 'e']])
  expect([buffer.at(1), buffer.at(5)]).toEqual([undefined, undefined])
})

test('the oldest items are dropped beyond the number of bytes, and one that is too large is not kept', () => {
  const buffer = createReplayBuffer<string>({ items: 10, bytes: 10 })
  for (const item of 'abc') buffer.push(item, 4)
  expect(contents(buffer)).toEqual(['b', 'c'])
  buffer.push('huge', 11)
  expect([buffer.first(), buffer.end()]).toEqual([4, 4])
  buffer.push('d', 10)
  expect(contents(buffer)).toEqual(['d'])
})
