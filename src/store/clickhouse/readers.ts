import type { StoreStats } from '../../stats/server-stats.ts'
import type { Reader } from '../query/question-reader.ts'
import { inlineWorker, type WorkerHandle } from '../threads/worker.ts'
import { extraReaders, readerPool } from '../threads/worker-pool.ts'
import { openServerReader, type ReaderData } from './read/open-reader.ts'
import type { ReaderMessage } from './read/reader-thread.ts'

type ReadersOptions = ReaderData & {
  readonly workers: number
  readonly clock: () => number
  readonly log: (problem: unknown) => void
  readonly onStatement: (sql: string) => void
  readonly stats: StoreStats
  readonly timeLimitMs?: number
}

/** A question may take several statements. */
const defaultTimeLimitMs = 60_000

/** Opens reader threads, plus extra ones for cheap questions and other callers; with 0 workers, this thread answers questions. */
export async function openReaders(options: ReadersOptions): Promise<WorkerHandle<Reader>> {
  const { server, metrics, workers, clock, log, onStatement, stats, timeLimitMs = defaultTimeLimitMs } = options
  if (workers === 0) return inlineWorker<Reader>(await openServerReader({ server, metrics }, { clock, log, onStatement }))
  const thread = new URL(`./read/${'reader'}-thread.js`, import.meta.url)
  const data: ReaderData = { server, metrics }
  const onMessage = (message: unknown) => {
    const posted = message as ReaderMessage
    if ('problem' in posted) log(posted.problem)
    else onStatement(posted.statement)
  }
  return readerPool(thread, new Array(workers + extraReaders).fill(data), { stats, log, timeLimitMs, onMessage })
}
