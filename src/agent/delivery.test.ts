import { expect, test } from 'vitest'
import { recordingLog } from '../../test/support/log.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { virtualClock } from '../../test/support/virtual-clock.ts'
import { maxRowLength } from '../ingest/rows.ts'
import { openAgentOutbox } from './agent-outbox.ts'
import { startDelivery } from './delivery.ts'
import type { OutboxResult } from './outbox-database.ts'

const row = (id: number) => `${JSON.stringify({ id })}\n`

type Answer = { readonly status: number; readonly retryAfter?: string }

/** A delivery of these results to a server that takes some time for each post, and gives these answers before it accepts them. */
async function delivering(results: readonly OutboxResult[], postMs: number, answers: Answer[] = []) {
  const clock = virtualClock(Date.UTC(2026, 10, 14))
  const outbox = await openAgentOutbox({ directory: temporaryFolder(), inline: true })
  await outbox.put(results, clock.now())
  const posts: string[] = []
  const send = async (_: string, { body }: { body?: string | null } = {}) => {
    await new Promise<void>((resolve) => clock.after(postMs, resolve))
    posts.push(body ?? '')
    const { status, retryAfter } = answers.shift() ?? { status: 200 }
    return { status, body: '{"rejected": []}', headers: new Headers(retryAfter === undefined ? {} : { 'retry-after': retryAfter }) }
  }
  const delivery = startDelivery({ outbox, connection: { send }, clock, log: recordingLog() })
  return { clock, outbox, posts, delivery }
}

const many = Array.from({ length: 1000 }, (_, i) => ({ row: row(i), evidence: null }))

test('a backlog is delivered in order, with a rest after each batch that is as long as its post took', async () => {
  const { clock, outbox, posts, delivery } = await delivering(many, 100)
  const counts: number[] = []
  for (let at = 0; at < 800; at += 100) {
    await clock.advance(100)
    counts.push(posts.length)
  }
  expect(counts).toEqual([1, 1, 2, 2, 3, 3, 4, 4])
  expect(posts.join('')).toBe(many.map((one) => one.row).join(''))
  expect(outbox.counts().waiting).toBe(0)
  await delivery.close(AbortSignal.abort())
  await outbox.close()
})

test('the rest after a batch is at most a second', async () => {
  const { clock, outbox, posts, delivery } = await delivering(many, 5000)
  await clock.advance(5000)
  expect(posts).toHaveLength(1)
  await clock.advance(5999)
  expect(posts).toHaveLength(1)
  await clock.advance(1)
  expect(posts).toHaveLength(2)
  await delivery.close(AbortSignal.abort())
  await outbox.close()
})

test('a server that asks for a longer pause than the agent would make is given it', async () => {
  const { clock, outbox, posts, delivery } = await delivering(many.slice(0, 1), 0, [{ status: 503, retryAfter: '60' }])
  await clock.advance(59_999)
  expect(posts).toHaveLength(1)
  await clock.advance(1)
  expect(posts).toHaveLength(2)
  expect(outbox.counts().waiting).toBe(0)
  await delivery.close(AbortSignal.abort())
  await outbox.close()
})

test('a server that asks for a shorter pause, or for none, is not asked again at once', async () => {
  const { clock, outbox, posts, delivery } = await delivering(many.slice(0, 1), 0, [{ status: 503, retryAfter: '0' }, { status: 503 }])
  await clock.advance(499)
  expect(posts).toHaveLength(1)
  await clock.advance(501)
  expect(posts).toHaveLength(2)
  await delivery.close(AbortSignal.abort())
  await outbox.close()
})

test('an agent that closes delivers without rests', async () => {
  const { clock, outbox, posts, delivery } = await delivering(many, 100)
  const closed = delivery.close(new AbortController().signal)
  await clock.advance(400)
  await closed
  expect(posts).toHaveLength(4)
  await outbox.close()
})

test('evidence is sent with its result in base64, and left out where the row would be too long', async () => {
  const results = [
    { row: row(1), evidence: new Uint8Array([1, 2, 3]) },
    { row: row(2), evidence: new Uint8Array(maxRowLength) },
  ]
  const { clock, outbox, posts, delivery } = await delivering(results, 1)
  await clock.advance(10)
  expect(posts).toEqual(['{"id":1,"evidence":"AQID"}\n{"id":2}\n'])
  await delivery.close(AbortSignal.abort())
  await outbox.close()
})
