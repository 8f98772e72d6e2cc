import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs } from '../../concurrency/backoff.ts'

type Write = () => Promise<unknown>

const maxWaitMs = 10_000

/**
 * Serial queue of writes: a failed write is retried until it succeeds, and later ones wait. `onFailure` is called only for the first of
 * consecutive failures.
 */
export function createOrderedWrites(onFailure: (error: unknown) => void) {
  const closing = new AbortController()
  let last: Promise<void> = Promise.resolve()
  let failures = 0

  async function persist(write: Write, onWait: () => void): Promise<void> {
    for (;;) {
      try {
        await write()
        failures = 0
        return
      } catch (error) {
        if (++failures === 1) onFailure(error)
        onWait()
        if (closing.signal.aborted) return
        await sleep(backoffMs(failures, { maxMs: maxWaitMs }), undefined, { ref: false, signal: closing.signal }).catch(() => {})
      }
    }
  }

  return {
    /** Resolves once the write is done, or is queued because the store fails. */
    add: (write: Write): Promise<void> =>
      new Promise((resolve) => {
        if (failures > 0) resolve()
        last = last.then(() => persist(write, resolve)).then(resolve)
      }),
    /** Tries pending writes once more. */
    async close(): Promise<void> {
      closing.abort()
      await last
    },
  }
}
