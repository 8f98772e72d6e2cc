import { createSerialQueue } from '../../concurrency/serial-queue.ts'
import { CallOverdue, openThread, ThreadLost, ThreadNotStarted, type ThreadOptions } from '../../threads/thread.ts'
import { type QuestionOptions, StoreUnavailable } from '../store.ts'

/** Where the functions of a module run: in this thread, or in worker threads. */
export type WorkerHandle<Module> = {
  /** An aborted call rejects with the signal's reason; one that was aborted before its turn never runs. */
  call<Name extends keyof Module & string>(
    name: Name,
    args: ArgumentsOf<Module[Name]>,
    options?: CallOptions,
  ): Promise<ReturnOf<Module[Name]>>
  close(): Promise<void>
}

/** The caller and the cost of a call, where calls are queued. */
export type CallOptions = QuestionOptions & { readonly cost?: number; readonly questionCost?: number }

type ArgumentsOf<F> = F extends (...args: infer A) => unknown ? A : never
type ReturnOf<F> = F extends (...args: never[]) => infer R ? Awaited<R> : never

/** Runs in this thread: for tests, and for commands that do one thing. A signal comes after the arguments. */
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

/** Columns lie outside of the heap but are freed by its collector: a small young generation is collected often. */
export const resourceLimits = { maxYoungGenerationSizeMb: 6 }

type SingleOptions = Pick<ThreadOptions, 'kind' | 'onLost'> & {
  /** How long a call may take; far more than one on a slow disk takes. */
  readonly timeLimitMs?: number
}

/** One worker thread, call after call. Where it dies or a call takes too long, the call rejects with `StoreUnavailable`, and the next one has another thread. */
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

/** The call may have been executed or not. */
function rethrowLost(problem: unknown): never {
  if (!(problem instanceof ThreadLost)) throw problem
  const reason =
    problem instanceof CallOverdue ? 'it took too long' : problem instanceof ThreadNotStarted ? problem.message : 'its thread has ended'
  throw new StoreUnavailable(`The store could not finish this: ${reason}.`, 5, { cause: problem })
}

export const storeClosed = () => new StoreUnavailable('The store is closed.', 5)
