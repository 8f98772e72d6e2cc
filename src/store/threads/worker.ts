import { createSerialQueue } from '../../concurrency/serial-queue.ts'
import { CallOverdue, openThread, ThreadLost, ThreadNotStarted, type ThreadOptions } from '../../threads/thread.ts'
import { type QuestionOptions, StoreUnavailable } from '../store.ts'

/** Runs the functions of a module, in this thread or in worker threads. */
export type WorkerHandle<Module> = {
  /** An aborted call rejects with the signal's reason; one that was aborted before its turn never runs. */
  call<Name extends keyof Module & string>(
    name: Name,
    args: ArgumentsOf<Module[Name]>,
    options?: CallOptions,
  ): Promise<ReturnOf<Module[Name]>>
  close(): Promise<void>
}

/** The caller and the cost matter only if calls are queued. */
export type CallOptions = QuestionOptions & { readonly cost?: number; readonly questionCost?: number }

type ArgumentsOf<F> = F extends (...args: infer A) => unknown ? A : never
type ReturnOf<F> = F extends (...args: never[]) => infer R ? Awaited<R> : never

/** Runs calls in this thread. The signal is passed after the arguments. */
export function inlineWorker<Module>(module: Module & Closable): WorkerHandle<Module> {
  return {
    async call(name, args, { signal } = {}) {
      signal?.throwIfAborted()
      return (module[name] as (...args: unknown[]) => never)(...args, ...(signal ? [{ signal }] : []))
    },
    async close() {
      await module.close()
    },
  }
}

type Closable = { close(): void | Promise<void> }

/** Columns are outside the heap, but the garbage collector frees them: a small young generation is collected often. */
export const resourceLimits = { maxYoungGenerationSizeMb: 6 }

type SingleOptions = Pick<ThreadOptions, 'kind' | 'onLost'> & {
  /** Limit of each call, far more than one needs on a slow disk. */
  readonly timeLimitMs?: number
}

/**
 * One worker thread, which runs one call at a time. If it dies or a call takes too long, the call rejects with `StoreUnavailable`, and the
 * next one gets a new thread.
 */
export function singleWorker<Module extends Closable>(
  module: URL,
  data: unknown,
  { kind, timeLimitMs = 120_000, onLost }: SingleOptions,
): WorkerHandle<Module> {
  const thread = openThread({ kind, module, data, resourceLimits, isEager: true, ...(onLost && { onLost }) })
  const queue = createSerialQueue()
  let closed = false

  const call: WorkerHandle<Module>['call'] = (name, args, { signal } = {}) => {
    if (closed) return Promise.reject(storeClosed())
    const answer = queue(async () => {
      signal?.throwIfAborted()
      return thread.call(name, args, { timeLimitMs })
    })
    return answer.catch(rethrowLost) as Promise<never>
  }
  return {
    call,
    async close() {
      const closing = call('close', [] as never)
      closed = true
      await closing.finally(thread.destroy)
    },
  }
}

/** The call may or may not have been executed. */
function rethrowLost(problem: unknown): never {
  if (!(problem instanceof ThreadLost)) throw problem
  const reason =
    problem instanceof CallOverdue ? 'it took too long' : problem instanceof ThreadNotStarted ? problem.message : 'its thread has ended'
  throw new StoreUnavailable(`The store could not finish this: ${reason}.`, 5, { cause: problem })
}

export const storeClosed = () => new StoreUnavailable('The store is closed.', 5)
