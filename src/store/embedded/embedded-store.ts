import { allTime } from '../../calendar/window.ts'
import { createStoreStats, type StoreStats } from '../../stats/server-stats.ts'
import { isBounded, maxCost } from '../admission/cost.ts'
import type { Definitions } from '../definitions.ts'
import { type DocumentHome, openDocuments } from '../documents/documents.ts'
import { evidenceBytes, groupCommit, timedAppend } from '../group-commit.ts'
import { createListeners, createSkipped } from '../listeners.ts'
import { maxAheadMs } from '../newest.ts'
import { toStored } from '../query/parts/stored-result.ts'
import type { Reader } from '../query/question-reader.ts'
import { createQuestions, offerQuestions } from '../questions/questions.ts'
import type { FiledResult, Store } from '../store.ts'
import { inlineWorker, singleWorker, storeClosed, type WorkerHandle } from '../threads/worker.ts'
import { extraReaders, readerPool, reportLost } from '../threads/worker-pool.ts'
import type { DefinitionHistory } from '../transfer/contents.ts'
import { createWriteHealth } from '../write-health.ts'
import { type Migration, openForReading, openForWriting } from './disk/database.ts'
import { lock } from './disk/lock.ts'
import { createDocumentLog } from './document-log.ts'
import { createLatestCache } from './latest-cache.ts'
import { startMaintenance } from './maintenance.ts'
import { openFolderReader } from './query/folder-reader.ts'
import { openResultCounts } from './query/result-counts.ts'
import { createTotalsCache } from './totals-cache.ts'
import { toBatches } from './write/batch.ts'
import { rethrowUnwritable, retryAfterMs } from './write/unwritable.ts'
import { openWriter, type Writer } from './write/writer.ts'

export type EmbeddedOptions = {
  readonly directory: string
  /** Reader threads; with 0, questions are answered in this thread. */
  readonly workers: number
  readonly clock?: () => number
  readonly log?: (problem: unknown) => void
  /** Cost limit of a question, in values read. */
  readonly maxQuestionCost?: number
  /** Called after an older layout was migrated. */
  readonly migrated?: (migration: Migration) => void
  /** Called with the number of days dropped by the retention, counted per check. */
  readonly dropped?: (days: number) => void
  readonly stats?: StoreStats
  /** Time limits of threads, for one part of a question and for one write. */
  readonly timeLimitsMs?: { readonly question: number; readonly write: number }
}

/** The store in a data folder, with operations that only it has. */
export type EmbeddedStore = Store &
  Definitions &
  DocumentHome & {
    /** Seals and drops due days now; this also happens periodically. */
    maintain(): Promise<void>
    /** Seals everything. */
    seal(): Promise<void>
    /** Adds definition changes to the recorded ones; they may be earlier or later. */
    addDefinitions(histories: readonly DefinitionHistory[]): Promise<void>
  }

/** Sizes of column caches: of the reader for cheap questions, of the first reader for others, of each other reader, and of this thread. */
const cacheBytes = { cheap: 72 * 2 ** 20, first: 24 * 2 ** 20, other: 8 * 2 ** 20, inline: 8 * 2 ** 20 } as const
/** Results of a scan held in memory at a time. */
const scanSize = 1000
/** Far more than the most expensive question or a write on a slow disk takes. */
const defaultTimeLimitsMs = { question: 30_000, write: 120_000 }
/** Hot results of a check may have to be decoded and sorted for every page, at about 25 µs each; more than this would block this thread. */
const maxInlineHot = 200

