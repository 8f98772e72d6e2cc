import type { StoreStats } from '../../stats/server-stats.ts'
import type { Reader } from '../query/reader.ts'
import type { WorkerHandle } from './worker.ts'
import { type PoolOptions, workerPool } from './worker-pool.ts'

type ReaderPoolOptions = Pick<PoolOptions, 'timeLimitMs' | 'usesNetwork' | 'onMessage'> & {
  readonly stats: StoreStats
}

/** The threads that answer the questions of a store, one for each of `workerData`. */
export function readerPool(worker: URL, workerData: readonly unknown[], { stats, ...options }: ReaderPoolOptions): WorkerHandle<Reader> {
  return workerPool<Reader>(worker, workerData, {
    ...options,
    maxQueuedPerKey: 64,
    maxWaitMs: 15_000,
    onQueue: stats.questionQueue.set,
  })
}
