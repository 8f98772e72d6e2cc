import { dayMs, minuteMs } from '../../time.ts'
import { isBounded } from '../query/raw.ts'
import { compareText, inOrderOf, toResult, toStored } from '../query/stored-result.ts'
import type { CheckRef, FiledResult, Latest, NewResult, Result, Store, Window } from '../store.ts'
import { dayOf } from './disk/chunk.ts'
import { lock, openForWriting } from './disk/database.ts'
import { batchCalls } from './query/batch-calls.ts'
import { openReader, type Reader } from './query/reader.ts'
import { inlineWorker, singleWorker, storeClosed, type WorkerHandle, workerPool } from './worker.ts'
import { toBatches } from './write/batch.ts'
import { groupCommit } from './write/group-commit.ts'
import { openWriter, type SealOrder, type Writer } from './write/writer.ts'

export type EmbeddedOptions = {
  readonly directory: string
  /** Threads that answer questions; 0 answers in this thread. */
  readonly workers: number
  readonly clock?: () => number
  readonly retentionDays?: () => number
  readonly log?: (problem: unknown) => void
}

/** The store in a folder, and what only such a store can be told. */
export type EmbeddedStore = Store & {
  /** Seals and drops what is due now, as it does by itself from time to time. */
  maintain(): Promise<void>
  /** Seals everything. */
  seal(): Promise<void>
}

/** Bytes of columns that are kept in memory: by the threads that answer questions together, and by this one. */
const cacheBytes = { threads: 64 * 2 ** 20, nearby: 12 * 2 ** 20 } as const
const scanSize = 8000
/** Hot results of a check that are worth sealing before their day is over. */
const minResultsToSeal = 512
/** With the first commit, and after so many results, it is looked whether there is something to seal; a commit of few counts as so many. */
const sealCheck = { results: 10_000, atLeast: 320 } as const

export async function createEmbeddedStore(options: EmbeddedOptions): Promise<EmbeddedStore> {
  const { directory, clock = Date.now, retentionDays = () => 400, log = console.error } = options
  const unlock = lock(directory)
  const { reader, writer, nearby } = await openWorkers(options).catch((error) => {
    unlock()
    throw error
  })
  const newest = createLatestCache()
  newest.observe(await writer.call('latest'))
  let closed = false

  const seal = async (wanted: Omit<SealOrder, 'upTo'>) => {
    const order = { ...wanted, upTo: await writer.call('lastSegment') }
    while (!closed && (await writer.call('sealSome', order)));
  }
  const maintain = async () => {
    const today = dayOf(clock())
    await seal({ startedBefore: today * dayMs, atLeast: 1 })
    while (!closed && (await writer.call('dropOne', today - retentionDays())));
  }
  const quietly = (work: Promise<void>) => work.catch((problem) => closed || log(problem))
  let sealing: Promise<unknown> | null = null
  let resultsSinceCheck: number = sealCheck.results
  const sealSoon = () => {
    resultsSinceCheck = 0
    sealing ??= quietly(seal({ startedBefore: clock() - minuteMs, atLeast: minResultsToSeal })).finally(() => {
      sealing = null
    })
  }
  const commit = groupCommit(async (filed: readonly FiledResult[]) => {
    const { batches, indexes } = toBatches(filed)
    const known = await writer.call('append', batches)
    resultsSinceCheck += Math.max(filed.length, sealCheck.atLeast)
    if (resultsSinceCheck >= sealCheck.results) sealSoon()
    const news = new Array<boolean>(filed.length).fill(true)
    known.forEach((places, i) => {
      for (const place of places) news[indexes[i]?.[place] as number] = false
    })
    return news
  })
  const timers = [
    setTimeout(() => quietly(maintain()), minuteMs / 6).unref(),
    setInterval(() => quietly(maintain()), 10 * minuteMs).unref(),
  ]
  const open = <Module>(lane: WorkerHandle<Module>): WorkerHandle<Module> => {
    if (closed) throw storeClosed()
    return lane
  }

  return {
    async append(results) {
      open(writer)
      const news = await commit(results.map(toStored))
      newest.observe(results.filter((_, i) => news[i]))
      return news
    },
    aggregate: async (query) => open(reader).call('aggregate', query),
    aggregateMany: async (queries) => batchCalls(queries, (batch) => open(reader).call('aggregateMany', batch)),
    raw: async (query) => open(isBounded(query) ? nearby : reader).call('raw', query),
    results: async (query) => open(reader).call('results', query),
    scan: (check, window) => scan(reader, check, window),
    latest: (check) => newest.of(check),
    recordDefinitions: async (checks, now) => open(writer).call('recordDefinitions', checks, now),
    async ready() {
      return !closed
    },
    maintain,
    seal: () => seal({ startedBefore: Number.MAX_SAFE_INTEGER, atLeast: 1 }),
    async close() {
      if (closed) return
      closed = true
      for (const timer of timers) clearTimeout(timer)
      await sealing
      await reader.close()
      if (nearby !== reader) await nearby.close()
      await writer.close()
      unlock()
    },
  }
}

