import { connect } from 'node:net'
import { setTimeout as after } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Answer } from '../support/app.ts'
import type { Call } from './operations.ts'

/** Sends bytes, closes the sending side of the connection, and reads until the server closes it. */
export function exchange(port: number, bytes: Uint8Array): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.end(bytes))
    const done = () => {
      socket.destroy()
      resolve(Buffer.concat(chunks))
    }
    socket
      .on('data', (chunk) => {
        chunks.push(chunk)
        if (chunk.includes('text/event-stream')) done()
      })
      .on('end', done)
      .on('error', done)
    void after(20_000, undefined, { ref: false }).then(done)
  })
}

/** The bytes of a call; `odd` is a line among its headers that may be malformed. */
export function requestBytes({ method, url, headers = {}, payload = '' }: Call, odd: string): Buffer {
  const body = Buffer.from(payload)
  const given = { host: 'localhost', ...headers, connection: 'close', ...(body.length > 0 && { 'content-length': body.length }) }
  const lines = [
    `${method} ${url} HTTP/1.1`,
    ...Object.entries(given).map(([name, value]) => `${name}: ${value}`),
    ...(odd === '' ? [] : [odd]),
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body])
}

/** The first response in what a server sent; null if there is none. */
export function firstAnswer(bytes: Buffer): Pick<Answer, 'status' | 'headers' | 'text'> | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [line = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((each) => [each.slice(0, each.indexOf(':')).toLowerCase(), each.slice(each.indexOf(':') + 1).trim()]),
  )
  const body = bytes.subarray(end + 4)
  return {
    status: Number(line.split(' ')[1]),
    headers,
    text: textOf(headers, headers['transfer-encoding'] === 'chunked' ? joined(body) : body),
  }
}

/** The text of a body, decompressed. */
export function textOf(headers: Answer['headers'], body: Buffer): string {
  const encoding = body.length === 0 ? undefined : headers['content-encoding']
  return (encoding === 'gzip' ? gunzipSync(body) : encoding === 'br' ? brotliDecompressSync(body) : body).toString()
}

function joined(chunked: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < chunked.length; ) {
    const lineEnd = chunked.indexOf('\r\n', at)
    const length = Number.parseInt(chunked.toString('latin1', at, lineEnd), 16)
    if (!(length > 0)) break
    parts.push(chunked.subarray(lineEnd + 2, lineEnd + 2 + length))
    at = lineEnd + 2 + length + 2
  }
  return Buffer.concat(parts)
}
