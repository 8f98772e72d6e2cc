import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request as send } from 'node:http'
import { ProbeFault } from '../failures.ts'
import type { IpFamily } from '../settings.ts'
import type { Connections } from './connections.ts'
import { bodyLimit } from './decompress.ts'
import type { HttpWatch } from './http-watch.ts'

export type HttpRequest = {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly skipTls: boolean
  readonly ipFamily: IpFamily | undefined
}

export type HttpResponse = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** As it was received, possibly compressed. */
  readonly body: Uint8Array
  /** The body was longer than the limit, and reading stopped there. */
  readonly truncated: boolean
}

type Exchange = {
  readonly watch: HttpWatch
  readonly connections: Connections
  readonly signal: AbortSignal
  /** Reading stops after this many bytes of the body; by default after `bodyLimit`. */
  readonly maxBodyBytes?: number
}

const headerLimit = 128 * 1024

/**
 * Sends a request on an open connection to the same origin, if there is one. POST and PATCH always get a new connection, since they cannot
 * be retried after a stale one.
 */
export async function exchange(
  request: HttpRequest,
  { watch, connections, signal, maxBodyBytes = bodyLimit }: Exchange,
): Promise<HttpResponse> {
  const on = (reused: boolean) => sendRequest(request, connections.agentFor(request.url, { reused }), watch, signal)
  const response = await on(isRepeatable(request)).catch((error: unknown) => {
    if (error instanceof StaleConnection) return on(false)
    throw error
  })
  const { body, truncated } = await readBody(response, maxBodyBytes)
  watch.stop()
  return { status: response.statusCode ?? 0, headers: response.headers, body, truncated }
}

/** The server closed an open connection instead of answering another request on it. */
class StaleConnection extends Error {
  override readonly name = 'StaleConnection'
}

/** Whether a request may be sent again after a stale connection. */
const isRepeatable = ({ method }: HttpRequest) => method !== 'POST' && method !== 'PATCH'

function sendRequest(request: HttpRequest, agent: Agent, watch: HttpWatch, signal: AbortSignal): Promise<IncomingMessage> {
  const { url, method, headers, body } = request
  watch.start('wait', 'start')
  return new Promise((resolve, reject) => {
    const sent = send({
      agent,
      host: url.hostname,
      method,
      path: `${url.pathname}${url.search}`,
      headers: withDefaults(headers, url, body),
      setHost: false,
      maxHeaderSize: headerLimit,
      signal,
    })
    const fail = (error: unknown) => reject(sent.reusedSocket && !signal.aborted ? new StaleConnection() : error)
    sent.once('socket', (socket) => {
      watch.start('firstByte', 'first byte')
      socket.prependOnceListener('data', () => watch.start('download'))
    })
    sent.once('response', resolve)
    sent.once('upgrade', (_, socket) => {
      socket.destroy()
      reject(new ProbeFault('the server switched to another protocol unexpectedly'))
    })
    sent.once('close', () => fail(new ProbeFault('the connection was closed before an answer came')))
    sent.on('error', fail)
    sent.end(body ?? undefined)
  })
}

function withDefaults(given: Readonly<Record<string, string>>, url: URL, body: string | null): Record<string, string> {
  const names = new Set(Object.keys(given).map((name) => name.toLowerCase()))
  const defaults = {
    Host: url.host,
    'User-Agent': 'Tidemark',
    Accept: '*/*',
    ...(body !== null && { 'Content-Length': String(Buffer.byteLength(body)) }),
  }
  return { ...Object.fromEntries(Object.entries(defaults).filter(([name]) => !names.has(name.toLowerCase()))), ...given }
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<{ readonly body: Uint8Array; readonly truncated: boolean }> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) break
  }
  return { body: shared(chunks, Math.min(size, maxBytes)), truncated: size > maxBytes }
}

/** In shared memory, so that worker threads get it without a copy. */
function shared(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const body = new Uint8Array(new SharedArrayBuffer(size))
  let filled = 0
  for (const chunk of chunks) {
    const piece = chunk.subarray(0, size - filled)
    body.set(piece, filled)
    filled += piece.length
  }
  return body
}
