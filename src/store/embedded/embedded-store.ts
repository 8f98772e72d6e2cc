import { createStoreStats, type StoreStats } from '../../stats/server-stats.ts'
import type { Definitions } from '../definitions.ts'
import { mergeFailures } from '../failures/group.ts'
import { groupCommit } from '../group-commit.ts'
import { batchCalls } from '../query/batch-calls.ts'
import { newestOutages } from '../query/newest-outages.ts'
import { isBounded } from '../query/raw.ts'
import { mergeAnswers, splitBySource } from '../query/split.ts'
import { toStored } from '../query/stored-result.ts'
import { type CheckRef, type FiledResult, QueryTooLarge, type QuestionOptions, type Result, type Store, type Window } from '../store.ts'
import { timedStore } from '../timed-store.ts'
import type { DefinitionHistory } from '../transfer/contents.ts'
import {
  affordable,
  aggregateCost,
  type CountResults,
  failuresCost,
  maxCost,
  pageCost,
  rawCost,
  resultCost,
  resultsCost,
  statesCost,
  totalsCost,
} from './admission/cost.ts'
import { openForReading, openForWriting } from './disk/database.ts'
import { lock } from './disk/lock.ts'
import { createLatestCache } from './latest-cache.ts'
import { startMaintenance } from './maintenance.ts'
import { openReader, type Reader, type Refusal } from './query/reader.ts'
import { openResultCounts } from './query/result-counts.ts'
import { createTotalsCache } from './totals-cache.ts'
import { type CallOptions, inlineWorker, singleWorker, storeClosed, type WorkerHandle } from './worker.ts'
import { workerPool } from './worker-pool.ts'
import { toBatches } from './write/batch.ts'
import { createWriteHealth, rethrowUnwritable } from './write/write-health.ts'
import { openWriter, type Writer } from './write/writer.ts'

export type EmbeddedOptions = {
  readonly directory: string
  /** Threads that answer questions; 0 answers in this thread. */
  readonly workers: number
  readonly clock?: () => number
  readonly log?: (problem: unknown) => void
  /** What a question may cost, in values that are read. */
  readonly maxQuestionCost?: number
  /** Called after the retention has dropped so many days, each of one check. */
  readonly dropped?: (days: number) => void
  readonly stats?: StoreStats
}

/** The store in a folder, with what only such a store can do. */
export type EmbeddedStore = Store &
  Definitions & {
    /** Seals and drops what is due now, as it does by itself from time to time. */
    maintain(): Promise<void>
    /** Seals everything. */
    seal(): Promise<void>
    /** Adds earlier or later changes of checks to those that are recorded. */
    addDefinitions(histories: readonly DefinitionHistory[]): Promise<void>
  }

/** Bytes of columns that are cached: by the first worker thread, which most questions go to, by each other one, and by this thread. */
const cacheBytes = { first: 56 * 2 ** 20, other: 8 * 2 ** 20, inline: 8 * 2 ** 20 } as const
/** Results of a scan that are in memory at a time. */
const scanSize = 1000
/** Hot results of a check may have to be sorted for every question: more of them than this would block this thread. */
const maxInlineHot = 2000

