import type { IncomingMessage } from 'node:http'

const mostBytes = 128 * 2 ** 20
const mostMs = 10_000

/**
 * Reads a body that is refused to its end and forgets it: a client that is cut off while it still sends may never read why.
 * One that sends on and on is cut off all the same.
 */
export function drainBody(request: IncomingMessage): Promise<void> {
  if (request.complete || request.readableEnded || request.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    let left = mostBytes
    const timer = setTimeout(done, mostMs)
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
