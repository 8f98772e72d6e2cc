import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { certificate, httpsServer, tcpServer } from '../../../test/support/servers.ts'
import { StoreUnavailable } from '../store.ts'
import { openConnection, type ServerConnectionOptions } from './connection.ts'
import { startFailure } from './server-errors.ts'

/** A connection to a server with these responses. */
async function connectedTo(answer: RequestListener, more: Partial<ServerConnectionOptions> = {}) {
  const server = createServer(answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const logged: string[] = []
  const log = (problem: unknown) => void logged.push(String(problem))
  const connection = await openConnection({ url, database: 'tidemark', username: 'default', password: '', ca: null, log, ...more })
  onTestFinished(async () => {
    await connection.close()
    server.closeAllConnections()
    server.close()
  })
  return { connection, logged, url }
}

const rows = JSON.stringify({ meta: [], data: [[1]], rows: 1 })
const statement = { sql: 'SELECT 1' }

/** An error in the server's format. */
const failing =
  (code: number, status = 500): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'x-clickhouse-exception-code': String(code) })
    response.end(`Code: ${code}. DB::Exception: The secret is 42. (SOME_ERROR) (version 26.1.1)\n`)
  }

test('an error of the server means that the store is unavailable; its code and message are only logged', async () => {
  const { connection, logged } = await connectedTo(failing(36))
  const problem = await connection.rows(statement).catch((error) => error)
  expect(problem).toMatchObject({ name: 'StoreUnavailable', retryAfterSeconds: 5 })
  expect(problem.message).not.toContain('secret')
  expect(logged).toEqual([expect.stringMatching(/\(36\).*The secret is 42/)])
})

test.each([241, 396])('a query that exceeds a limit of memory or rows is too large (%i)', async (code) => {
  const { connection, logged } = await connectedTo(failing(code))
  await expect(connection.columns(statement)).rejects.toMatchObject({ name: 'QueryTooLarge' })
  expect(logged).toEqual([])
})

test('every query has limits of time, memory and rows', async () => {
  const urls: URL[] = []
  const { connection } = await connectedTo((request, response) => {
    urls.push(new URL(request.url ?? '', 'http://server'))
    response.end(request.url?.includes('Native') ? '' : rows)
  })
  await connection.rows(statement)
  await connection.columns(statement).catch(() => {})
  expect(urls).toHaveLength(2)
  for (const { searchParams } of urls)
    for (const limit of ['max_execution_time', 'max_memory_usage', 'max_rows_to_read', 'max_result_rows'])
      expect(Number(searchParams.get(limit))).toBeGreaterThan(0)
})

test.each([
  ['supports the setting for that', [['lightweight_deletes_sync']], '0'],
  ['is too old for that setting', [], null],
])('rows are deleted without waiting for other servers, also if one %s', async (_, settings, expected) => {
  const deleting: URLSearchParams[] = []
  const { connection } = await connectedTo(async (request, response) => {
    const sql = await text(request)
    if (sql.startsWith('DELETE')) deleting.push(new URL(request.url ?? '', 'http://server').searchParams)
    response.end(sql.includes('system.settings') ? JSON.stringify({ meta: [], data: settings, rows: settings.length }) : '')
  })
  await connection.submit('DELETE FROM documents ON CLUSTER main WHERE position = 1')
  const names = ['distributed_ddl_task_timeout', 'mutations_sync', 'lightweight_deletes_sync']
  expect(deleting.map((sent) => names.map((name) => sent.get(name)))).toEqual([['0', '0', expected]])
})

test('a lost connection is retried once', async () => {
  let requests = 0
  const { connection } = await connectedTo((request, response) => {
    requests++
    if (requests === 1) request.socket.destroy()
    else response.end(rows)
  })
  expect(await connection.rows(statement)).toEqual([[1]])
  expect(requests).toBe(2)
})

test('a connection that is lost again means that the store is unavailable, also for inserts', async () => {
  let requests = 0
  const { connection, logged } = await connectedTo((request) => {
    requests++
    request.socket.destroy()
  })
  await expect(connection.insert('results (id)', Buffer.from('rows'))).rejects.toMatchObject({ name: 'StoreUnavailable' })
  expect(requests).toBe(2)
  expect(logged).toHaveLength(1)
})

test('an aborted query closes its request, so that the server can cancel it', async () => {
  const aborting = new AbortController()
  let noteClosed = () => {}
  const closed = new Promise<void>((resolve) => {
    noteClosed = resolve
  })
  const { connection } = await connectedTo((_, response) => {
    response.once('close', () => noteClosed())
    aborting.abort()
  })
  await expect(connection.rows(statement, aborting.signal)).rejects.toMatchObject({ name: 'AbortError' })
  await closed
})