export async function createEmbeddedStore(options: EmbeddedOptions): Promise<EmbeddedStore> {
  const { directory, clock = Date.now, log = console.error, dropped = () => {}, maxQuestionCost = maxCost } = options
  const { stats = createStoreStats() } = options
  const unlock = lock(directory)
  const { readers, writer, inline } = await openWorkers(options, stats).catch((error) => {
    unlock()
    throw error
  })
  const counted = openForReading(directory)
  const counts = openResultCounts(counted)
  const latest = createLatestCache(clock)
  latest.observe(await writer.call('latest', []))
  for (const { check, location } of latest.stampedInFuture()) {
    const before = { from: 0, to: clock() + 1 }
    const query = { check, window: before, location, hasFailures: null, before: null, rowPage: { limit: 1, offset: 0 } }
    const [result] = await inline.call('results', [query])
    if (result) latest.observe([toStored({ check, result })])
  }
  const maintenance = startMaintenance(writer, { clock, log, dropped })
  const health = createWriteHealth({ clock, probe: () => writer.call('probe', []) })
  const commit = groupCommit(async (filed: readonly FiledResult[]) => {
    const { batches, indexes } = toBatches(filed)
    totals.commitStarts()
    try {
      const found = await health.observe(stats.commit.time(() => writer.call('append', [batches]))).catch(rethrowUnwritable)
      const duplicates = found.flatMap((rows, batch) => rows.map((row) => indexes[batch]?.[row] as number)).sort((a, b) => a - b)
      totals.committed(without(filed, duplicates))
      maintenance.afterCommit(filed.length)
      return duplicates
    } finally {
      totals.commitEnds()
    }
  }, stats.appendQueue.set)
  const totals = createTotalsCache({
    count: counts.committed,
    read: (source, options) => readers.call('totals', [source], { ...options, cost: totalsCost(source, counts.of) }),
    dropGeneration: maintenance.dropGeneration,
    clock,
    log,
  })
  const listeners = new Set<(added: readonly FiledResult[]) => void>()
  let closed = false
  const open = <Part>(part: Part): Part => {
    if (closed) throw storeClosed()
    return part
  }

  /** Asks the parts of a question; all of them together must be affordable. */
  const askInParts = async <Query, Answer>(
    parts: readonly Query[],
    costOf: (part: Query, count: CountResults) => number,
    call: (part: Query, options: CallOptions) => Promise<Answer>,
    options?: QuestionOptions,
  ): Promise<readonly Answer[]> => {
    open(readers)
    const costs = parts.map((part) => costOf(part, counts.of))
    const questionCost = affordable(
      costs.reduce((sum, cost) => sum + cost, 0),
      maxQuestionCost,
    )
    return batchCalls([...parts.entries()], ([i, part]) => call(part, { ...options, cost: costs[i] ?? 0, questionCost }))
  }

  const store: EmbeddedStore = {
    async append(results) {
      open(writer)
      const stored = results.map(toStored)
      const duplicates = await commit(stored)
      const added = without(stored, duplicates)
      latest.observe(added)
      if (added.length > 0) for (const announce of listeners) announce(added)
      return { duplicates }
    },
    onAppended(announce) {
      listeners.add(announce)
      return () => listeners.delete(announce)
    },
    aggregate: async (query, options) => {
      const answers = await askInParts(splitBySource(query), aggregateCost, (part, own) => readers.call('aggregate', [part], own), options)
      return mergeAnswers(query, answers.map(admitted))
    },
    raw: async (query, options) => {
      const hot = open(counts).hot(query.check)
      if (isBounded(query) && hot <= maxInlineHot) return inline.call('raw', [query], options)
      const costOf = isBounded(query) ? () => pageCost(hot) : rawCost
      const [answer = []] = await askInParts([query], costOf, (part, own) => readers.call('raw', [part], own), options)
      return answer
    },
    results: async (query, options) => {
      const [answer = []] = await askInParts([query], resultsCost, (part, own) => readers.call('results', [part], own), options)
      return answer
    },
    result: async (query, options) => {
      const [answer = null] = await askInParts([query], resultCost, (part, own) => readers.call('result', [part], own), options)
      return answer
    },
    scan: (check, window, options) => scan(readers, { check, window }, options),
    async latest(checks, options) {
      open(inline)
      options?.signal?.throwIfAborted()
      return checks.map(latest.of)
    },
    totals: async (sources, options) => {
      open(readers)
      return totals.of(sources, options)
    },
    states: async (query, options) => {
      const answers = await askInParts(splitSources(query), statesCost, (part, own) => readers.call('states', [part], own), options)
      return answers.flatMap(admitted)
    },
    outages: (query, options) =>
      newestOutages(query, async (slice) => {
        const found = await askInParts(splitSources(slice), statesCost, (part, own) => readers.call('outages', [part], own), options)
        return found.flat()
      }),
    failures: async (query, options) => {
      const found = await askInParts(splitSources(query), failuresCost, (part, own) => readers.call('failures', [part], own), options)
      return mergeFailures(found.flatMap(admitted))
    },
    recordDefinitions: async (checks, now) => open(writer).call('recordDefinitions', [checks, now]),
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
    async ready() {
      return !closed && (await health.isWritable())
    },
    maintain: maintenance.run,
    seal: maintenance.sealAll,
    addDefinitions: async (histories) => open(writer).call('addDefinitions', [histories]),
    async close() {
      if (closed) return
      closed = true
      counted.close()
      await maintenance.close()
      await readers.close()
      if (inline !== readers) await inline.close()
      await writer.close()
      unlock()
    },
  }
  return timedStore(store, stats)
}

