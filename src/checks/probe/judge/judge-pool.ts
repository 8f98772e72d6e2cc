import { Piscina } from 'piscina'
import { createSemaphore } from '../../../semaphore.ts'
import { abortable, ProbeFault } from '../failures.ts'
import type { JudgeForCheck, Verdict } from './judge.ts'
import type { Job, Reply } from './judge-thread.ts'

export type JudgePool = { readonly judge: JudgeForCheck; close(): Promise<void> }

const timeLimitMs = { quick: 250, full: 2000 }
const maxHeapMb = 128

/**
 * Judges responses in worker threads, within a time and memory limit. A response that takes longer than the quick queue allows is judged
 * again in the slow one, and a check whose last response exceeded the limits has a queue with others like it: so none waits long behind
 * hostile targets. The threads of a queue start with its first response.
 */
export function openJudgePool(): JudgePool {
  const quick = openQueue(2, timeLimitMs.quick)
  const slow = openQueue(1, timeLimitMs.full)
  const suspect = openQueue(1, timeLimitMs.full, { niceIncrement: 10 })
  const suspects = new Set<string>()

  async function replyTo(job: QueuedJob, key: string): Promise<Reply> {
    if (suspects.has(key)) return suspect.run(job)
    const reply = await quick.run(job)
    return reply === 'timed out' ? slow.run(job) : reply
  }

  return {
    async judge({ module }, input, { key, signal }) {
      const reply = replyTo({ module, input, signal }, key)
      const verdict = await reply.then(verdictOf, (error: unknown) => exceededBy(error, signal))
      if (verdict.exceeded) suspects.add(key)
      else suspects.delete(key)
      return verdict
    },
    async close() {
      await Promise.all([quick, slow, suspect].map((queue) => queue.close()))
    },
  }
}

type QueuedJob = Pick<Job, 'module' | 'input'> & { readonly signal: AbortSignal }

function openQueue(threads: number, timeLimitMs: number, priority: Priority = {}) {
  const semaphore = createSemaphore(threads)
  let pool: Piscina<Job, Reply> | undefined
  return {
    /** An aborted job that waits never runs; one that runs is left to its time limit, since a new thread costs more. */
    async run({ module, input, signal }: QueuedJob): Promise<Reply> {
      const release = await semaphore.acquire(signal)
      if (release === undefined) throw signal.reason
      pool ??= openThreads(threads, priority)
      return abortable(pool.run({ module, input, timeLimitMs }, { name: 'run' }).finally(release), signal)
    },
    async close() {
      await pool?.destroy()
    },
  }
}

/** Where the system can, such threads leave the processor to others. */
type Priority = { readonly niceIncrement?: number }

function openThreads(threads: number, priority: Priority): Piscina<Job, Reply> {
  const pool = new Piscina<Job, Reply>({
    ...priority,
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
  if (reply === 'timed out') return exceeded(`within ${timeLimitMs.full.toLocaleString('en-US')} ms`)
  if ('fault' in reply) throw new ProbeFault(reply.fault)
  return reply.verdict
}

function exceededBy(error: unknown, signal: AbortSignal): Verdict {
  if (signal.aborted) return exceeded('before the run timed out')
  if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return exceeded(`within ${maxHeapMb} MB of memory`)
  throw error
}

function exceeded(limit: string): Verdict {
  return { failure: `the response could not be evaluated ${limit}`, assertions: [], exceeded: true }
}
