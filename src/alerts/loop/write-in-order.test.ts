import { expect, test } from 'vitest'
import { createOrderedWrites } from './write-in-order.ts'

test('a failed write is retried until it succeeds, before later ones, and blocks no caller', async () => {
  const failures: unknown[] = []
  const written: string[] = []
  let isFull = true
  const writes = createOrderedWrites((error) => failures.push(error))
  const write = (name: string) => async () => {
    if (isFull) throw new Error('the disk is full')
    written.push(name)
  }
  await writes.add(write('first'))
  await writes.add(write('second'))
  expect([written, failures.length]).toEqual([[], 1])
  isFull = false
  await expect.poll(() => written).toEqual(['first', 'second'])
  await writes.add(write('third'))
  expect(written).toEqual(['first', 'second', 'third'])
})

test('pending writes are tried once more at shutdown, and then dropped', async () => {
  const tried: string[] = []
  const writes = createOrderedWrites(() => {})
  const fail = (name: string) => async () => {
    tried.push(name)
    throw new Error('the disk is full')
  }
  await writes.add(fail('first'))
  await writes.add(fail('second'))
  await writes.close()
  expect(tried).toEqual(['first', 'first', 'second'])
})
