import { remember } from './remember.ts'

/** A request that everyone who reads HTTP reads alike: its head is plain, and its body has a length. */
export type PlainRequest = {
  /** By name, in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** How many bytes it takes, head and body. */
  readonly length: number
}

/** In bytes; longer ones are left to a full parser. */
const longest = { head: 4096, whole: 65_536 } as const
const headEnd = Buffer.from('\r\n\r\n')
const fieldName = /^[a-z0-9!#$%&'*+.^_`|~-]+$/
const fieldValue = /^[\x20-\x7e]+$/
/** Each changes how a request is read, or what its answer must say. */
const notPlain = ['transfer-encoding', 'content-encoding', 'expect', 'upgrade', 'trailer']

/** The heads of a client's requests are the same, but for a length now and then. */
const heads = remember<Readonly<Record<string, string>> | null>(1000)

/** Reads a request that begins with `line`; `partial` where more bytes may complete it, null for all that is not plain. */
export function readPlainRequest(bytes: Buffer, line: Buffer): PlainRequest | 'partial' | null {
  const begun = Math.min(bytes.length, line.length)
  if (bytes.compare(line, 0, begun, 0, begun) !== 0) return null
  const end = bytes.indexOf(headEnd)
  if (end === -1) return bytes.length < longest.head ? 'partial' : null
  if (end < line.length || end > longest.head) return null
  const head = bytes.toString('latin1', line.length, end)
  const headers = heads(head, () => readHeaders(head))
  if (!headers) return null
  const start = end + headEnd.length
  const length = start + Number(headers['content-length'])
  if (length > longest.whole) return null
  return bytes.length < length ? 'partial' : { headers, body: bytes.subarray(start, length), length }
}

function readHeaders(head: string): Readonly<Record<string, string>> | null {
  const headers: Record<string, string> = Object.create(null)
  for (const field of head.split('\r\n')) {
    const colon = field.indexOf(':')
    const name = field.slice(0, colon).toLowerCase()
    const value = field.slice(colon + 1).replaceAll(/^[ \t]+|[ \t]+$/g, '')
    if (colon === -1 || !fieldName.test(name) || !fieldValue.test(value) || name in headers) return null
    headers[name] = value
  }
  return isPlain(headers) ? headers : null
}

function isPlain(headers: Readonly<Record<string, string>>): boolean {
  if (notPlain.some((name) => name in headers)) return false
  if (!('host' in headers) || !/^\d{1,5}$/.test(headers['content-length'] ?? '')) return false
  return (headers.connection ?? 'keep-alive').toLowerCase() === 'keep-alive'
}
