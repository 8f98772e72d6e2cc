import { type IncomingHttpHeaders, type IncomingMessage, request as send } from 'node:http'
import type { Socket } from 'node:net'
import { ProbeFault } from '../failures.ts'
import { type CallContext, connectFirst, type IpFamily, literalAddress, resolve } from '../net/connect.ts'
import { type Stopwatch, stopwatch } from '../net/stopwatch.ts'
import { assertTrusted, startTls } from '../net/tls.ts'
import { bodyLimit } from './decompress.ts'

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
  readonly body: Buffer
  /** The body was longer than `bodyLimit`, and reading stopped there. */
  readonly truncated: boolean
}

type HttpPhase = 'wait' | 'dns' | 'tcp' | 'firstByte' | 'download'
export type HttpWatch = Stopwatch<HttpPhase>
export const httpWatch = (): HttpWatch => stopwatch(['wait', 'dns', 'tcp', 'firstByte', 'download'])

const headerLimit = 128 * 1024

/** One request and its response on a new connection. `onCertificate` receives the remaining days of the server's certificate. */
export async function exchange(
  request: HttpRequest,
  { watch, context, onCertificate }: { watch: HttpWatch; context: CallContext; onCertificate: (daysRemaining: number) => void },
): Promise<HttpResponse> {
  const { url, ipFamily, skipTls } = request
  const encrypted = url.protocol === 'https:'
  watch.start('wait', 'start')
  if (literalAddress(url.hostname) === null) watch.start('dns', 'DNS lookup')
  const addresses = await resolve({ hostname: url.hostname, ipFamily }, context)
  watch.start('tcp', 'connect')
  const plain = await connectFirst(addresses, Number(url.port) || (encrypted ? 443 : 80), context)
  try {
    watch.start('firstByte', encrypted ? 'TLS handshake' : 'first byte')
    if (!encrypted) return await roundTrip(plain, request, watch, context.signal)
    const secured = await startTls(plain, url.hostname, context.signal)
    if (secured.daysRemaining !== null) onCertificate(secured.daysRemaining)
    if (!skipTls) assertTrusted(secured)
    return await roundTrip(secured.socket, request, watch, context.signal)
  } finally {
    plain.destroy()
  }
}

async function roundTrip(socket: Socket, request: HttpRequest, watch: HttpWatch, signal: AbortSignal): Promise<HttpResponse> {
  watch.start('firstByte', 'first byte')
  const response = await sendRequest(socket, request, watch, signal)
  const { body, truncated } = await readBody(response)
  watch.stop()
  return { status: response.statusCode ?? 0, headers: response.headers, body, truncated }
}

function sendRequest(socket: Socket, request: HttpRequest, watch: HttpWatch, signal: AbortSignal): Promise<IncomingMessage> {
  const { url, method, headers, body } = request
  return new Promise((resolve, reject) => {
    const sent = send({
      createConnection: () => socket,
      method,
      path: `${url.pathname}${url.search}`,
      headers: withDefaults(headers, url, body),
      setHost: false,
      maxHeaderSize: headerLimit,
      signal,
    })
    sent.once('socket', () => socket.prependOnceListener('data', () => watch.start('download')))
    sent.once('response', resolve)
    sent.once('upgrade', () => reject(new ProbeFault('the server switched to another protocol without being asked')))
    sent.once('close', () => reject(new ProbeFault('the connection was closed before an answer came')))
    sent.on('error', reject)
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

async function readBody(response: IncomingMessage): Promise<{ readonly body: Buffer; readonly truncated: boolean }> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > bodyLimit) break
  }
  return { body: Buffer.concat(chunks).subarray(0, bodyLimit), truncated: size > bodyLimit }
}