/** A question that reads no more than it answers is cheaper in this thread than the way to another: `inline` answers those. */
type Workers = { readonly readers: WorkerHandle<Reader>; readonly writer: WorkerHandle<Writer>; readonly inline: WorkerHandle<Reader> }

async function openWorkers({ directory, workers }: EmbeddedOptions, stats: StoreStats): Promise<Workers> {
  if (workers === 0) {
    const writer = inlineWorker(openWriter(directory))
    const inline = inlineWorker(openReader(directory, cacheBytes.inline))
    return { writer, readers: inline, inline }
  }
  // Opened here once, so that a damaged or missing database is reported before any thread starts.
  openForWriting(directory).close()
  const thread = (path: string) => new URL(`./${path}-thread.js`, import.meta.url)
  const first = { directory, cacheBytes: cacheBytes.first }
  const other = { directory, cacheBytes: cacheBytes.other }
  return {
    writer: singleWorker<Writer>(thread('write/writer'), { directory }),
    readers: workerPool<Reader>(thread('query/reader'), [first, ...new Array(workers).fill(other)], {
      maxQueuedPerKey: 64,
      maxWaitMs: 15_000,
      timeLimitMs: 30_000,
      onQueue: stats.questionQueue.set,
    }),
    inline: inlineWorker(openReader(directory, cacheBytes.inline)),
  }
}

export function admitted<T extends object>(answer: T | Refusal): T {
  if ('refused' in answer) throw new QueryTooLarge(answer.refused)
  return answer
}

/** Checks whose states are computed in one call to a worker: fewer would cost more calls, more would keep other workers idle. */
const sourcesPerCall = 5

/** Queries over some of the sources each, which workers can answer side by side. */
function splitSources<Q extends { readonly sources: readonly unknown[] }>(query: Q): readonly Q[] {
  return Array.from({ length: Math.ceil(query.sources.length / sourcesPerCall) }, (_, i) => ({
    ...query,
    sources: query.sources.slice(i * sourcesPerCall, (i + 1) * sourcesPerCall),
  }))
}

type Scan = { readonly check: CheckRef; readonly window: Window }

export async function* scan(
  reader: WorkerHandle<Reader>,
  { check, window }: Scan,
  options?: QuestionOptions,
): AsyncGenerator<readonly Result[]> {
  let after: Result | null = null
  for (;;) {
    const page: readonly Result[] = await reader.call('scan', [{ check, window, after, limit: scanSize }], {
      ...options,
      cost: pageCost(scanSize),
    })
    if (page.length > 0) yield page
    if (page.length < scanSize) return
    after = page.at(-1) ?? null
  }
}

/** The items at all but these ascending indexes. */
function without<T>(items: readonly T[], indexes: readonly number[]): readonly T[] {
  if (indexes.length === 0) return items
  let next = 0
  return items.filter((_, i) => {
    if (indexes[next] !== i) return true
    next++
    return false
  })
}
