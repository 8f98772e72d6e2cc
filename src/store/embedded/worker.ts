import { parentPort, Worker } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { StoreUnavailable } from '../store.ts'

/** Where the functions of a module run: here, or in threads of their own. */
export type WorkerHandle<Module> = {
  call<Name extends keyof Module & string>(name: Name, ...args: ArgumentsOf<Module[Name]>): Promise<ReturnOf<Module[Name]>>
  close(): Promise<void>
}

type ArgumentsOf<F> = F extends (...args: infer A) => unknown ? A : never
type ReturnOf<F> = F extends (...args: never[]) => infer R ? R : never

/** Runs in this thread: for tests, and for commands that do one thing. */
export function inlineWorker<Module extends Closable>(module: Module): WorkerHandle<Module> {
  return {
    async call(name, ...args) {
      return (module[name] as (...args: unknown[]) => never)(...args)
    },
    async close() {
      module.close()
    },
  }
}

type Closable = { close(): void }
type Call = { readonly name: string; readonly args: readonly unknown[] }
type Reply = { readonly value: unknown } | { readonly problem: unknown }
type Pending = { readonly resolve: (value: never) => void; readonly reject: (problem: unknown) => void }

/** What lies outside of the heap, such as columns, is let go of when the heap is swept: a small one is swept often. */
const resourceLimits = { maxYoungGenerationSizeMb: 6 }

/** Runs in one thread of its own, call after call; one that has died fails the calls that wait, and the next call starts another. */
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
    thread.on('message', (told: Reply) => {
      const call = next()
      if ('problem' in told) call?.reject(told.problem)
      else call?.resolve(told.value as never)
    })
    thread.on('error', die).on('exit', () => die(new Error('The thread has ended.')))
    return thread
  }
  running = start()
  running.unref()
  const call: WorkerHandle<Module>['call'] = (name, ...args) =>
    new Promise((resolve, reject) => {
      if (closed) return reject(storeClosed())
      running ??= start()
      if (waiting.push({ resolve, reject }) === 1) running.ref()
      running.postMessage({ name, args } satisfies Call)
    })
  return {
    call,
    async close() {
      const last = call('close', ...([] as never))
      closed = true
      await last
      await running?.terminate()
    },
  }
}

export const storeClosed = () => new StoreUnavailable('The store is closed.', 5)

/** To be called in the thread of a `singleWorker`: answers its calls. */
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

type PoolOptions = { readonly threads: number; readonly mostWaiting: number; readonly timeLimitMs: number }

/** Runs in some threads; when too many calls wait, or one takes too long, the caller is told to come back. */
export function workerPool<Module>(
  worker: URL,
  workerData: unknown,
  { threads, mostWaiting, timeLimitMs }: PoolOptions,
): WorkerHandle<Module> {
  const pool = new Piscina({
    filename: worker.href,
    workerData,
    minThreads: threads,
    maxThreads: threads,
    idleTimeout: Number.POSITIVE_INFINITY,
    maxQueue: mostWaiting,
    resourceLimits,
  })
  return {
    async call(name, ...args) {
      try {
        return await pool.run(args, { name, signal: AbortSignal.timeout(timeLimitMs) })
      } catch (error) {
        throw overloaded(error) ?? error
      }
    },
    close: () => pool.close(),
  }
}

function overloaded(error: unknown): StoreUnavailable | null {
  if (!(error instanceof Error)) return null
  if (error.message.includes('queue is at limit')) return new StoreUnavailable('Too many questions wait to be answered.', 1)
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return new StoreUnavailable('The question took too long.', 5)
  return null
}
