import { expect, onTestFinished, test } from 'vitest'
import { threadModule } from '../../../test/support/thread-module.ts'
import { StoreUnavailable } from '../store.ts'
import { singleWorker } from './worker.ts'

type Work = { double(number: number): number; fail(): never; exit(): void; throwLater(): void; spin(): void; close(): void }

const thread = `
  answerCalls(functionsOf({
    double: (number) => 2 * number,
    fail: () => { throw new Error('disk I/O error') },
    exit: () => process.exit(1),
    throwLater: () => new Promise(() => setTimeout(() => { throw new Error('it broke') })),
    spin: () => { for (;;); },
    close: () => {},
  }))`

async function openWorker(timeLimitMs = 60_000) {
  const worker = singleWorker<Work>(await threadModule(thread), {}, { kind: 'writer', timeLimitMs })
  onTestFinished(() => worker.close().catch(() => {}))
  return worker
}

test('calls settle in order, with what they return or throw', async () => {
  const worker = await openWorker()
  const calls = [worker.call('double', [1]), worker.call('fail', []), worker.call('double', [3])]
  expect(await Promise.allSettled(calls)).toMatchObject([{ value: 2 }, { reason: { message: 'disk I/O error' } }, { value: 6 }])
})

test.each(['exit', 'throwLater', 'spin'] as const)(
  'if the thread is lost (%s), its call may be retried, and later calls are answered by a new thread',
  async (how) => {
    const worker = await openWorker(how === 'spin' ? 5000 : 60_000)
    const [lost, next] = [worker.call(how, []), worker.call('double', [4])]
    await expect(lost).rejects.toBeInstanceOf(StoreUnavailable)
    expect(await next).toBe(8)
  },
)

test('a call during closing is rejected', async () => {
  const worker = await openWorker()
  const before = worker.call('double', [1])
  const closing = worker.close()
  await expect(worker.call('double', [2])).rejects.toThrow(StoreUnavailable)
  expect(await before).toBe(2)
  await closing
})