/** What reads no more than it answers is not worth the way to another thread: it is answered nearby. */
type Workers = { readonly reader: WorkerHandle<Reader>; readonly writer: WorkerHandle<Writer>; readonly nearby: WorkerHandle<Reader> }

async function openWorkers({ directory, workers }: EmbeddedOptions): Promise<Workers> {
  if (workers === 0) {
    const writer = inlineWorker(openWriter(directory))
    const reader = inlineWorker(openReader(directory, cacheBytes.nearby))
    return { writer, reader, nearby: reader }
  }
  // Opened here once, so that a damaged or missing database is told before any thread starts.
  openForWriting(directory).close()
  const thread = (path: string) => new URL(`./${path}-thread.js`, import.meta.url)
  return {
    writer: singleWorker<Writer>(thread('write/writer'), { directory }),
    reader: workerPool<Reader>(
      thread('query/reader'),
      { directory, rememberedBytes: Math.floor(cacheBytes.threads / workers) },
      { threads: workers, mostWaiting: 64 * workers, timeLimitMs: 30_000 },
    ),
    nearby: inlineWorker(openReader(directory, cacheBytes.nearby)),
  }
}

export async function* scan(reader: WorkerHandle<Reader>, check: CheckRef, window: Window): AsyncGenerator<readonly Result[]> {
  let after: Result | null = null
  for (;;) {
    const page: readonly Result[] = await reader.call('scan', { check, window, after, limit: scanSize })
    if (page.length > 0) yield page
    if (page.length < scanSize) return
    after = page.at(-1) ?? null
  }
}

/** The newest result of each check and location, in memory. */
function createLatestCache() {
  const byCheck = new Map<string, Map<string, NewResult>>()
  const known = new Map<string, Latest>()
  const nameOf = ({ account, checkId }: CheckRef) => `${account}\n${checkId}`
  const locationsOf = (check: CheckRef): Map<string, NewResult> => {
    const name = nameOf(check)
    const byLocation = byCheck.get(name) ?? new Map<string, NewResult>()
    byCheck.set(name, byLocation)
    known.delete(name)
    return byLocation
  }
  return {
    /** From the last on, which mostly is the newest. */
    observe(results: readonly FiledResult[]): void {
      let last: CheckRef | null = null
      let byLocation = new Map<string, NewResult>()
      for (let i = results.length - 1; i >= 0; i--) {
        const { check, result } = results[i] as FiledResult
        if (check !== last) byLocation = locationsOf(check)
        last = check
        const before = byLocation.get(result.runLocation)
        if (before && (before.startedAt > result.startedAt || inOrderOf(check)(before, result) >= 0)) continue
        byLocation.set(result.runLocation, result)
      }
    },
    of(check: CheckRef): Latest | undefined {
      const name = nameOf(check)
      const byLocation = byCheck.get(name)
      if (!byLocation) return undefined
      const results = [...byLocation.values()].sort((a, b) => compareText(a.runLocation, b.runLocation))
      const latest = known.get(name) ?? { byLocation: results.map((result) => toResult(check, result)) }
      known.set(name, latest)
      return latest
    },
  }
}
