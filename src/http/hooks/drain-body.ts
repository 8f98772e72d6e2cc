import type { IncomingMessage } from 'node:http'

const maxBytes = 128 * 2 ** 20
const maxMs = 10_000

/**
 * Reads and discards the rest of a refused body: a client that is disconnected while it still sends may never read the error. Limited in
 * bytes and time.
 */
export function drainBody(request: IncomingMessage): Promise<void> {
  if (request.complete || request.readableEnded || request.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    let left = maxBytes
    const timer = setTimeout(done, maxMs)
    const count = ({ length }: Buffer) => {
      left -= length
      if (left < 0) done()
    }
    function done(): void {
      clearTimeout(timer)
      request.off('data', count).off('end', done).off('close', done)
      resolve()
    }
    request.on('data', count).on('end', done).on('close', done).resume()
  })
}
