import { createSerialQueue } from '../../concurrency/serial-queue.ts'
import type { ClickHouseServer } from '../../store/clickhouse/server.ts'
import { QueryTooLarge, StoreUnavailable } from '../../store/store.ts'
import { CallOverdue, openThread, ThreadLost, type ThreadOptions } from '../../threads/thread.ts'
import { type ReplayQuestion, type ReplayReport, replayLimitMs } from './replay-report.ts'

/** The data folder, and the ClickHouse server if results are stored there instead. */
export type ReplayPlace = { readonly directory: string; readonly server?: ClickHouseServer }

/** Rejects with `QueryTooLarge` if it takes too long or too much memory. */
export type AlertReplay = (question: ReplayQuestion, signal: AbortSignal) => Promise<ReplayReport>

export type ReplayAnswer = { readonly report: ReplayReport } | { readonly tooLarge: string }

type ReplayThread = { readonly replay: AlertReplay; close(): Promise<void> }

/** Enough for a batch of each check. */
const maxHeapMb = 512
/** The replay itself stops earlier, after `replayLimitMs`. */
const timeLimitMs = replayLimitMs + 15_000

/** Replays alerts in a worker thread, one replay at a time. The thread starts with the first one, and reads results itself. */
export function openReplayThread(place: ReplayPlace, { onLost }: Pick<ThreadOptions, 'onLost'> = {}): ReplayThread {
  const thread = openThread({
    kind: 'replay',
    module: new URL(`./${'replay'}-thread.js`, import.meta.url),
    data: place,
    yields: true,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    describe: () => 'a replay of alerts',
    ...(onLost && { onLost }),
  })
  const queue = createSerialQueue()
  return {
    async replay(question, signal) {
      const answer = queue(async () => {
        signal.throwIfAborted()
        return thread.call('replay', [question], { timeLimitMs, signal })
      })
      const answered = (await answer.catch((problem) => rethrow(problem, signal))) as ReplayAnswer
      if ('tooLarge' in answered) throw new QueryTooLarge(answered.tooLarge)
      return answered.report
    },
    close: thread.destroy,
  }
}

function rethrow(problem: unknown, signal: AbortSignal): never {
  signal.throwIfAborted()
  if (problem instanceof CallOverdue) throw new QueryTooLarge('the replay takes too long')
  const cause = problem instanceof ThreadLost ? (problem.cause as { readonly code?: unknown } | undefined) : undefined
  if (cause?.code === 'ERR_WORKER_OUT_OF_MEMORY') throw new QueryTooLarge(`the replay takes more than ${maxHeapMb} MB of memory`)
  if (problem instanceof ThreadLost) throw new StoreUnavailable('The thread of the replay has ended.', 5, { cause: problem })
  throw problem
}
