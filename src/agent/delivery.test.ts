import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordingLog } from '../../test/support/log.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { virtualClock } from '../../test/support/virtual-clock.ts'
import { maxRowLength } from '../ingest/rows.ts'
import { pause } from '../runner/clock.ts'
import { openAgentOutbox } from './agent-outbox.ts'
import { startDelivery } from './delivery.ts'
import type { OutboxResult } from './outbox-database.ts'

const row = (id: number) => `${JSON.stringify({ id })}\n`

type Answer = { readonly status: number; readonly retryAfter?: string }

/** Delivers these results to a server that takes some time for each post, and responds like this before it accepts them. */
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

test('a backlog is delivered in order, with a pause after each batch as long as its post took', async () => {
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

test('the pause after a batch is at most a second', async () => {
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

test("a Retry-After longer than the agent's own back-off is respected", async () => {
  const { clock, outbox, posts, delivery } = await delivering(many.slice(0, 1), 0, [{ status: 503, retryAfter: '60' }])
  await clock.advance(59_999)
  expect(posts).toHaveLength(1)
  await clock.advance(1)
  expect(posts).toHaveLength(2)
  expect(outbox.counts().waiting).toBe(0)
  await delivery.close(AbortSignal.abort())
  await outbox.close()
})

test('a short Retry-After, or none, does not cause a retry at once', async () => {
  const { clock, outbox, posts, delivery } = await delivering(many.slice(0, 1), 0, [{ status: 503, retryAfter: '0' }, { status: 503 }])
  await clock.advance(499)
  expect(posts).toHaveLength(1)
  await clock.advance(501)
  expect(posts).toHaveLength(2)
  await delivery.close(AbortSignal.abort())
  await outbox.close()
})

test('what could not be delivered is sent again as soon as the server has answered another request', async () => {
  const { clock, outbox, posts, delivery } = await delivering(many.slice(0, 1), 0, [{ status: 503, retryAfter: '60' }])
  await clock.advance(1)
  expect(posts).toHaveLength(1)
  delivery.retry()
  await clock.advance(1)
  expect([posts.length, outbox.counts().waiting]).toEqual([2, 0])
  await delivery.close(AbortSignal.abort())
  await outbox.close()
})

test('an agent that shuts down delivers without pauses', async () => {
  const { clock, outbox, posts, delivery } = await delivering(many, 100)
  const closed = delivery.close(new AbortController().signal)
  await clock.advance(400)
  await closed
  expect(posts).toHaveLength(4)
  await outbox.close()
})

test('evidence is sent with its result in base64, and omitted where the row would be too long', async () => {
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

const rowOf = (checkId: string, id: number) => ({ row: `${JSON.stringify({ checkId, id })}\n`, evidence: null })
type SentRow = { readonly checkId: string; readonly id: number }

/** Delivers to a server that refuses the results of some checks and stores all others. */
async function deliveringTo(refuses: Set<string>, postMs = () => 1) {
  const clock = virtualClock(Date.UTC(2026, 10, 14))
  const outbox = await openAgentOutbox({ directory: temporaryFolder(), inline: true })
  const log = recordingLog()
  const posts: { readonly at: number; readonly rows: readonly SentRow[] }[] = []
  /** Ids by check, in the order in which they were first stored. */
  const stored = new Map<string, Set<number>>()
  const send = async (_: string, { body, signal }: { body?: string | null; signal?: AbortSignal } = {}) => {
    const rows = (body ?? '')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as SentRow)
    const at = clock.monotonic()
    const refusedChecks = [...new Set(rows.map(({ checkId }) => checkId))].filter((checkId) => refuses.has(checkId))
    await pause(clock, refusedChecks.length > 0 ? postMs() : 1, signal ?? new AbortController().signal)
    signal?.throwIfAborted()
    posts.push({ at, rows })
    for (const { checkId, id } of rows)
      if (!refusedChecks.includes(checkId)) stored.set(checkId, (stored.get(checkId) ?? new Set()).add(id))
    const rejected = [{ index: 0, code: 'UNKNOWN_CHECK', message: 'There is no such check.' }]
    const answer = refusedChecks.length > 0 ? { message: 'Too few replicas.', refusedChecks, rejected } : { rejected: [] }
    return { status: refusedChecks.length > 0 ? 503 : 200, body: JSON.stringify(answer), headers: new Headers({ 'retry-after': '5' }) }
  }
  const delivery = startDelivery({ outbox, connection: { send }, clock, log, random: () => 1 })
  const put = async (...results: readonly OutboxResult[]) => {
    await outbox.put(results, clock.now())
    delivery.wake()
  }
  const close = async () => {
    const closed = delivery.close(new AbortController().signal)
    await clock.advance(1000)
    await closed
    await outbox.close()
  }
  const idsOf = (checkId: string) => [...(stored.get(checkId) ?? [])]
  return { clock, outbox, log, posts, delivery, put, close, idsOf, stored }
}

const warned = 'Results of some checks were rejected. They stay in the outbox.'
const again = 'Delivery of results resumed for all checks.'
const range = (count: number) => Array.from({ length: count }, (_, i) => i)

test('of a partly refused batch only the refused results wait, and they do not block others', async () => {
  const refuses = new Set(['dead'])
  const { clock, outbox, log, put, close, idsOf } = await deliveringTo(refuses)
  await put(...range(1000).map((id) => rowOf(id % 2 === 0 ? 'dead' : 'fine', id)))
  await clock.advance(60_000)
  await put(rowOf('dead', 1000), rowOf('fine', 1001))
  await clock.advance(3000)
  expect(idsOf('fine')).toEqual([...range(1000).filter((id) => id % 2 === 1), 1001])
  expect(outbox.counts().waiting).toBe(501)
  refuses.clear()
  await clock.advance(60_000)
  expect(idsOf('dead')).toEqual([...range(1000).filter((id) => id % 2 === 0), 1000])
  expect(outbox.counts().waiting).toBe(0)
  expect(log.messages.filter((message) => !message.startsWith('The server rejected'))).toEqual([warned, again])
  expect(clock.pending()).toBe(1)
  await close()
})

test('one result of each refused check is retried, with pauses of up to half a minute', async () => {
  const { clock, posts, put, close } = await deliveringTo(new Set(['dead', 'gone']))
  await put(...range(100).map((id) => rowOf(id % 2 === 0 ? 'dead' : 'gone', id)))
  await clock.advance(100)
  expect(posts).toHaveLength(1)
  await clock.advance(120_000)
  const [first, ...tries] = posts
  expect(tries.map(({ at }) => Math.round((at - (first?.at ?? 0)) / 1000))).toEqual([5, 10, 15, 23, 39, 69, 99])
  expect(
    new Set(
      tries.map(({ rows }) =>
        rows
          .map(({ id }) => id)
          .toSorted()
          .join(),
      ),
    ),
  ).toEqual(new Set(['0,1']))
  await close()
})

test('all refused checks are retried, even more than one request takes', async () => {
  const refuses = new Set(range(600).map((i) => `check-${i}`))
  const { clock, put, close, idsOf, posts } = await deliveringTo(refuses)
  await put(...range(600).map((i) => rowOf(`check-${i}`, i)))
  await clock.advance(10_000)
  refuses.delete('check-599')
  await clock.advance(60_000)
  expect(idsOf('check-599')).toEqual([599])
  for (const i of range(600)) if (i % 2 === 0) refuses.delete(`check-${i}`)
  const tried = posts.length
  await clock.advance(30_100)
  expect(range(600).filter((i) => idsOf(`check-${i}`).length > 0)).toEqual(range(600).filter((i) => i % 2 === 0 || i === 599))
  const [first, , third] = posts.slice(tried)
  expect((third?.at ?? 0) - (first?.at ?? 0)).toBeLessThan(100)
  await close()
})

test('results of other checks do not wait for the response to a retry of refused ones', async () => {
  let postMs = 1
  const { clock, put, close, idsOf, posts } = await deliveringTo(new Set(['dead']), () => postMs)
  await put(rowOf('dead', 0))
  await clock.advance(1000)
  postMs = 50_000
  await clock.advance(10_000)
  await put(rowOf('dead', 1), rowOf('fine', 2))
  await clock.advance(100)
  expect([posts.length, idsOf('fine')]).toEqual([2, [2]])
  await clock.advance(50_000)
  await close()
})

test('a refused result that was dropped in the meantime is not retried; the next one of its check is', async () => {
  const { clock, outbox, posts, put, close } = await deliveringTo(new Set(['dead']))
  await put(rowOf('dead', 0), rowOf('dead', 1))
  await clock.advance(1000)
  const [dropped] = await outbox.next(0)
  await outbox.remove([dropped?.position ?? 0])
  posts.length = 0
  await clock.advance(60_000)
  expect(posts.length).toBeGreaterThan(1)
  expect(posts.flatMap(({ rows }) => rows.map(({ id }) => id))).toEqual(posts.map(() => 1))
  await close()
})

test('delivered results that could not be removed are removed later, and not sent again', async () => {
  const { clock, outbox, posts, put, close } = await deliveringTo(new Set())
  const { remove } = outbox
  outbox.remove = () => Promise.reject(new Error('the disk is broken'))
  await put(rowOf('fine', 0))
  await clock.advance(1000)
  outbox.remove = remove
  await put(rowOf('fine', 1))
  await clock.advance(1000)
  expect(posts.map(({ rows }) => rows.map(({ id }) => id))).toEqual([[0], [1]])
  expect(await outbox.next(0)).toEqual([])
  await close()
})

test('an agent that shuts down keeps refused results in the outbox and delivers all others', async () => {
  const { clock, outbox, put, close, idsOf } = await deliveringTo(new Set(['dead']))
  await put(rowOf('dead', 0))
  await clock.advance(1000)
  await put(rowOf('fine', 1))
  const waits = outbox.counts
  await close()
  expect([idsOf('fine'), waits().waiting, clock.pending()]).toEqual([[1], 1, 0])
})

test.each([
  ['delivered', []],
  ['refused before', ['a']],
])('an agent that closes waits until results that were %s are removed, so that the outbox can be closed', async (_, refused) => {
  const refuses = new Set(refused)
  const { clock, outbox, delivery, put } = await deliveringTo(refuses)
  const { remove } = outbox
  outbox.remove = async (positions) => {
    await new Promise<void>((resolve) => clock.after(500, resolve))
    await remove(positions)
  }
  await put(rowOf('a', 0))
  await clock.advance(100)
  if (refuses.delete('a')) await clock.advance(5000)
  let isClosed = false
  const closing = delivery.close(new AbortController().signal).then(() => {
    isClosed = true
  })
  await clock.advance(100)
  expect([isClosed, outbox.counts().waiting]).toEqual([false, 1])
  await clock.advance(500)
  await closing
  expect(outbox.counts().waiting).toBe(0)
  await outbox.close()
})

const someChecks = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'))
const step = fc.record({ put: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 300 }), refuses: someChecks, ms: fc.nat(40_000) })

test('whatever is refused and for how long, results of each check are stored in order and none is lost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), fc.nat(20_000), async (steps, postMs) => {
      const refuses = new Set<string>()
      const { clock, outbox, put, close, stored } = await deliveringTo(refuses, () => postMs)
      const expected = new Map<string, number[]>()
      let id = 0
      for (const { put: checks, refuses: next, ms } of steps) {
        refuses.clear()
        for (const checkId of next) refuses.add(checkId)
        for (const checkId of checks) expected.set(checkId, [...(expected.get(checkId) ?? []), id++])
        await put(...checks.map((checkId, i) => rowOf(checkId, id - checks.length + i)))
        await clock.advance(ms)
      }
      refuses.clear()
      await clock.advance(300_000)
      expect(outbox.counts().waiting).toBe(0)
      for (const [checkId, ids] of expected) expect([...(stored.get(checkId) ?? [])]).toEqual(ids)
      await close()
    }),
    { numRuns: 40 },
  )
})
