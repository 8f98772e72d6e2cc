import { createSemaphore } from '../../../concurrency/semaphore.ts'
import { CallOverdue, type LostThread, openThread, type Thread } from '../../../threads/thread.ts'
import { abortable, ProbeFault } from '../failures.ts'
import type { JudgeForCheck, Verdict } from './judge.ts'
import type { JudgeJob, Reply, ThreadPriority } from './judge-thread.ts'

type JudgePoolOptions = {
  /** Called when a thread was terminated because a judge did not return. */
  readonly onLost?: (lost: LostThread) => void
  readonly module?: URL
  /** Time after a judge's time limit until its thread is terminated. */
  readonly graceMs?: number
}

type JudgePool = { readonly judge: JudgeForCheck; close(): Promise<void> }

const timeLimitMs = { quick: 250, full: 2000 }
const maxHeapMb = 128
const threadModule = new URL(`./${'judge'}-thread.js`, import.meta.url)

/**
 * Judges responses in worker threads, within time and memory limits. A response that exceeds the time limit of the quick queue is judged
 * again in the slow queue. Checks whose last response exceeded the limits have a queue of their own, so that hostile targets do not delay
 * other checks. The threads of a queue start with its first response.
 */
export function openJudgePool(options: JudgePoolOptions = {}): JudgePool {
  const quick = openQueue({ ...options, threads: 2, timeLimitMs: timeLimitMs.quick })
  const slow = openQueue({ ...options, threads: 1, timeLimitMs: timeLimitMs.full })
  const suspect = openQueue({ ...options, threads: 1, timeLimitMs: timeLimitMs.full, niceIncrement: 10 })
  const suspects = new Set<string>()

  async function replyTo(job: QueuedJob): Promise<Reply> {
    if (suspects.has(job.key)) return suspect.run(job)
    const reply = await quick.run(job)
    return reply === 'timed out' ? slow.run(job) : reply
  }

  return {
    async judge({ module }, input, { key, signal }) {
      const reply = replyTo({ module, input, key, signal })
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

type QueuedJob = Pick<JudgeJob, 'module' | 'input'> & { readonly key: string; readonly signal: AbortSignal }
type QueueOptions = JudgePoolOptions & ThreadPriority & { readonly threads: number; readonly timeLimitMs: number }

function openQueue({ threads, timeLimitMs, graceMs = 10_000, module = threadModule, onLost, niceIncrement = 0 }: QueueOptions) {
  const semaphore = createSemaphore(threads)
  const open = () =>
    openThread({
      kind: 'judge',
      module,
      data: { niceIncrement } satisfies ThreadPriority,
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
      describe: (_, [job]) => `the response of ${(job as JudgeJob).key}`,
      onLost: (lost) => lost.isOverdue && onLost?.(lost),
    })
  const all = Array.from({ length: threads }, open)
  const idle = [...all]
  return {
    /**
     * An aborted job that is still queued never runs. A running one continues until its time limit, since replacing the thread costs more.
     */
    async run({ module, input, key, signal }: QueuedJob): Promise<Reply> {
      const release = await semaphore.acquire(signal)
      if (release === undefined) throw signal.reason
      const thread = idle.pop() as Thread
      const job: JudgeJob = { module, input, key, timeLimitMs }
      const reply = thread.call('run', [job], { timeLimitMs: timeLimitMs + graceMs }).finally(() => {
        idle.push(thread)
        release()
      })
      return abortable(reply.catch(timedOutIfOverdue) as Promise<Reply>, signal)
    },
    async close() {
      await Promise.all(all.map((thread) => thread.destroy()))
    },
  }
}

/** The time limit could not interrupt the judge, so its thread was terminated. */
function timedOutIfOverdue(error: unknown): Reply {
  if (error instanceof CallOverdue) return 'timed out'
  throw error
}

function verdictOf(reply: Reply): Verdict {
  if (reply === 'timed out') return exceeded(`within ${timeLimitMs.full.toLocaleString('en-US')} ms`)
  if ('fault' in reply) throw new ProbeFault(reply.fault)
  return reply.verdict
}

function exceededBy(error: unknown, signal: AbortSignal): Verdict {
  if (signal.aborted) return exceeded('before the run timed out')
  if (isOutOfMemory(error)) return exceeded(`within ${maxHeapMb} MB of memory`)
  throw error
}

const isOutOfMemory = (error: unknown) => ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY'

function exceeded(limit: string): Verdict {
  return { failure: `the response could not be evaluated ${limit}`, assertions: [], exceeded: true }
}
