import { Piscina } from 'piscina'
import { StoreUnavailable } from '../store.ts'
import { type AdmissionOptions, createAdmission } from './admission/admission.ts'
import { type CallOptions, resourceLimits, type WorkerHandle } from './worker.ts'

type PoolOptions = Omit<AdmissionOptions, 'threads'> & {
  /** How long a call may run. */
  readonly timeLimitMs: number
}

/** What a thread of the pool is called with; the first number becomes 1 when nobody waits for the answer any more. */
export type PoolCall<Args> = { readonly args: Args; readonly cancelled: Int32Array }

const nobody = { account: '', key: '' }

/** Worker threads, one for each of `workerData`. When a call waits or takes too long, the caller is refused and may retry. */
export function workerPool<Module>(
  worker: URL,
  workerData: readonly unknown[],
  { timeLimitMs, ...options }: PoolOptions,
): WorkerHandle<Module> {
  const threads = workerData.map((data) => startThread(worker, data))
  const admit = createAdmission({ ...options, threads: threads.length })
  // Piscina ends the thread of a task whose signal aborts: only a call over the time limit is worth that.
  const run = (pool: Piscina, name: string, args: unknown, signal: AbortSignal) => {
    const cancelled = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const cancel = () => Atomics.store(cancelled, 0, 1)
    signal.addEventListener('abort', cancel, { once: true })
    return pool
      .run({ args, cancelled } satisfies PoolCall<unknown>, { name, signal: AbortSignal.timeout(timeLimitMs) })
      .finally(() => signal.removeEventListener('abort', cancel))
  }
  return {
    async call(name, args, { signal = new AbortController().signal, caller = nobody, cost = 0, questionCost = cost }: CallOptions = {}) {
      try {
        return await admit((thread) => run(threads[thread] as Piscina, name, args, signal), { caller, cost, questionCost, signal })
      } catch (error) {
        throw !signal.aborted && isTimeout(error) ? new StoreUnavailable('The question took too long.', 5) : error
      }
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()))
    },
  }
}

function startThread(worker: URL, workerData: unknown): Piscina {
  const idleTimeout = Number.POSITIVE_INFINITY
  return new Piscina({ filename: worker.href, workerData, minThreads: 1, maxThreads: 1, idleTimeout, resourceLimits })
}

const isTimeout = (error: unknown) => error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')
