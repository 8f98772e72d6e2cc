// @slow clickhouse
import { createServer, request as forward, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { testDatabases, testMetrics } from '../../../test/clickhouse/databases.ts'
import { serverMissing } from '../../../test/clickhouse/engines/server.ts'
import { check, span } from '../../../test/support/arbitrary-results.ts'
import { importBuilt } from '../../../test/support/built.ts'
import { needing } from '../../../test/support/needs.ts'
import { calm } from '../../../test/support/results.ts'
import type { Store } from '../store.ts'
import { createQuestionDeadline } from './question-deadline.ts'

const never = <T>() => new Promise<T>(() => {})
const inTime = { name: 'StoreUnavailable', publicReason: 'The results database does not answer in time.' }

test('a query times out at its deadline, and its work is aborted', async () => {
  const signals: (AbortSignal | undefined)[] = []
  const { limited } = createQuestionDeadline({ deadlineMs: 20 })
  const ask = limited((_: string, options) => {
    signals.push(options?.signal)
    return never()
  })
  await expect(ask('slow')).rejects.toMatchObject(inTime)
  expect(signals.map((signal) => signal?.aborted)).toEqual([true])
})

test('calls with the same signal are one query with one deadline and one abort', async () => {
  let now = 0
  const signals = new Set<AbortSignal | undefined>()
  const { limited } = createQuestionDeadline({ deadlineMs: 60_000, monotonic: () => now })
  const quick = limited(async (_: string, options) => void signals.add(options?.signal))
  const slow = limited(() => never())
  const { signal } = new AbortController()
  await quick('first', { signal })
  now = 59_990
  await expect(slow('second', { signal })).rejects.toMatchObject(inTime)
  now = 0
  await quick('of another', { signal: new AbortController().signal })
  expect([...signals].map((own) => own?.aborted)).toEqual([true, false])
})

test('a caller that leaves aborts its query with its own reason', async () => {
  const { limited } = createQuestionDeadline()
  const leaving = new AbortController()
  const aborted = (signal: AbortSignal | undefined) =>
    new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  const asked = limited((_: string, options) => aborted(options?.signal))('slow', { signal: leaving.signal })
  leaving.abort(new Error('it has left'))
  await expect(asked).rejects.toThrow('it has left')
})

test('the deadline applies to each page, not to the whole scan', async () => {
  const { scan } = createQuestionDeadline({ deadlineMs: 100 })
  const pages = scan(async function* () {
    for (let page = 0; page < 3; page++) {
      await pause(40)
      yield []
    }
    yield await never<[]>()
  })(check, span)[Symbol.asyncIterator]()
  for (let page = 0; page < 3; page++) expect((await pages.next()).done).toBe(false)
  await expect(pages.next()).rejects.toMatchObject(inTime)
})

describe('over a slow server', { ...needing(await serverMissing()), timeout: 120_000 }, () => {
  const databases = testDatabases()
  let url: string
  let slowMs = 0
  let aborted = 0
  beforeAll(async () => {
    const target = new URL(databases.serverOf('').url)
    const proxy: Server = createServer(async (asked, answer) => {
      answer.once('close', () => {
        if (!answer.writableEnded) aborted++
      })
      await pause(slowMs)
      const { method = 'POST', headers, url: path = '/' } = asked
      const sent = forward({ host: target.hostname, port: target.port, method, headers, path }, (received) => {
        answer.writeHead(received.statusCode ?? 500, received.headers)
        received.pipe(answer)
      })
      sent.on('error', () => answer.destroy())
      asked.pipe(sent)
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    return () => {
      proxy.closeAllConnections()
      proxy.close()
    }
  })

  const results = Array.from({ length: 3 }, (_, i) => ({
    check,
    result: { ...calm, id: null, startedAt: span.from + i * 60_000, runLocation: 'eu', values: {}, pages: [] },
  }))
  const rhythm = { periodMs: 60_000, locations: 1, parallel: true }
  const outages = (store: Store) =>
    store.outages({ sources: [{ check, rhythm }], window: span, now: span.to, quorum: 1, minMs: 0, after: null, limit: 10 })

  test.each([0, 1])('a query of several slow statements times out, with %i threads, and is aborted on the server', async (workers) => {
    const { createClickHouseStore } = await importBuilt<typeof import('./clickhouse-store.ts')>('store/clickhouse/clickhouse-store.ts')
    const server = { ...databases.serverOf(databases.take()), url }
    const store = await createClickHouseStore({
      server,
      metrics: testMetrics,
      clock: () => span.to,
      questionDeadlineMs: 2500,
      workers,
      log: () => {},
    })
    onTestFinished(() => store.close())
    await store.append(results)
    // On a busy machine, even a query that waits for nothing may be late.
    const answered = () => expect.poll(() => outages(store).catch(() => null)).toEqual([])
    await answered()
    slowMs = 1500
    onTestFinished(() => {
      slowMs = 0
    })
    const aborts = aborted
    await expect(outages(store)).rejects.toMatchObject(inTime)
    await expect.poll(() => aborted).toBe(aborts + 1)
    slowMs = 0
    await answered()
  })
})