test('a failed start has an explanation', async () => {
  const { url } = await connectedTo(failing(516, 403))
  const place = { url: url.replace('//', '//user:secret@'), database: 'tidemark' }
  const failed = async (code: number) => {
    const { connection } = await connectedTo(failing(code))
    return startFailure(await connection.rows(statement).catch((error) => error), place).message
  }
  expect(await failed(516)).toMatch(/^ClickHouse at http:\/\/127\.0\.0\.1:\d+ rejected this user or password \(code 516\)\.$/)
  expect(await failed(497)).toMatch(/has insufficient privileges in the database tidemark \(code 497\)/)
  expect(await failed(243)).toMatch(/The disk of ClickHouse at .* is full \(code 243\)\./)
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
  expect(startFailure(refused, { ...place, url: 'http://127.0.0.1:1' }).message).toMatch(
    /^ClickHouse does not respond at http:\/\/127\.0\.0\.1:1/,
  )
})

test('a server other than ClickHouse is reported as such', async () => {
  const { connection, url } = await connectedTo((_, response) => response.end('<html>Welcome</html>'))
  const problem = await connection.rows(statement).catch((error) => error)
  expect(startFailure(problem, { url, database: 'tidemark' }).message).toMatch(
    /^The server at http:\/\/127\.0\.0\.1:\d+ is not ClickHouse, or the URL is wrong: /,
  )
})

test.each([
  [193, 'it rejected this user or password'],
  [497, 'the user has insufficient privileges'],
  [16, 'a table has been altered'],
  [243, 'its disk is full'],
  [242, 'it has lost ClickHouse Keeper or ZooKeeper'],
  [285, 'too few replicas for a quorum'],
  [279, 'no replica of a shard is reachable'],
  [289, 'it is behind a quorum of its replicas'],
  [209, 'another server of the cluster does not respond'],
  [32, 'another server of the cluster does not respond'],
  [252, 'it cannot merge as fast as results arrive, or gets too many months at once'],
])('the meaning of server error %i is logged', async (code, words) => {
  const { connection, logged } = await connectedTo(failing(code))
  await expect(connection.rows(statement)).rejects.toMatchObject({ name: 'StoreUnavailable' })
  expect(logged).toEqual([expect.stringContaining(`ClickHouse failed (${code}), ${words}: `)])
})

test('a server that is out of memory is unavailable, with a reason', async () => {
  const { connection, logged } = await connectedTo((_, response) => {
    response.writeHead(500, { 'x-clickhouse-exception-code': '241' })
    response.end('Code: 241. DB::Exception: Memory limit (total) exceeded: would use 9 GiB. (MEMORY_LIMIT_EXCEEDED) (version 26.1.1)\n')
  })
  const publicReason = 'The results database cannot do this now: it is out of memory.'
  await expect(connection.rows(statement)).rejects.toMatchObject({ name: 'StoreUnavailable', publicReason })
  expect(logged).toHaveLength(1)
})

test('a server that does not respond times out with a reason, and is not retried', async () => {
  let requests = 0
  const hang: RequestListener = () => void requests++
  const { connection, logged } = await connectedTo(hang, { silenceMs: 100 })
  const publicReason = 'The results database does not answer in time.'
  await expect(connection.rows(statement)).rejects.toMatchObject({ name: 'StoreUnavailable', publicReason })
  await expect(connection.insert('results (id)', Buffer.from('rows'))).rejects.toMatchObject({ publicReason })
  expect(requests).toBe(2)
  expect(logged[0]).toContain('it does not answer in time')
})

test('a host that does not complete a connection times out long before a silent server', async () => {
  const url = `https://127.0.0.1:${await tcpServer(() => {})}`
  const { connection, logged } = await connectedTo(() => {}, { url, connectMs: 100 })
  const publicReason = 'The results database does not answer in time.'
  const problem = await connection.rows(statement).catch((error) => error)
  expect(problem).toMatchObject({ name: 'StoreUnavailable', publicReason })
  expect(logged).toEqual([expect.stringContaining('It took longer than 0.1 s to connect')])
  expect(startFailure(problem, { url, database: 'tidemark' }).message).toBe(
    `ClickHouse does not respond at ${url} (ETIMEDOUT). Check its URL.`,
  )
})

