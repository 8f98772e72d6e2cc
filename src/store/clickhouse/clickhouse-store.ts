import { createStoreStats, type StoreStats } from '../../stats/server-stats.ts'
import { cheapCost, maxCost } from '../admission/cost.ts'
import type { Definitions } from '../definitions.ts'
import { type DocumentHome, openDocuments } from '../documents/documents.ts'
import { timedAppend } from '../group-commit.ts'
import { createQuestions, offerQuestions } from '../questions/questions.ts'
import type { Store } from '../store.ts'
import { storeClosed } from '../threads/worker.ts'
import { connectDocumentLog } from './documents.ts'
import { inspectServer } from './inspect-server.ts'
import { createQuestionDeadline } from './question-deadline.ts'
import { createAnnouncements } from './read/announcements.ts'
import { createAnswerPaths } from './read/answer-paths.ts'
import { createCommits } from './read/commits.ts'
import { createCountTotals } from './read/count-totals.ts'
import { createDefinitions } from './read/definitions.ts'
import { createLatest } from './read/latest.ts'
import { createCallSizes, createResultCounts } from './read/result-counts.ts'
import { createSelect } from './read/select-results.ts'
import { createTotals } from './read/totals.ts'
import { openReaders } from './readers.ts'
import { createReadiness } from './readiness.ts'
import { createRetention } from './retention.ts'
import { type MetricColumns, registeredColumns } from './schema/metric-columns.ts'
import { requireValidPlace, upgradeSchema } from './schema/upgrade.ts'
import { type ClickHouseServer, connectConsistently, connectTo, ensureDatabase, oneCheckSettings } from './server.ts'
import { startFailure, withoutPassword } from './server-errors.ts'
import { waitForServer } from './wait-for-server.ts'
import { createAppend } from './write/append.ts'
import { createArrivals, createSequence } from './write/arrival.ts'
import { createRepeatedIds } from './write/repeated-ids.ts'
import { createReplaceNewest } from './write/replace-newest.ts'
import { createSettleLater } from './write/settle-later.ts'
import { createShards } from './write/shards.ts'
import { createStoredRows } from './write/stored-rows.ts'

export type { ClickHouseServer } from './server.ts'

export type ClickHouseOptions = {
  readonly server: ClickHouseServer
  /** How long a start waits for an unreachable server; 0 by default. */
  readonly startWaitMs?: number
  /** Interval of the search for ids that are stored twice; 10 minutes by default. */
  readonly repeatedIdsEveryMs?: number
  /** Threads that answer questions; 0, the default, answers in the calling thread. */
  readonly workers?: number
  /** The largest cost of a question, in values read. */
  readonly maxQuestionCost?: number
  /** Questions that cost more are summarized by the server where it can, instead of reading cached days. */
  readonly maxCachedCost?: number
  /** Time limit of a question, including all waits. */
  readonly questionDeadlineMs?: number
  readonly clock?: () => number
  readonly log?: (problem: unknown) => void
  readonly stats?: StoreStats
  /** Metrics and fields of results; those of all check types by default. */
  readonly metrics?: MetricColumns
  readonly onStatement?: (sql: string) => void
}

type ClickHouseStore = Store & Definitions & DocumentHome

/** Page size of a scan, in results. */
const scanSize = 5000

