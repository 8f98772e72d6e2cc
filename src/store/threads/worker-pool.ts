import { Piscina } from 'piscina'
import { type AdmissionOptions, createAdmission } from '../admission/admission.ts'
import { StoreUnavailable } from '../store.ts'
import { answerOf, type PoolCall } from './pool-thread.ts'
import { type CallOptions, resourceLimits, type WorkerHandle } from './worker.ts'

export type PoolOptions = Omit<AdmissionOptions, 'threads'> & {
  /** How long a call may run. */
  readonly timeLimitMs: number
  /** Whether threads wait for the network: their event loop runs between calls, too. */
  readonly usesNetwork?: boolean
  /** Called with what threads post beside their answers. */
  readonly onMessage?: (message: unknown) => void
}

const nobody = { account: '', key: '' }

/**
 * Worker threads, one for each of `workerData`, whose module exports `answer` (pool-thread.ts). When a call waits or takes too long, the caller
 * is refused and may retry.
 */
export function workerPool<Module>(worker: URL, workerData: readonly unknown[], options: PoolOptions): WorkerHandle<Module> {
  const { timeLimitMs } = options
  const threads = workerData.map((data) => startThread(worker, data, options))
  const admit = createAdmission({ ...options, threads: threads.length })
  // Piscina ends the thread of a task whose signal aborts: only a call over the time limit is worth that.
  const run = (pool: Piscina, name: string, args: readonly unknown[], signal: AbortSignal) => {
    const cancelled = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const cancel = () => {
      Atomics.store(cancelled, 0, 1)
      Atomics.notify(cancelled, 0)
    }
    signal.addEventListener('abort', cancel, { once: true })
    return pool
      .run({ name, args, cancelled } satisfies PoolCall, { name: 'answer', signal: AbortSignal.timeout(timeLimitMs) })
      .finally(() => signal.removeEventListener('abort', cancel))
  }
  return {
    async call(name, args, { signal = new AbortController().signal, caller = nobody, cost = 0, questionCost = cost }: CallOptions = {}) {
      try {
        const reply = await admit((thread) => run(threads[thread] as Piscina, name, args, signal), { caller, cost, questionCost, signal })
        return answerOf(reply) as never
      } catch (error) {
        throw !signal.aborted && isTimeout(error) ? new StoreUnavailable('The question took too long.', 5) : error
      }
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()))
    },
  }
}

function startThread(worker: URL, workerData: unknown, { usesNetwork = false, onMessage = () => {} }: PoolOptions): Piscina {
  const thread = new Piscina({
    filename: worker.href,
    workerData,
    minThreads: 1,
    maxThreads: 1,
    idleTimeout: Number.POSITIVE_INFINITY,
    atomics: usesNetwork ? 'disabled' : 'sync',
    resourceLimits,
  })
  return thread.on('message', onMessage)
}

const isTimeout = (error: unknown) => error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')
