import type { Definitions } from '../definitions.ts'
import { isBounded } from '../query/raw.ts'
import { mergeAnswers, splitBySource } from '../query/split.ts'
import { toStored } from '../query/stored-result.ts'
import { type CheckRef, type FiledResult, QueryTooLarge, type Result, type Store, type Window } from '../store.ts'
import { openForWriting } from './disk/database.ts'
import { lock } from './disk/lock.ts'
import { createLatestCache } from './latest-cache.ts'
import { startMaintenance } from './maintenance.ts'
import { batchCalls } from './query/batch-calls.ts'
import { firstOutages } from './query/found-outages.ts'
import { openReader, type Reader, type Refusal } from './query/reader.ts'
import { inlineWorker, singleWorker, storeClosed, type WorkerHandle } from './worker.ts'
import { workerPool } from './worker-pool.ts'
import { toBatches } from './write/batch.ts'
import { groupCommit } from './write/group-commit.ts'
import { createWriteHealth } from './write/write-health.ts'
import { openWriter, type Writer } from './write/writer.ts'

export type EmbeddedOptions = {
  readonly directory: string
  /** Threads that answer questions; 0 answers in this thread. */
  readonly workers: number
  readonly clock?: () => number
  readonly log?: (problem: unknown) => void
  /** Called after the retention has dropped so many days, each of one check. */
  readonly dropped?: (days: number) => void
}

/** The store in a folder, with what only such a store can do. */
export type EmbeddedStore = Store &
  Definitions & {
    /** Seals and drops what is due now, as it does by itself from time to time. */
    maintain(): Promise<void>
    /** Seals everything. */
    seal(): Promise<void>
  }

/** Bytes of columns that are cached: by all worker threads together, and by this thread. */
const cacheBytes = { workers: 64 * 2 ** 20, inline: 12 * 2 ** 20 } as const
const scanSize = 8000

export async function createEmbeddedStore(options: EmbeddedOptions): Promise<EmbeddedStore> {
  const { directory, clock = Date.now, log = console.error, dropped = () => {} } = options
  const unlock = lock(directory)
  const { readers, writer, inline } = await openWorkers(options).catch((error) => {
    unlock()
    throw error
  })
  const latest = createLatestCache()
  latest.observe(await writer.call('latest', []))
  const maintenance = startMaintenance(writer, { clock, log, dropped })
  const health = createWriteHealth({ clock, probe: () => writer.call('probe', []) })
  const commit = groupCommit(async (filed: readonly FiledResult[]) => {
    const { batches, indexes } = toBatches(filed)
    const duplicates = await health.observe(writer.call('append', [batches]))
    maintenance.afterCommit(filed.length)
    return duplicates.flatMap((rows, batch) => rows.map((row) => indexes[batch]?.[row] as number)).sort((a, b) => a - b)
  })
  let closed = false
  const open = <Module>(worker: WorkerHandle<Module>): WorkerHandle<Module> => {
    if (closed) throw storeClosed()
    return worker
  }

  return {
    async append(results) {
      open(writer)
      const stored = results.map(toStored)
      const duplicates = await commit(stored)
      latest.observe(duplicates.length === 0 ? stored : without(stored, duplicates))
      return { duplicates }
    },
    aggregate: async (query, signal) => {
      const answers = await batchCalls(splitBySource(query), (part) => open(readers).call('aggregate', [part], signal))
      return mergeAnswers(query, answers.map(admitted))
    },
    raw: async (query, signal) => open(isBounded(query) ? inline : readers).call('raw', [query], signal),
    results: async (query, signal) => open(readers).call('results', [query], signal),
    scan: (check, window, signal) => scan(readers, { check, window }, signal),
    async latest(checks, signal) {
      open(inline)
      signal?.throwIfAborted()
      return checks.map(latest.of)
    },
    states: async (query, signal) => {
      const answers = await batchCalls(splitSources(query), (part) => open(readers).call('states', [part], signal))
      return answers.flatMap(admitted)
    },
    outages: async (query, signal) => {
      const found = await batchCalls(splitSources(query), (part) => open(readers).call('outages', [part], signal))
      return firstOutages(found.flat(), query.limit)
    },
    recordDefinitions: async (checks, now) => open(writer).call('recordDefinitions', [checks, now]),
    async applyRetention(days) {
      open(writer)
      await maintenance.applyRetention(days)
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
    async close() {
      if (closed) return
      closed = true
      await maintenance.close()
      await readers.close()
      if (inline !== readers) await inline.close()
      await writer.close()
      unlock()
    },
  }
}

/** A question that reads no more than it answers is cheaper in this thread than the way to another: `inline` answers those. */
type Workers = { readonly readers: WorkerHandle<Reader>; readonly writer: WorkerHandle<Writer>; readonly inline: WorkerHandle<Reader> }

async function openWorkers({ directory, workers }: EmbeddedOptions): Promise<Workers> {
  if (workers === 0) {
    const writer = inlineWorker(openWriter(directory))
    const inline = inlineWorker(openReader(directory, cacheBytes.inline))
    return { writer, readers: inline, inline }
  }
  // Opened here once, so that a damaged or missing database is reported before any thread starts.
  openForWriting(directory).close()
  const thread = (path: string) => new URL(`./${path}-thread.js`, import.meta.url)
  return {
    writer: singleWorker<Writer>(thread('write/writer'), { directory }),
    readers: workerPool<Reader>(
      thread('query/reader'),
      { directory, cacheBytes: Math.floor(cacheBytes.workers / workers) },
      { threads: workers, maxQueued: 64 * workers, timeLimitMs: 30_000 },
    ),
    inline: inlineWorker(openReader(directory, cacheBytes.inline)),
  }
}

function admitted<T extends object>(answer: T | Refusal): T {
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
  signal?: AbortSignal,
): AsyncGenerator<readonly Result[]> {
  let after: Result | null = null
  for (;;) {
    const page: readonly Result[] = await reader.call('scan', [{ check, window, after, limit: scanSize }], signal)
    if (page.length > 0) yield page
    if (page.length < scanSize) return
    after = page.at(-1) ?? null
  }
}

/** The items at all but these ascending indexes. */
function without<T>(items: readonly T[], indexes: readonly number[]): T[] {
  let next = 0
  return items.filter((_, i) => {
    if (indexes[next] !== i) return true
    next++
    return false
  })
}
