import { expect, test } from 'vitest'
import { QueryTooLarge, StoreUnavailable } from '../store.ts'
import { answerOf, asyncReplyOf, replyOf } from './pool-thread.ts'

const modes = [
  ['synchronously', async (work: () => unknown) => replyOf(work)],
  ['asynchronously', (work: () => unknown) => asyncReplyOf(async () => work())],
] as const

test.each(modes)('answers and errors, %s, are the same in another thread', async (_, replyTo) => {
  const called = async (work: () => unknown) => answerOf(structuredClone(await replyTo(work)))
  expect(await called(() => ({ rows: [1] }))).toEqual({ rows: [1] })
  const tooLarge = called(() => {
    throw new QueryTooLarge('it reads too much')
  })
  await expect(tooLarge).rejects.toMatchObject({ name: 'QueryTooLarge', message: 'it reads too much' })
  const unavailable = called(() => {
    throw new StoreUnavailable('not now', 7, { publicReason: 'It is full.' })
  })
  const refusal = { name: 'StoreUnavailable', message: 'not now', retryAfterSeconds: 7, publicReason: 'It is full.' }
  await expect(unavailable).rejects.toMatchObject(refusal)
  const failed = called(() => {
    throw new RangeError('no such column')
  })
  await expect(failed).rejects.toThrow('no such column')
})
