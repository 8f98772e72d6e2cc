// @slow clickhouse
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createStoreStats } from '../../src/stats/server-stats.ts'
import { importBuilt } from '../support/built.ts'

const check = { account: 'acme', checkId: 'homepage' }
const page = { check, window: { from: 0, to: 9 }, location: null, hasFailures: null, before: null, rowPage: { offset: 0, limit: 1 } }

/** Readers in threads, with a server that responds as given. */
async function openReaders(answer: RequestListener) {
  const server = createServer(answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { openReaders } = await importBuilt<typeof import('../../src/store/clickhouse/readers.ts')>('store/clickhouse/readers.ts')
  const logged: unknown[] = []
  const statements: string[] = []
  const readers = await openReaders({
    server: { url, database: 'tidemark', cluster: null, username: 'reader', password: 'secret', ca: null },
    metrics: { values: ['dns'], pageValues: [] },
    workers: 1,
    clock: Date.now,
    log: (problem) => logged.push(problem),
    onStatement: (sql) => statements.push(sql),
    stats: createStoreStats(),
  })
  onTestFinished(async () => {
    await readers.close()
    server.closeAllConnections()
    server.close()
  })
  return { readers, logged, statements }
}

test('an aborted query ends its request to ClickHouse, and its thread runs the next one', async () => {
  const abort = new AbortController()
  let requests = 0
  let noteClosed = () => {}
  const closed = new Promise<void>((resolve) => {
    noteClosed = resolve
  })
  const { readers } = await openReaders((_, response) => {
    requests++
    if (requests > 1) return void response.end()
    response.once('close', () => noteClosed())
    abort.abort()
  })
  await expect(readers.call('results', [page], { signal: abort.signal })).rejects.toMatchObject({ name: 'AbortError' })
  await closed
  expect(await readers.call('results', [page])).toEqual([])
})

test('errors of ClickHouse appear only in the log, fail queries as in one thread, and statements are reported', async () => {
  let code = 36
  const { readers, logged, statements } = await openReaders((_, response) => {
    response.writeHead(500, { 'x-clickhouse-exception-code': String(code) })
    response.end(`Code: ${code}. DB::Exception: The secret is 42. (SOME_ERROR) (version 26.1.1)\n`)
  })
  await expect(readers.call('results', [page])).rejects.toMatchObject({ name: 'StoreUnavailable', retryAfterSeconds: 5 })
  await expect.poll(() => logged).toEqual([expect.stringMatching(/\(36\).*The secret is 42/)])
  code = 396
  await expect(readers.call('results', [page])).rejects.toMatchObject({ name: 'QueryTooLarge' })
  await expect.poll(() => statements).toEqual([expect.stringContaining('FROM results'), expect.stringContaining('FROM results')])
})

test('threads use the user and password of the store', async () => {
  const users: unknown[] = []
  const { readers } = await openReaders((request, response) => {
    users.push(request.headers.authorization)
    response.end()
  })
  await readers.call('results', [page])
  expect(users).toEqual([`Basic ${Buffer.from('reader:secret').toString('base64')}`])
})
