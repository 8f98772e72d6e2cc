import { expect, onTestFinished, test } from 'vitest'
import { StoreUnavailable } from '../store.ts'
import { singleWorker } from './worker.ts'

/** The functions of the thread. */
type Work = { double(number: number): number; fail(): never; exit(): void; throwLater(): void; close(): void }

const thread = `
  import { parentPort } from 'node:worker_threads'
  const work = {
    double: (number) => ({ value: 2 * number }),
    fail: () => ({ problem: new Error('disk I/O error') }),
    exit: () => process.exit(1),
    throwLater: () => setTimeout(() => { throw new Error('it broke') }),
    close: () => ({ value: undefined }),
  }
  parentPort.on('message', ({ name, args }) => {
    const reply = work[name](...args)
    if (reply?.value !== undefined || reply?.problem || name === 'close') parentPort.postMessage(reply)
  })`

function openWorker() {
  const worker = singleWorker<Work>(new URL(`data:text/javascript,${encodeURIComponent(thread)}`), {})
  onTestFinished(() => worker.close().catch(() => {}))
  return worker
}

test('calls are answered in their order, with what they return or throw', async () => {
  const worker = openWorker()
  const calls = [worker.call('double', [1]), worker.call('fail', []), worker.call('double', [3])]
  expect(await Promise.allSettled(calls)).toMatchObject([{ value: 2 }, { reason: { message: 'disk I/O error' } }, { value: 6 }])
})

test.each(['exit', 'throwLater'] as const)(
  'a thread that dies (%s) fails the calls under way, and the next call starts another',
  async (how) => {
    const worker = openWorker()
    await expect(worker.call(how, [])).rejects.toThrow()
    expect(await worker.call('double', [4])).toBe(8)
  },
)

test('a call during closing is refused', async () => {
  const worker = openWorker()
  const before = worker.call('double', [1])
  const closing = worker.close()
  await expect(worker.call('double', [2])).rejects.toThrow(StoreUnavailable)
  expect(await before).toBe(2)
  await closing
})
