import type { Socket } from 'node:net'
import type { Stopwatch } from '../probe/net/stopwatch.ts'

type Conversation = {
  readonly watch: Stopwatch<'dns' | 'connection' | 'data'>
  readonly signal: AbortSignal
  readonly data: string | undefined
  readonly expectation: Expectation | null
}

/** An answer to wait for: when it is enough, and whether it may stay away. */
export type Expectation = { readonly enough: (received: string) => boolean; readonly optional: boolean }

const mostBytes = 64 * 1024
const quietMs = 1000

/**
 * Says what there is to say and reads the answer: until it is enough, the other side ends, a second passes without a further byte,
 * or 64 KiB have come. `data` is the time to the last byte. Rejects when the signal ends it before that.
 */
export async function converse(socket: Socket, { watch, signal, data, expectation }: Conversation): Promise<string> {
  try {
    if (expectation === null) return ''
    watch.start('data')
    if (data !== undefined) socket.write(data)
    return await answer(socket, expectation, signal, () => watch.start('data'))
  } finally {
    watch.drop()
    socket.destroy()
  }
}

function answer(socket: Socket, { enough, optional }: Expectation, signal: AbortSignal, onBytes: () => void): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0)
    let quiet: NodeJS.Timeout | undefined
    const settle = (act: () => void) => {
      clearTimeout(quiet)
      signal.removeEventListener('abort', abort)
      act()
    }
    const finish = () => settle(() => resolve(received.toString('utf8')))
    const abort = () => settle(() => reject(signal.reason))
    if (signal.aborted) return abort()
    if (optional) quiet = setTimeout(finish, quietMs)
    signal.addEventListener('abort', abort, { once: true })
    socket.on('data', (chunk) => {
      onBytes()
      received = Buffer.concat([received, chunk]).subarray(0, mostBytes)
      clearTimeout(quiet)
      if (received.length === mostBytes || enough(received.toString('utf8'))) return finish()
      quiet = setTimeout(finish, quietMs)
    })
    socket.once('end', finish)
    socket.once('error', (error) => settle(() => reject(error)))
  })
}
