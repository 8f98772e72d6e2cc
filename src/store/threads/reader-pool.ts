import type { StoreStats } from '../../stats/server-stats.ts'
import type { Reader } from '../query/question-reader.ts'
import { reportLost } from './report-lost.ts'
import type { WorkerHandle } from './worker.ts'
import { type PoolOptions, workerPool } from './worker-pool.ts'

type ReaderPoolOptions = Pick<PoolOptions, 'timeLimitMs' | 'onMessage'> & {
  readonly stats: StoreStats
  readonly log: (problem: unknown) => void
}

/** Beyond those that one caller can have for expensive questions: one for its cheap ones, and one that it never has. */
export const extraReaders = 2

/** The threads that answer the questions of a store, one for each of `workerData`. */
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
