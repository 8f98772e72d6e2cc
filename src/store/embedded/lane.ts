import { Piscina } from 'piscina'
import { StoreUnavailable } from '../store.ts'

/** Where the functions of a module run: here, or in threads of their own. */
export type Lane<Module> = {
  call<Name extends keyof Module & string>(name: Name, ...args: ArgumentsOf<Module[Name]>): Promise<ReturnOf<Module[Name]>>
  close(): Promise<void>
}

type ArgumentsOf<F> = F extends (...args: infer A) => unknown ? A : never
type ReturnOf<F> = F extends (...args: never[]) => infer R ? R : never

/** Runs in this thread: for tests, and for commands that do one thing. */
export function inlineLane<Module extends { close(): void }>(module: Module): Lane<Module> {
  return {
    async call(name, ...args) {
      return (module[name] as (...args: unknown[]) => never)(...args)
    },
    async close() {
      module.close()
    },
  }
}

export type ThreadOptions = {
  readonly threads: number
  readonly mostWaiting: number
  readonly timeLimitMs: number | null
  /** Whether the module has a `close` of its own that must be called at the end; only for a single thread. */
  readonly closes: boolean
}

/** Runs in threads; when too many calls wait, or one takes too long, the caller is told to come back. */
export function threadLane<Module>(
  worker: URL,
  workerData: Readonly<Record<string, unknown>>,
  { threads, mostWaiting, timeLimitMs, closes }: ThreadOptions,
): Lane<Module> {
  const pool = new Piscina({
    filename: worker.href,
    workerData,
    minThreads: threads,
    maxThreads: threads,
    idleTimeout: Number.POSITIVE_INFINITY,
    maxQueue: mostWaiting,
    // Columns lie outside of the heap and are let go of when it is swept: a small one is swept often.
    resourceLimits: { maxYoungGenerationSizeMb: 6 },
  })
  return {
    async call(name, ...args) {
      const limit = timeLimitMs === null ? {} : { signal: AbortSignal.timeout(timeLimitMs) }
      try {
        return await pool.run(args, { name, ...limit })
      } catch (error) {
        throw overloaded(error) ?? error
      }
    },
    async close() {
      if (closes) await pool.run([], { name: 'close' })
      await pool.close()
    },
  }
}

function overloaded(error: unknown): StoreUnavailable | null {
  if (!(error instanceof Error)) return null
  if (error.message.includes('queue is at limit')) return new StoreUnavailable('Too many questions wait to be answered.', 1)
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return new StoreUnavailable('The question took too long.', 5)
  return null
}
