import { StoreUnavailable } from '../store.ts'

type QueueOptions = { readonly concurrency: number; readonly maxQueued: number }
type Work<T> = () => Promise<T>

/**
 * Runs at most `concurrency` calls at once; others queue, and when the queue is full callers are refused and may retry. A call that is
 * aborted rejects at once: if it is still queued it never runs, if it is running its slot is free when it ends.
 */
export function createCallQueue({ concurrency, maxQueued }: QueueOptions) {
  const queue = new Set<() => void>()
  let running = 0

  const startNext = () => {
    const [start] = queue
    if (!start || running >= concurrency) return
    queue.delete(start)
    start()
  }

  return <T>(work: Work<T>, signal: AbortSignal): Promise<T> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      if (running >= concurrency && queue.size >= maxQueued)
        return reject(new StoreUnavailable('Too many questions wait to be answered.', 1))
      const onAbort = () => {
        queue.delete(start)
        reject(signal.reason)
      }
      const start = () => {
        running++
        work()
          .then(resolve, reject)
          .finally(() => {
            running--
            signal.removeEventListener('abort', onAbort)
            startNext()
          })
      }
      signal.addEventListener('abort', onAbort, { once: true })
      queue.add(start)
      startNext()
    })
}
