import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { httpServer, httpsServer } from '../../../test/support/servers.ts'
import type { IncomingRow } from '../../ingest/rows.ts'
import type { Context } from '../context.ts'
import { openTarget } from './target.ts'

type Sent = { readonly request: IncomingMessage; readonly lines: readonly unknown[] }

const options = { config: 'none.yaml', data: 'none', key: 'k', account: 'acme' }
const row = (at: number, value: unknown): IncomingRow => ({ at, value }) as IncomingRow
const unread = (at: number): IncomingRow => ({ at, rejection: { code: 'MALFORMED_ROW', message: 'It is no JSON.' } }) as IncomingRow

/** A server that accepts the first row of each request, and rejects the others. */
async function receiver() {
  const sent: Sent[] = []
  const port = await httpServer(async (request, response) => {
    const lines = gunzipSync(await buffer(request))
      .toString()
      .split('\n')
    sent.push({ request, lines: lines.map((line) => JSON.parse(line)) })
    const rejected = lines.slice(1).map((_, i) => ({ index: i + 1, code: 'UNKNOWN_CHECK', message: 'There is none.' }))
    response.end(JSON.stringify({ accepted: 1, duplicates: 2, rejected: rejected.reverse() }))
  })
  return { sent, target: await open(`http://127.0.0.1:${port}/`) }
}

async function open(url: string) {
  const target = await openTarget({ stderr: process.stderr } as unknown as Context, { ...options, url })
  onTestFinished(() => target.close())
  return target
}

test('rows are sent as compressed lines, and rejected rows are reported with their line in the file', async () => {
  const { sent, target } = await receiver()
  const outcome = await target.put([row(3, { a: 1 }), unread(4), row(5, { a: Number.NaN, b: [Number.POSITIVE_INFINITY] }), row(7, {})])
  expect(sent.map(({ lines }) => lines)).toEqual([[{ a: 1 }, { a: 'NaN', b: ['Infinity'] }, {}]])
  const [{ request } = { request: undefined }] = sent
  expect([request?.method, request?.url, request?.headers]).toEqual([
    'POST',
    '/v1/check-results',
    expect.objectContaining({
      ...{ authorization: 'Bearer k', 'x-service-account': 'acme' },
      ...{ 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' },
    }),
  ])
  expect(outcome).toEqual({
    accepted: 1,
    duplicates: 2,
    rejected: [
      { at: 4, code: 'MALFORMED_ROW', message: 'It is no JSON.' },
      { at: 5, code: 'UNKNOWN_CHECK', message: 'There is none.' },
      { at: 7, code: 'UNKNOWN_CHECK', message: 'There is none.' },
    ],
  })
})

test('a request has at most two million characters, or a single row', async () => {
  const { sent, target } = await receiver()
  const long = (at: number, length: number) => row(at, 'x'.repeat(length - 2))
  const outcome = await target.put([long(1, 2_500_000), long(2, 1_000_000), long(3, 999_999), long(4, 2), long(5, 3)])
  expect(sent.map(({ lines }) => lines.length)).toEqual([1, 2, 2])
  expect(outcome).toMatchObject({ accepted: 3, duplicates: 6, rejected: [{ at: 3 }, { at: 5 }] })
})

test('rows that cannot be read are not sent', async () => {
  const { sent, target } = await receiver()
  expect(await target.put([unread(2), unread(1)])).toEqual({
    accepted: 0,
    duplicates: 0,
    rejected: [2, 1].reverse().map((at) => ({ at, code: 'MALFORMED_ROW', message: 'It is no JSON.' })),
  })
  expect(sent).toEqual([])
})

test.each([
  [400, '{"message": "No."}', 'The server returned 400: No.'],
  [401, 'none', 'The server returned 401: no message.'],
  [500, '{"message": 5}', 'The server returned 500: no message.'],
])('an error response of %i ends the import with its reason', async (status, body, message) => {
  let requests = 0
  const port = await httpServer((_, response) => {
    requests += 1
    response.writeHead(status).end(body)
  })
  const target = await open(`http://127.0.0.1:${port}/`)
  await expect(target.put([row(1, {})])).rejects.toMatchObject({ message, exitCode: 1 })
  expect(requests).toBe(1)
})

test('an untrusted certificate ends the import with a hint', async () => {
  const port = await httpsServer((_, response) => response.end('{}'))
  const target = await open(`https://127.0.0.1:${port}/`)
  await expect(target.put([row(1, {})])).rejects.toThrow(
    /^The server at https:\S+ does not respond \(\w+\)\. Its certificate .* tidemark \.\.\. Run this again to continue\.$/,
  )
})

test.each([
  [200, { 'content-type': 'text/html' }, 'is an HTML page and not an answer of Tidemark.'],
  [302, { location: '/login' }, 'redirects to /login.'],
])('a %i of a proxy ends the import with a hint', async (status, headers, message) => {
  const port = await httpServer((_, response) => response.writeHead(status, headers).end('<h1>Log in</h1>'))
  const target = await open(`http://127.0.0.1:${port}/`)
  await expect(target.put([row(1, {})])).rejects.toMatchObject({ name: 'CommandFailure', message: expect.stringContaining(message) })
})