test('TLS is accepted with the CA of the server certificate, and rejected otherwise', async () => {
  const url = `https://localhost:${await httpsServer((_, response) => response.end(rows))}`
  const trusting = await connectedTo(() => {}, { url, ca: certificate.cert })
  for (let i = 0; i < 3; i++) expect(await trusting.connection.rows(statement)).toEqual([[1]])
  const { connection } = await connectedTo(() => {}, { url })
  const problem = await connection.rows(statement).catch((error) => error)
  expect(startFailure(problem, { url, database: 'tidemark' }).message).toContain('is not trusted')
})

test('a statement may send progress headers for an hour', async () => {
  const { connection } = await connectedTo((_, response) => {
    const progress = JSON.stringify({
      read_rows: '1000000000',
      read_bytes: '100000000000',
      total_rows_to_read: '3000000000',
      elapsed_ns: '1',
    })
    response.writeHead(
      200,
      Array<string[]>(720)
        .fill(['X-ClickHouse-Progress', progress.padEnd(300)])
        .flat(),
    )
    response.end(rows)
  })
  expect(await connection.rows(statement)).toEqual([[1]])
})

test('if one server of a cluster is silent or gone, another one is used, also from then on', async () => {
  const asked: string[] = []
  const named =
    (name: string, answer: RequestListener): RequestListener =>
    (request, response) => {
      asked.push(name)
      answer(request, response)
    }
  const { url: there } = await connectedTo(named('there', (_, response) => response.end(rows)))
  const { url: gone } = await connectedTo(named('gone', (request) => request.socket.destroy()))
  const { connection, logged } = await connectedTo(
    named('silent', () => {}),
    { silenceMs: 100, otherUrls: [gone, there] },
  )
  asked.length = 0
  for (let i = 0; i < 4; i++) await connection.rows(statement).catch(() => {})
  expect(asked.slice(-2)).toEqual(['there', 'there'])
  expect(asked.filter((name) => name === 'silent')).toHaveLength(1)
  expect(logged.length).toBeLessThan(2)
})

test.each(['refuse', 'are silent'])(
  'while one shard is unreachable, whose servers %s, statements for the others are answered',
  async (how) => {
    const live: RequestListener = async (request, response) => {
      if ((await text(request)).includes('lost_shard')) failing(279)(request, response)
      else response.end(rows)
    }
    const dead: RequestListener = how === 'refuse' ? (request) => void request.socket.destroy() : () => {}
    const otherUrls: string[] = []
    for (const listener of [dead, live, dead]) otherUrls.push((await connectedTo(listener)).url)
    const { connection } = await connectedTo(live, { silenceMs: 100, otherUrls })
    // Lets the connection find out which servers are gone.
    for (let i = 0; i < 4; i++) await connection.rows(statement).catch(() => {})
    for (let i = 0; i < 20; i++) {
      await expect(connection.rows({ sql: 'SELECT 1 FROM lost_shard' })).rejects.toMatchObject({ name: 'StoreUnavailable' })
      expect(await connection.rows(statement)).toEqual([[1]])
    }
  },
)

test.each([225, 242, 999, 279, 289])(
  'a server that is cut off from the others of its cluster (%i) is skipped, and its statements go to another',
  async (code) => {
    let asked = 0
    const { url: there } = await connectedTo((request, response) => {
      request.resume()
      response.end(rows)
    })
    const { connection, logged } = await connectedTo(
      (request, response) => {
        asked++
        failing(code)(request, response)
      },
      { otherUrls: [there] },
    )
    for (let i = 0; i < 4; i++) expect(await connection.rows(statement)).toEqual([[1]])
    await connection.insert('results (id)', Buffer.from('rows'))
    expect([asked, logged]).toEqual([1, []])
  },
)

test.each([
  [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    /^The certificate of ClickHouse at https:\/\/db:8443 is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)\. Set its CA/,
  ],
  ['EPROTO', /^The server at https:\/\/db:8443 does not support TLS\./],
  ['ENOTFOUND', /^Unknown host in https:\/\/db:8443/],
])('a start that fails with %s has an explanation', (code, words) => {
  const cause = Object.assign(new Error('it failed'), { code })
  const place = { url: 'https://db:8443', database: 'tidemark' }
  expect(startFailure(new StoreUnavailable('cannot be used', 5, { cause }), place).message).toMatch(words)
})

test('a server that is too old is reported as such', async () => {
  const { connection, url } = await connectedTo(failing(115))
  const problem = await connection.rows(statement).catch((error) => error)
  expect(startFailure(problem, { url, database: 'tidemark' }).message).toMatch(/so it may be older than version 24: /)
})
