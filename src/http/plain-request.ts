/** A request that everyone who reads HTTP reads alike: its head is plain, and its body has a length. */
export type PlainRequest = {
  /** By name, in lower case; the same object as long as a connection's requests have the same head. */
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
const notPlain = ['transfer-encoding', 'content-encoding', 'expect', 'upgrade', 'trailer', 'proxy-connection']

/** What stands before the body of a request. */
type Head = { readonly bytes: Buffer; readonly headers: PlainRequest['headers']; readonly bodyLength: number }

/**
 * Reads the requests of one connection that begin with `line`: gives the one that some bytes begin with, `partial` where more bytes
 * may complete it, null for all that is not plain.
 */
export function plainRequestReader(line: Buffer): (bytes: Buffer) => PlainRequest | 'partial' | null {
  let last: Head | null = null
  return (bytes) => {
    const head = last && startsWith(bytes, last.bytes) ? last : readHead(bytes, line)
    if (head === null || head === 'partial') return head
    last = head
    const length = head.bytes.length + head.bodyLength
    if (bytes.length < length) return 'partial'
    return { headers: head.headers, body: bytes.subarray(head.bytes.length, length), length }
  }
}

function readHead(bytes: Buffer, line: Buffer): Head | 'partial' | null {
  if (!startsWith(bytes, line) && !startsWith(line, bytes)) return null
  const end = bytes.indexOf(headEnd)
  if (end === -1) return bytes.length < longest.head ? 'partial' : null
  if (end < line.length || end > longest.head) return null
  const headers = readHeaders(bytes.toString('latin1', line.length, end))
  if (!headers) return null
  const bodyLength = Number(headers['content-length'])
  const start = end + headEnd.length
  return start + bodyLength > longest.whole ? null : { bytes: Buffer.from(bytes.subarray(0, start)), headers, bodyLength }
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.length >= start.length && bytes.compare(start, 0, start.length, 0, start.length) === 0
}

function readHeaders(head: string): PlainRequest['headers'] | null {
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

function isPlain(headers: PlainRequest['headers']): boolean {
  if (notPlain.some((name) => name in headers)) return false
  if (!('host' in headers) || !/^\d{1,5}$/.test(headers['content-length'] ?? '')) return false
  return (headers.connection ?? 'keep-alive').toLowerCase() === 'keep-alive'
}
