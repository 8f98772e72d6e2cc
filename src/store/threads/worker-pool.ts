import type { StoreStats } from '../../stats/server-stats.ts'
import { CallOverdue, openThread, type Thread, ThreadNotStarted, type ThreadOptions } from '../../threads/thread.ts'
import { type AdmissionOptions, createAdmission } from '../admission/admission.ts'
import type { Reader } from '../query/question-reader.ts'
import { StoreUnavailable } from '../store.ts'
import { answerOf, type PoolReply } from './pool-thread.ts'
import { type CallOptions, resourceLimits, type WorkerHandle } from './worker.ts'

type PoolOptions = Omit<AdmissionOptions, 'threads'> &
  Pick<ThreadOptions, 'kind' | 'onMessage' | 'onLost'> & {
    readonly timeLimitMs: number
  }

const nobody = { account: '', key: '' }

/**
 * A pool of worker threads, one per item of `workerData`, which reply as in pool-thread.ts. A call that waits or runs too long is refused;
 * its caller may retry.
 */
export function workerPool<Module>(module: URL, workerData: readonly unknown[], options: PoolOptions): WorkerHandle<Module> {
  const { kind, timeLimitMs, onMessage, onLost } = options
  const last = workerData.length - 1
  const open = (data: unknown, index: number) =>
    openThread({
      kind,
      module,
      data,
      resourceLimits,
      // Cheap calls go to the last free thread, so the others are needed only by expensive or concurrent calls.
      isEager: index === last,
      yields: index < last || last === 0,
      ...(onMessage && { onMessage }),
      ...(onLost && { onLost }),
    })
  const threads = workerData.map(open)
  const admit = createAdmission({ ...options, threads: threads.length })
  return {
    async call(name, args, { signal = new AbortController().signal, caller = nobody, cost = 0, questionCost = cost }: CallOptions = {}) {
      const run = (thread: number) => (threads[thread] as Thread).call(name, args, { timeLimitMs, signal })
      try {
        return answerOf((await admit(run, { caller, cost, questionCost, signal })) as PoolReply) as never
      } catch (error) {
        throw asUnavailable(error)
      }
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()))
    },
  }
}

function asUnavailable(error: unknown): unknown {
  if (error instanceof CallOverdue) return new StoreUnavailable('The query took too long.', 5, { cause: error })
  if (error instanceof ThreadNotStarted) return new StoreUnavailable(`The query failed: ${error.message}.`, 5, { cause: error })
  return error
}

type ReaderPoolOptions = Pick<PoolOptions, 'timeLimitMs' | 'onMessage'> & {
  readonly stats: StoreStats
  readonly log: (problem: unknown) => void
}

/**
 * Readers in addition to those that one caller can use for expensive questions: one for its cheap questions, and one that it never gets.
 */
export const extraReaders = 2

/** The reader threads of a store, one per item of `workerData`. */
export function readerPool(
  module: URL,
  workerData: readonly unknown[],
  { stats, log, ...options }: ReaderPoolOptions,
): WorkerHandle<Reader> {
  return workerPool<Reader>(module, workerData, {
    ...options,
    ...reportLost('reader', { stats, log }),
    maxQueuedPerKey: 64,
    maxWaitMs: 15_000,
    onQueue: stats.questionQueue.set,
  })
}

type Reports = {
  readonly stats: Pick<StoreStats, 'lostThreads'>
  readonly log: (problem: unknown) => void
  readonly onLost?: () => void
}

/** Counts and logs threads of a kind that had to be replaced. */
export function reportLost(
  kind: keyof StoreStats['lostThreads'],
  { stats, log, onLost = () => {} }: Reports,
): Required<Pick<ThreadOptions, 'kind' | 'onLost'>> {
  return {
    kind,
    onLost({ message }) {
      stats.lostThreads[kind].add(1)
      log(message)
      onLost()
    },
  }
}
