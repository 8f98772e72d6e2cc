import { expect, test } from 'vitest'
import { QueryTooLarge, StoreUnavailable } from '../store.ts'
import { answering, answerOf, signalOf } from './pool-thread.ts'

const newFlag = () => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

/** What a caller in another thread gets. */
async function called(work: () => unknown): Promise<unknown> {
  const reply = await answering(work)({ name: 'ask', args: [], cancelled: newFlag() })
  return answerOf(structuredClone(reply))
}

test('answers and refusals are the same on the other side', async () => {
  expect(await called(async () => ({ rows: [1] }))).toEqual({ rows: [1] })
  const tooLarge = called(() => {
    throw new QueryTooLarge('it reads too much')
  })
  await expect(tooLarge).rejects.toMatchObject({ name: 'QueryTooLarge', message: 'it reads too much' })
  const unavailable = called(() => {
    throw new StoreUnavailable('not now', 7)
  })
  await expect(unavailable).rejects.toMatchObject({ name: 'StoreUnavailable', message: 'not now', retryAfterSeconds: 7 })
})

test('a signal is aborted once its call is cancelled', async () => {
  const cancelled = newFlag()
  const { signal } = signalOf(cancelled)
  expect(signal.aborted).toBe(false)
  Atomics.store(cancelled, 0, 1)
  Atomics.notify(cancelled, 0)
  await expect.poll(() => signal.aborted).toBe(true)
  const late = signalOf(cancelled)
  await expect.poll(() => late.signal.aborted).toBe(true)
})

test('a signal whose call has ended is not aborted', async () => {
  const cancelled = newFlag()
  const { signal, end } = signalOf(cancelled)
  end()
  await new Promise((resolve) => setImmediate(resolve))
  expect(signal.aborted).toBe(false)
})