export async function createEmbeddedStore(options: EmbeddedOptions): Promise<EmbeddedStore> {
  const { directory, clock = Date.now, log = console.error, dropped = () => {}, maxQuestionCost = maxCost } = options
  const { stats = createStoreStats() } = options
  const explain = (problem: unknown) => rethrowUnwritable(problem, directory)
  const unlock = lock(directory)
  /** A commit may have been written although its thread was lost, so cached state is reloaded after the next commit. */
  let isUncertain = false
  /** The results of such commits: if they are written, they will never be announced, since those that are sent again are duplicates. */
  const uncertain = createSkipped()
  let losses = 0
  const onWriterLost = () => {
    isUncertain = true
    losses++
  }
  const { readers, writer, inline } = await openWorkers(options, { stats, log, onWriterLost }).catch((error) => {
    unlock()
    throw error
  })
  const counted = openForReading(directory)
  const counts = openResultCounts(counted)
  const questions = createQuestions({ readers, count: counts.of, unsorted: counts.hot, maxQuestionCost, scanSize })
  const latest = createLatestCache(clock)
  latest.observe(await writer.call('latest', []).catch(explain))
  for (const { check, location } of latest.stampedInFuture()) {
    const before = { from: 0, to: clock() + maxAheadMs + 1 }
    const query = { check, window: before, location, hasFailures: null, before: null, rowPage: { limit: 1, offset: 0 } }
    const [result] = await inline.call('results', [query])
    if (result) latest.observe([toStored({ check, result, arrivedAt: result.startedAt })])
  }
  const maintenance = startMaintenance(writer, { clock, log, dropped })
  const health = createWriteHealth({ clock, probe: () => writer.call('probe', []).catch(explain), retryAfterMs })
  const commit = groupCommit(
    async (filed: readonly FiledResult[]) => {
      const { batches, indexes } = toBatches(filed, clock())
      const lossesBefore = losses
      totals.commitStarts()
      try {
        const found = await health.observe(stats.commit.time(() => writer.call('append', [batches])).catch(explain))
        const duplicates = found.flatMap((rows, batch) => rows.map((row) => indexes[batch]?.[row] as number)).sort((a, b) => a - b)
        totals.committed(without(filed, duplicates))
        if (isUncertain) await reload()
        maintenance.afterCommit(filed.length)
        return duplicates
      } catch (error) {
        if (losses > lossesBefore) uncertain.add(filed)
        throw error
      } finally {
        totals.commitEnds()
      }
    },
    { onQueue: stats.appendQueue.set, bytesOf: evidenceBytes },
  )
  const reload = async () => {
    isUncertain = false
    totals.forget()
    await writer.call('latest', []).then(latest.observe, onWriterLost)
    if (isUncertain) return
    for (const [account, skipped] of uncertain.take()) listeners.skip(account, skipped)
  }
  const totals = createTotalsCache({
    count: counts.committed,
    read: (source, options) => questions.totals({ ...source, window: allTime }, options),
    dropGeneration: maintenance.dropGeneration,
    clock,
    log,
  })
  const listeners = createListeners()
  const documentLog = createDocumentLog(counted, {
    append: (versions) => health.observe(writer.call('appendDocuments', [versions]).catch(explain)),
    drop: (...args) => writer.call('dropDocuments', args),
  })
  const documents = await openDocuments(documentLog, { clock, log })
  let closed = false
  const isWritable = async () => !closed && (await health.isWritable())
  const open = <Part>(part: Part): Part => {
    if (closed) throw storeClosed()
    return part
  }

  const append: Store['append'] = async (results) => {
    open(writer)
    const stored = results.map(toStored)
    const duplicates = await commit(stored)
    const added = without(stored, duplicates)
    latest.observe(added)
    listeners.announce(added)
    return { duplicates }
  }
  const raw: Store['raw'] = (query, options) =>
    isBounded(query) && counts.hot(query.check) <= maxInlineHot ? inline.call('raw', [query], options) : questions.raw(query, options)

  return {
    append: timedAppend(append, stats),
    onAppended: listeners.add,
    ...offerQuestions({ ...questions, raw }, { stats, requireOpen: () => void open(readers) }),
    async latest(checks, options) {
      open(inline)
      options?.signal?.throwIfAborted()
      return checks.map(latest.of)
    },
    totals: async (sources, options) => {
      open(readers)
      return totals.of(sources, options)
    },
    recordDefinitions: async (checks, now) => health.observe(open(writer).call('recordDefinitions', [checks, now]).catch(explain)),
    async applyRetention(days) {
      open(writer)
      await maintenance.applyRetention(days)
    },
    async applyEvidenceRetention(days) {
      open(writer)
      await maintenance.applyEvidenceRetention(days)
    },
    async expiring(days) {
      open(writer)
      return maintenance.expiring(days)
    },
    // No other process could answer instead, so both report a full disk to the operator.
    ready: isWritable,
    writable: isWritable,
    maintain: maintenance.run,
    seal: maintenance.sealAll,
    addDefinitions: async (histories) => open(writer).call('addDefinitions', [histories]),
    documents,
    async close() {
      if (closed) return
      closed = true
      await documents.close()
      counted.close()
      await maintenance.close()
      await readers.close()
      if (inline !== readers) await inline.close()
      await writer.close()
      unlock()
    },
  }
}

/** `inline` answers questions that read only what they return: a round trip to another thread would cost more. */
type Workers = { readonly readers: WorkerHandle<Reader>; readonly writer: WorkerHandle<Writer>; readonly inline: WorkerHandle<Reader> }

type Reports = { readonly stats: StoreStats; readonly log: (problem: unknown) => void; readonly onWriterLost: () => void }

async function openWorkers(
  { directory, workers, migrated, timeLimitsMs = defaultTimeLimitsMs }: EmbeddedOptions,
  { stats, log, onWriterLost }: Reports,
): Promise<Workers> {
  // Opened here once, so that a damaged or missing database is reported before any thread starts.
  openForWriting(directory, migrated).close()
  if (workers === 0) {
    const writer = inlineWorker(openWriter(directory))
    const inline = inlineWorker<Reader>(openFolderReader(directory, cacheBytes.inline))
    return { writer, readers: inline, inline }
  }
  const thread = (path: string) => new URL(`./${path}-thread.js`, import.meta.url)
  const readerWith = (bytes: number) => ({ directory, cacheBytes: bytes })
  const others = new Array(workers - 2 + extraReaders).fill(readerWith(cacheBytes.other))
  return {
    writer: singleWorker<Writer>(
      thread('write/writer'),
      { directory },
      { ...reportLost('writer', { stats, log, onLost: onWriterLost }), timeLimitMs: timeLimitsMs.write },
    ),
    readers: readerPool(thread('query/reader'), [readerWith(cacheBytes.first), ...others, readerWith(cacheBytes.cheap)], {
      stats,
      log,
      timeLimitMs: timeLimitsMs.question,
    }),
    inline: inlineWorker<Reader>(openFolderReader(directory, cacheBytes.inline)),
  }
}

/** The items except at these ascending indexes. */
function without<T>(items: readonly T[], indexes: readonly number[]): readonly T[] {
  if (indexes.length === 0) return items
  let next = 0
  return items.filter((_, i) => {
    if (indexes[next] !== i) return true
    next++
    return false
  })
}
