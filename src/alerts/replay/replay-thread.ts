import type { ClickHouseServer } from '../../store/clickhouse/server.ts'
import { openClickHouse, openStoreReadOnly } from '../../store/open.ts'
import { QueryTooLarge, type Store } from '../../store/store.ts'
import { answerCalls, threadData } from '../../threads/answer-calls.ts'
import { readAlertHistory } from '../outbox/alert-history.ts'
import type { ReplayAnswer, ReplayPlace } from './replay-in-thread.ts'
import { type ReplayQuestion, type ReplaySources, replayDeadline, replayReport } from './replay-report.ts'

const place = threadData<ReplayPlace>()
const { directory, server } = place
const open = server ? sharedStore(server) : async () => openStoreReadOnly(directory)

const history: ReplaySources['history'] = (account, window) => readAlertHistory(directory, account, window)

answerCalls(async ({ args, isCancelled }): Promise<ReplayAnswer> => {
  const isInTime = replayDeadline()
  const checkpoint = () => {
    if (isCancelled()) throw new Error('The replay was cancelled.')
    isInTime()
  }
  const store = await open()
  try {
    return { report: await replayReport(args[0] as ReplayQuestion, { store, history }, checkpoint) }
  } catch (error) {
    if (error instanceof QueryTooLarge) return { tooLarge: error.message }
    throw error
  } finally {
    await store.close()
  }
})

type Source = Pick<Store, 'scan' | 'close'>

/** Connects on the first call, and keeps the connection. */
function sharedStore(server: ClickHouseServer): () => Promise<Source> {
  let opened: Promise<Source> | null = null
  return async () => {
    opened ??= openClickHouse({ server, workers: 0 }).catch((error) => {
      opened = null
      throw error
    })
    const { scan } = await opened
    return { scan, close: async () => {} }
  }
}
