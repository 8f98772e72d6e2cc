import { expect, test } from 'vitest'
import { createSerialQueue } from './serial-queue.ts'

/** Tasks that the test ends. */
function tasks() {
  const started: string[] = []
  const ends: ((problem?: Error) => void)[] = []
  const task = (name: string) => () => {
    started.push(name)
    return new Promise<string>((resolve, reject) => ends.push((problem) => (problem ? reject(problem) : resolve(name))))
  }
  const end = async (problem?: Error) => {
    ends.shift()?.(problem)
    await new Promise(setImmediate)
  }
  return { task, end, started }
}

test('tasks run one after the other, in order', async () => {
  const { task, end, started } = tasks()
  const queue = createSerialQueue()
  const results = Promise.all([queue(task('a')), queue(task('b')), queue(task('c'))])
  await end()
  expect(started).toEqual(['a'])
  await end()
  expect(started).toEqual(['a', 'b'])
  await end()
  await end()
  expect(await results).toEqual(['a', 'b', 'c'])
})

test('a failed task rejects only its own call', async () => {
  const { task, end, started } = tasks()
  const queue = createSerialQueue()
  const failed = expect(queue(task('a'))).rejects.toThrow('disk full')
  const next = queue(task('b'))
  await end()
  await end(new Error('disk full'))
  await failed
  expect(started).toEqual(['a', 'b'])
  await end()
  expect(await next).toBe('b')
})

test('a task beyond the limit is rejected, until another has ended', async () => {
  const { task, end, started } = tasks()
  const queue = createSerialQueue({ maxWaiting: 1, onFull: () => new Error('busy') })
  const first = queue(task('running'))
  const second = queue(task('waiting'))
  await expect(queue(task('refused'))).rejects.toThrow('busy')
  await end()
  await first
  const third = queue(task('accepted'))
  for (let i = 0; i < 2; i++) await end()
  expect(await Promise.all([second, third])).toEqual(['waiting', 'accepted'])
  expect(started).toEqual(['running', 'waiting', 'accepted'])
})
