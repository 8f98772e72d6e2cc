import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { keptBody, type Received, receivedBody } from '../received.ts'
import { isSecretHeader, redactedStart } from '../redact.ts'
import type { HttpResponse } from './exchange.ts'

const decompressors: Readonly<Record<string, typeof createGunzip | typeof createInflate | typeof createBrotliDecompress>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

const maxHeaderLength = 500
const maxHeaders = 60

/** The redacted headers and beginning of a response. */
export async function receivedResponse(response: HttpResponse, secrets: readonly string[]): Promise<Received> {
  const redact = (text: string) => redactedStart(text, { complete: true, maxLength: maxHeaderLength }, secrets)
  const headers = Object.entries(response.headers).slice(0, maxHeaders)
  const longest = Math.max(0, ...secrets.map((secret) => secret.length))
  const { bytes, complete } = await firstBytes(response, 4 * (keptBody + longest))
  return {
    status: response.status,
    headers: headers.map(([name, value]) => ({
      name: redact(name),
      value: isSecretHeader(name) ? '•••' : redact([value].flat().join(', ')),
    })),
    ...receivedBody(new TextDecoder().decode(bytes, { stream: !complete }), complete, secrets),
  }
}

type FirstBytes = { readonly bytes: Buffer; readonly complete: boolean }

/** The first bytes of a body, decompressed if possible. */
async function firstBytes({ body, headers, truncated }: HttpResponse, limit: number): Promise<FirstBytes> {
  const asReceived = { bytes: Buffer.from(body.subarray(0, limit)), complete: !truncated && body.length <= limit }
  const decompressor = decompressors[headers['content-encoding']?.trim().toLowerCase() ?? '']?.()
  if (!decompressor || body.length === 0) return asReceived
  const chunks: Buffer[] = []
  let size = 0
  decompressor.end(Buffer.from(body))
  try {
    for await (const chunk of decompressor as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size > limit) break
    }
  } catch {
    if (size === 0) return asReceived
  }
  return { bytes: Buffer.concat(chunks).subarray(0, limit), complete: !truncated && size <= limit }
}