/** The store in a ClickHouse server or cluster, which several processes may use. */
export async function createClickHouseStore(options: ClickHouseOptions): Promise<ClickHouseStore> {
  const { server, workers = 0, maxQuestionCost = maxCost, clock = Date.now, log = console.error, onStatement = () => {} } = options
  const { stats = createStoreStats(), metrics = registeredColumns() } = options
  const { database, cluster } = server
  const place = { database, cluster }
  requireValidPlace(place)
  const waiting = { waitMs: options.startWaitMs ?? 0, warn: log, server: withoutPassword(server.url) }
  const startLog = createStartLog(log)
  const open = () => openDatabase({ ...options, metrics, clock, log: startLog.log })
  const { connection, documents } = await waitForServer(open, waiting).catch((error) => {
    throw startFailure(error, server)
  })
  startLog.started()
  const readers = await openReaders({ server, metrics, workers, clock, log, onStatement, stats })
  const consistent = await connectConsistently(server, { log })
  const retention = createRetention({ connection, consistent, place, clock, log })
  const settings = oneCheckSettings(server)
  const count = createResultCounts({ connection, settings })
  const questions = createQuestions({
    readers,
    count,
    paths: createAnswerPaths({ count, maxCachedCost: options.maxCachedCost }),
    callSizes: createCallSizes(count),
    wholeWindowCost: cheapCost,
    maxQuestionCost,
    scanSize,
  })
  const definitions = createDefinitions(connection)
  const sequence = createSequence()
  const latest = createLatest({ connection, seen: sequence.seen, clock })
  const commits = createCommits({ connection, metrics })
  const announcements = createAnnouncements({ commits, clock })
  const totals = createTotals({ commits, totals: createCountTotals({ connection, metrics }), clock, log })
  const shardsOf = createShards({ connection, place })
  const readiness = createReadiness({ connection, place, metrics, shardsOf, settings, clock, log })
  const readStored = createStoredRows({ connection, metrics })
  const nextArrival = createArrivals(clock)
  const isReplicated = cluster !== null
  const repeatedIds = createRepeatedIds({
    connection,
    isReplicated,
    metrics,
    readStored,
    replaceNewest: createReplaceNewest({
      connection,
      select: createSelect({ connection, metrics, settings }),
      metrics,
      nextArrival: () => sequence.next(nextArrival()),
    }),
    shardsOf,
    nextArrival,
    clock,
    log,
    everyMs: options.repeatedIdsEveryMs,
  })
  const settling = createSettleLater({ settle: repeatedIds.settle, failed: repeatedIds.settleSoon, log })
  const append = createAppend({
    connection: readiness.observed,
    metrics,
    clock,
    stats,
    settleLater: settling.add,
    settled: settling.settled,
    readStored,
    shardsOf,
    nextArrival,
    storing: announcements.storing,
    sequence,
    isReplicated,
    added(results) {
      latest.added(results)
      totals.added(results)
      announcements.added(results)
    },
  })

  const { limited, scan } = createQuestionDeadline({ deadlineMs: options.questionDeadlineMs })
  const limitedQuestions = {
    aggregate: limited(questions.aggregate),
    states: limited(questions.states),
    outages: limited(questions.outages),
    outageTotals: limited(questions.outageTotals),
    failures: limited(questions.failures),
    raw: limited(questions.raw),
    results: limited(questions.results),
    result: limited(questions.result),
    scan: scan(questions.scan),
  }

  let closed = false
  const unlessClosed = <Part>(part: Part): Part => {
    if (closed) throw storeClosed()
    return part
  }
  return {
    append: timedAppend(async (results) => unlessClosed(append)(results), stats),
    onAppended: announcements.listen,
    ...offerQuestions(limitedQuestions, { stats, requireOpen: () => void unlessClosed(readers) }),
    latest: async (checks, options) => limited(unlessClosed(latest).of)(checks, options),
    totals: async (sources, options) => unlessClosed(totals).of(sources, options),
    recordDefinitions: async (checks, now) => unlessClosed(definitions).recordDefinitions(checks, now),
    applyRetention: async (days) => unlessClosed(retention).applyRetention(days),
    applyEvidenceRetention: async (days) => unlessClosed(retention).applyEvidenceRetention(days),
    expiring: async (days) => unlessClosed(retention).expiring(days),
    documents,
    ready: async () => !closed && (await readiness.isReady()),
    writable: async () => !closed && (await readiness.isWritable()),
    async close() {
      if (closed) return
      closed = true
      announcements.close()
      await documents.close()
      await retention.close()
      repeatedIds.close()
      await settling.close()
      await readers.close()
      await connection.close()
    },
  }
}

type OpenOptions = ClickHouseOptions & Required<Pick<ClickHouseOptions, 'metrics' | 'clock' | 'log'>>

/** Everything a start needs from the database. `waitForServer` repeats all of it if any part is unreachable. */
async function openDatabase({ server, metrics, clock, log, onStatement }: OpenOptions) {
  await ensureDatabase(server, (connection) => inspectServer(connection, clock, log))
  const connection = await connectTo(server, { log, ...(onStatement && { onStatement }) })
  const documentLog = await connectDocumentLog(server)
  try {
    await upgradeSchema(connection, server, metrics, clock())
    return { connection, documents: await openDocuments(documentLog, { clock, log }) }
  } catch (error) {
    await connection.close()
    await documentLog.close()
    throw error
  }
}

/** Logs each problem once while the start is retried. */
function createStartLog(log: (problem: unknown) => void) {
  const logged = new Set<string>()
  let isStarted = false
  return {
    log(problem: unknown): void {
      if (!isStarted && logged.has(String(problem))) return
      if (!isStarted) logged.add(String(problem))
      log(problem)
    },
    started(): void {
      isStarted = true
      logged.clear()
    },
  }
}
