import { Piscina } from 'piscina'
import { StoreUnavailable } from '../store.ts'
import { createCallQueue } from './call-queue.ts'
import { resourceLimits, type WorkerHandle } from './worker.ts'

type PoolOptions = { readonly threads: number; readonly maxQueued: number; readonly timeLimitMs: number }

/** Several worker threads. When too many calls wait, or one takes too long, the caller is refused and may retry. */
export function workerPool<Module>(
  worker: URL,
  workerData: unknown,
  { threads, maxQueued, timeLimitMs }: PoolOptions,
): WorkerHandle<Module> {
  const pool = new Piscina({
    filename: worker.href,
    workerData,
    minThreads: threads,
    maxThreads: threads,
    idleTimeout: Number.POSITIVE_INFINITY,
    resourceLimits,
  })
  const queue = createCallQueue({ concurrency: threads, maxQueued })
  return {
    async call(name, args, signal) {
      // Piscina ends the thread of a task whose signal aborts: only a call over the time limit is worth that.
      const timeLimit = AbortSignal.timeout(timeLimitMs)
      try {
        return await queue(() => pool.run(args, { name, signal: timeLimit }), signal ? AbortSignal.any([signal, timeLimit]) : timeLimit)
      } catch (error) {
        throw !signal?.aborted && isTimeout(error) ? new StoreUnavailable('The question took too long.', 5) : error
      }
    },
    close: () => pool.close(),
  }
}

const isTimeout = (error: unknown) => error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')
