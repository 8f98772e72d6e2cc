import type { Readable } from 'node:stream'

/** More bytes than the characters that evidence keeps can take in UTF-8. */
const tailBytes = 65_536
/** The rest of a longer body is not waited for. */
const maxReadBytes = 10 * 2 ** 20

/**
 * Reads the end of a body as text, in constant memory. After `maxReadBytes` the ping is accepted with the text read so far, since a job
 * must not fail because of its output. The rest is discarded as it arrives, so that the client can read the response.
 */
export function readPingBody(body: Readable): Promise<string> {
  const tail = createTail(tailBytes)
  let length = 0
  return new Promise((resolve, reject) => {
    const discard = () => undefined
    const read = (chunk: Buffer) => {
      tail.append(chunk)
      length += chunk.length
      if (length <= maxReadBytes) return
      body.off('data', read).on('data', discard)
      resolve(`${tail.text()}\n[more than 10 MiB: the rest was not read]`)
    }
    body
      .on('data', read)
      .on('end', () => resolve(tail.text()))
      .on('error', reject)
  })
}

/** Keeps the last `size` bytes that are appended. Copies each byte at most twice, however small the chunks are. */
function createTail(size: number): { append(chunk: Buffer): void; text(): string } {
  const buffer = Buffer.allocUnsafe(2 * size)
  let used = 0
  return {
    append(chunk) {
      const end = chunk.subarray(-size)
      if (used + end.length > buffer.length) {
        buffer.copyWithin(0, used - size, used)
        used = size
      }
      used += end.copy(buffer, used)
    },
    text: () => buffer.toString('utf8', Math.max(0, used - size), used),
  }
}
