import { parentPort, Worker } from 'node:worker_threads'
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

/** Who calls, and what the call costs, where calls have to wait for each other. */
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
type Call = { readonly name: string; readonly args: readonly unknown[] }
type Reply = { readonly value: unknown } | { readonly problem: unknown }
type Pending = { readonly resolve: (value: never) => void; readonly reject: (problem: unknown) => void }

/** Columns lie outside of the heap but are freed by its collector: a small young generation is collected often. */
export const resourceLimits = { maxYoungGenerationSizeMb: 6 }

/** One worker thread, call after call; if it dies, the calls under way fail and the next one starts another thread. */
export function singleWorker<Module extends Closable>(worker: URL, workerData: unknown): WorkerHandle<Module> {
  const waiting: Pending[] = []
  let running: Worker | null = null
  let closed = false

  const start = (): Worker => {
    const thread = new Worker(worker, { workerData, resourceLimits })
    const next = (): Pending | undefined => {
      const first = waiting.shift()
      if (waiting.length === 0) thread.unref()
      return first
    }
    const die = (problem: unknown) => {
      if (running !== thread) return
      running = null
      while (waiting.length > 0) next()?.reject(closed ? storeClosed() : problem)
    }
    thread.on('message', (reply: Reply) => {
      const call = next()
      if ('problem' in reply) call?.reject(reply.problem)
      else call?.resolve(reply.value as never)
    })
    thread.on('error', die).on('exit', () => die(new Error('The thread has ended.')))
    return thread
  }
  running = start()
  running.unref()
  const call: WorkerHandle<Module>['call'] = (name, args, { signal } = {}) =>
    new Promise((resolve, reject) => {
      if (closed) return reject(storeClosed())
      if (signal?.aborted) return reject(signal.reason)
      running ??= start()
      if (waiting.push({ resolve, reject }) === 1) running.ref()
      running.postMessage({ name, args } satisfies Call)
    })
  return {
    call,
    async close() {
      const last = call('close', [] as never)
      closed = true
      await last
      await running?.terminate()
    },
  }
}

export const storeClosed = () => new StoreUnavailable('The store is closed.', 5)

/** Called in the thread of a `singleWorker`: answers its calls. */
export function answerCalls<Module extends Closable>(module: Module): void {
  parentPort?.on('message', ({ name, args }: Call) => {
    parentPort?.postMessage(replyTo(() => (module[name as keyof Module] as (...args: unknown[]) => unknown)(...args)))
  })
}

function replyTo(work: () => unknown): Reply {
  try {
    return { value: work() }
  } catch (problem) {
    return { problem }
  }
}
