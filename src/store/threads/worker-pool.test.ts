import { getEventListeners } from 'node:events'
import { constants, getPriority } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { threadModule } from '../../../test/support/thread-module.ts'
import { cheapCost } from '../admission/cost.ts'
import { StoreUnavailable } from '../store.ts'
import { workerPool } from './worker-pool.ts'

type Work = { add(a: number, b: number): number; tell(): void; fail(): never; given(): unknown; hang(): never }

const thread = `
  const { parentPort } = process.getBuiltinModule('node:worker_threads')
  let signal
  const answer = functionsOf({
    add: (a, b) => a + b,
    fail: () => { throw new RangeError('no such column') },
    given: () => threadData(),
    tell: () => parentPort.postMessage({ told: 'by the way' }),
    hang: () => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  })
  answerCalls(async (call) => {
    signal = call.signal
    return { value: await answer(call) }
  })`

async function openPool({ threads = 2, maxQueuedPerKey = 10, timeLimitMs = 60_000 } = {}) {
  const lost: string[] = []
  const messages: unknown[] = []
  const pool = workerPool<Work>(await threadModule(thread), new Array(threads).fill({ directory: 'data' }), {
    kind: 'reader',
    maxQueuedPerKey,
    maxWaitMs: 86_400_000,
    timeLimitMs,
    onMessage: (message) => messages.push(message),
    onLost: ({ message }) => lost.push(message),
  })
  onTestFinished(() => pool.close())
  return { ...pool, lost, messages }
}

test('calls settle with what they return or throw', async () => {
  const pool = await openPool()
  const calls = [pool.call('add', [1, 2]), pool.call('fail', []), pool.call('add', [3, 4])]
  expect(await Promise.allSettled(calls)).toMatchObject([{ value: 3 }, { reason: { message: 'no such column' } }, { value: 7 }])
})

test('messages of threads other than replies are passed on', async () => {
  const pool = await openPool()
  await pool.call('tell', [])
  expect(pool.messages).toEqual([{ told: 'by the way' }])
})

test.runIf(process.platform === 'linux')('only the thread for cheap calls has the priority of the main thread', async () => {
  const module = await threadModule(`import { getPriority } from 'node:os'
    answerCalls(() => ({ value: getPriority() }))`)
  const open = (threads: number) => {
    const limits = { kind: 'reader', maxQueuedPerKey: 10, maxWaitMs: 60_000, timeLimitMs: 60_000 }
    const pool = workerPool<{ priority(): number }>(module, new Array(threads).fill(null), limits)
    onTestFinished(() => pool.close())
    return pool
  }
  const [own, lower] = [getPriority(), Math.min(constants.priority.PRIORITY_LOW, getPriority() + 10)]
  const several = open(2)
  expect(await several.call('priority', [], { cost: cheapCost })).toBe(own)
  expect(await several.call('priority', [], { cost: cheapCost + 1 })).toBe(lower)
  expect(await open(1).call('priority', [])).toBe(lower)
})

test('every thread has its start data', async () => {
  expect(await (await openPool()).call('given', [])).toEqual({ directory: 'data' })
})

test('a call that exceeds the time limit is rejected, and the next one is answered', async () => {
  const pool = await openPool({ threads: 1, timeLimitMs: 1000 })
  /** A thread may take longer to start. */
  const answered = () => expect.poll(() => pool.call('add', [1, 2]).catch(String)).toBe(3)
  await answered()
  const refusal = await pool.call('hang', []).catch((error) => error)
  expect(refusal).toBeInstanceOf(StoreUnavailable)
  expect(refusal).toMatchObject({ message: 'The query took too long.', retryAfterSeconds: 5 })
  expect(pool.lost.at(-1)).toBe('A reader thread was terminated and replaced: hang timed out after 1,000 ms.')
  await answered()
})

test('an aborted call rejects with the reason, even if another thread is free', async () => {
  const pool = await openPool()
  const abort = new AbortController()
  const aborted = pool.call('hang', [], { signal: abort.signal })
  abort.abort(new DOMException('The client has gone.', 'AbortError'))
  await expect(aborted).rejects.toThrow('The client has gone.')
  expect(await pool.call('add', [1, 2], { signal: new AbortController().signal })).toBe(3)
})

test('calls beyond the queue limit are rejected', async () => {
  const pool = await openPool({ threads: 1, maxQueuedPerKey: 1 })
  const calls = Array.from({ length: 3 }, () => pool.call('add', [1, 2]))
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
})

test('listeners are removed from a signal that outlives its calls', async () => {
  const pool = await openPool({ threads: 1 })
  const { signal } = new AbortController()
  await Promise.all([pool.call('add', [1, 2], { signal }), pool.call('add', [3, 4], { signal })])
  await pool.call('fail', [], { signal }).catch(() => {})
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
