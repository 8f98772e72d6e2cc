import type { Socket } from 'node:net'
import type { Stopwatch } from '../probe/net/stopwatch.ts'

type DataExchange = {
  readonly watch: Stopwatch<'dns' | 'connection' | 'data'>
  readonly signal: AbortSignal
  readonly data: string | undefined
  readonly expectation: Expectation | null
}

/** The response to wait for: when it is complete, and whether it is optional. */
export type Expectation = { readonly isComplete: (received: string) => Promise<boolean>; readonly optional: boolean }

const maxBytes = 64 * 1024
const idleMs = 1000

/**
 * Sends the data and reads the response until it is complete, the peer closes, a second passes without data, or 64 KiB are
 * received. `data` is the time to the last byte. Rejects when the signal is aborted before that.
 */
export async function exchangeData(socket: Socket, { watch, signal, data, expectation }: DataExchange): Promise<string> {
  try {
    if (expectation === null) return ''
    watch.start('data')
    if (data !== undefined) socket.write(data)
    return await readResponse(socket, expectation, signal, () => watch.start('data'))
  } finally {
    watch.drop()
    socket.destroy()
  }
}

function readResponse(socket: Socket, { isComplete, optional }: Expectation, signal: AbortSignal, onBytes: () => void): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0)
    let checked = Promise.resolve()
    let idleTimer: NodeJS.Timeout | undefined
    const settle = (act: () => void) => {
      clearTimeout(idleTimer)
      signal.removeEventListener('abort', abort)
      act()
    }
    const finish = (text = received.toString('utf8')) => settle(() => resolve(text))
    const fail = (error: unknown) => settle(() => reject(error))
    const abort = () => fail(signal.reason)
    const check = coalesced(async () => {
      const text = received.toString('utf8')
      if (await isComplete(text)) finish(text)
    })
    if (signal.aborted) return abort()
    if (optional) idleTimer = setTimeout(finish, idleMs)
    signal.addEventListener('abort', abort, { once: true })
    socket.on('data', (chunk) => {
      onBytes()
      received = Buffer.concat([received, chunk]).subarray(0, maxBytes)
      clearTimeout(idleTimer)
      if (received.length === maxBytes) return finish()
      idleTimer = setTimeout(finish, idleMs)
      checked = check()
      checked.catch(fail)
    })
    socket.once('end', () => checked.then(() => finish(), fail))
    socket.once('error', fail)
  })
}

/** Runs `work` after each call, but never concurrently: calls that arrive during a run share the next one. */
function coalesced(work: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve()
  let queued = false
  return () => {
    if (queued) return last
    queued = true
    last = last.then(() => {
      queued = false
      return work()
    })
    return last
  }
}
