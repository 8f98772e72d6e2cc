// @slow
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { StoreUnavailable } from '../store.ts'
import { workerPool } from './worker-pool.ts'

/** The functions of the threads. */
type Work = { add(a: number, b: number): number; fail(): never; given(): unknown; hang(): never }

const thread = `
  import { threadId } from 'node:worker_threads'
  import { workerData } from 'piscina'
  const work = {
    add: (a, b) => a + b,
    fail: () => { throw new RangeError('no such column') },
    given: () => workerData,
    hang: () => new Promise(() => {}),
  }
  export const answer = async ({ name, args }) => ({ value: await work[name](...args) })`

function openPool({ threads = 2, maxQueuedPerKey = 10, timeLimitMs = 60_000 } = {}) {
  const file = join(temporaryFolder(), 'thread.mjs')
  writeFileSync(file, thread.replace("'piscina'", JSON.stringify(import.meta.resolve('piscina'))))
  const pool = workerPool<Work>(pathToFileURL(file), new Array(threads).fill({ directory: 'data' }), {
    maxQueuedPerKey,
    maxWaitMs: 86_400_000,
    timeLimitMs,
  })
  onTestFinished(() => void pool.close())
  return pool
}

test('calls are answered with what they return or throw', async () => {
  const pool = openPool()
  const calls = [pool.call('add', [1, 2]), pool.call('fail', []), pool.call('add', [3, 4])]
  expect(await Promise.allSettled(calls)).toMatchObject([{ value: 3 }, { reason: { message: 'no such column' } }, { value: 7 }])
})

test('every thread has the data that it was started with', async () => {
  expect(await openPool().call('given', [])).toEqual({ directory: 'data' })
})

test('a call over the time limit is refused, and the next one is answered', async () => {
  const pool = openPool({ threads: 1, timeLimitMs: 3000 })
  await pool.call('add', [1, 2])
  const refusal = await pool.call('hang', []).catch((error) => error)
  expect(refusal).toBeInstanceOf(StoreUnavailable)
  expect(refusal).toMatchObject({ message: 'The question took too long.', retryAfterSeconds: 5 })
  expect(await pool.call('add', [3, 4])).toBe(7)
})

test('a call that its caller aborts rejects with the reason, though another thread is free', async () => {
  const pool = openPool({ timeLimitMs: 60_000 })
  const abort = new AbortController()
  const aborted = pool.call('hang', [], { signal: abort.signal })
  abort.abort(new DOMException('The client has gone.', 'AbortError'))
  await expect(aborted).rejects.toThrow('The client has gone.')
  expect(await pool.call('add', [1, 2], { signal: new AbortController().signal })).toBe(3)
})

test('more calls than may wait are refused', async () => {
  const pool = openPool({ threads: 1, maxQueuedPerKey: 1 })
  const calls = Array.from({ length: 3 }, () => pool.call('add', [1, 2]))
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
})
