import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs } from '../../concurrency/backoff.ts'

type Write = () => Promise<unknown>

const maxWaitMs = 10_000

/**
 * Queue of writes: one that fails is retried until it succeeds, and those behind it wait. `onFailure` is called for the first failure in a
 * row.
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
    /** Resolves once it is written, or has to wait for a failing store. */
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
