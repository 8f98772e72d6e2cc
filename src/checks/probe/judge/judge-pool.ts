import { Piscina } from 'piscina'
import { createSemaphore } from '../../../semaphore.ts'
import { abortable, ProbeFault } from '../failures.ts'
import type { JudgeFunction, Verdict } from './judge.ts'
import type { Job, Reply } from './judge-thread.ts'

export type JudgePool = { readonly judge: JudgeFunction; close(): Promise<void> }

/** A response that takes longer than the quick lane allows is judged again in the slow one, so that others do not wait behind it. */
const lanes = { quick: { threads: 2, timeLimitMs: 100 }, slow: { threads: 1, timeLimitMs: 2000 } } as const
const maxHeapMb = 128

/** Judges responses in worker threads, within a time and memory limit. Threads start with the first response. */
export function openJudgePool(): JudgePool {
  const quick = openLane(lanes.quick)
  const slow = openLane(lanes.slow)
  return {
    async judge({ module }, input, signal) {
      try {
        const reply = await quick.run(module, input, signal)
        return verdictOf(reply === 'timed out' ? await slow.run(module, input, signal) : reply)
      } catch (error) {
        if (signal.aborted) return exceeded('before the run timed out')
        if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return exceeded(`within ${maxHeapMb} MB of memory`)
        throw error
      }
    },
    async close() {
      await Promise.all([quick.close(), slow.close()])
    },
  }
}

type LaneOptions = { readonly threads: number; readonly timeLimitMs: number }

function openLane({ threads, timeLimitMs }: LaneOptions) {
  const semaphore = createSemaphore(threads)
  let pool: Piscina<Job, Reply> | undefined
  return {
    /** An aborted job that waits never runs; one that runs is left to its time limit, since a new thread costs more. */
    async run(module: string, input: unknown, signal: AbortSignal): Promise<Reply> {
      const release = await semaphore.acquire(signal)
      if (release === undefined) throw signal.reason
      pool ??= openThreads(threads)
      return abortable(pool.run({ module, input, timeLimitMs }, { name: 'run' }).finally(release), signal)
    },
    async close() {
      await pool?.destroy()
    },
  }
}

function openThreads(threads: number): Piscina<Job, Reply> {
  const pool = new Piscina<Job, Reply>({
    filename: new URL(`./${'judge'}-thread.js`, import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
    idleTimeout: Number.POSITIVE_INFINITY,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  })
  // Emitted where a thread dies between two jobs; the pool replaces it.
  return pool.on('error', () => {})
}

function verdictOf(reply: Reply): Verdict {
  if (reply === 'timed out') return exceeded(`within ${lanes.slow.timeLimitMs.toLocaleString('en-US')} ms`)
  if ('fault' in reply) throw new ProbeFault(reply.fault)
  return reply.verdict
}

function exceeded(limit: string): Verdict {
  return { failure: `the response could not be evaluated ${limit}`, assertions: [], exceeded: true }
}
