import { backoffMs } from '../concurrency/backoff.ts'
import { type FiledResult, type Store, StoreUnavailable } from '../store/store.ts'
import { pause, type RunClock } from './clock.ts'
import type { RunnerLog } from './log.ts'
import type { OutboxFile } from './outbox-file.ts'

/** Sends results to the store, in batches, with retries while it is unavailable. */
type Outbox = {
  put(result: FiledResult): void
  /** Tries at once to store everything; once the signal is aborted, the rest goes to the file. */
  close(signal: AbortSignal): Promise<void>
}

type OutboxOptions = {
  readonly append: Store['append']
  readonly clock: RunClock
  readonly log: RunnerLog
  /** How many results are held while the store is unavailable; beyond that the oldest are dropped. */
  readonly capacity: number
  /** Where results go that cannot be stored until shutdown, and come from at the start; without it they are lost. */
  readonly file?: OutboxFile
  /** Called with how many results wait, whenever that changes. */
  readonly onQueue?: (waiting: number) => void
  /** Called with how many results were dropped. */
  readonly onDropped?: (rows: number) => void
}

const batchRows = 1000
const maxRetryMs = 30_000
const closingRetryMs = 500
/** Evidence that is held while the store is unavailable; beyond that, results wait without theirs. */
const maxEvidenceBytes = 64 * 2 ** 20

export function createOutbox({ append, clock, log, capacity, file, onQueue = () => {}, onDropped = () => {} }: OutboxOptions): Outbox {
  const waiting: FiledResult[] = []
  /** Those of the file that are not stored yet, and whether there may be more. */
  const restored = new Set<FiledResult>()
  let isRestoring = file !== undefined
  const closing = new AbortController()
  const stop = new AbortController()
  let sending: Promise<void> = Promise.resolve()
  let busy = false
  let failures = 0
  let dropped = 0
  let evidenceBytes = 0
  let rejected = { results: 0, err: null as unknown }

  function put(result: FiledResult): void {
    waiting.push(withinLimit(result))
    if (waiting.length > capacity) drop(waiting.length - capacity)
    onQueue(waiting.length)
    if (!busy) sending = drain()
  }

  function withinLimit(filed: FiledResult): FiledResult {
    const { evidence, ...bare } = filed
    if (!evidence) return filed
    if (evidenceBytes + evidence.length > maxEvidenceBytes) return bare
    evidenceBytes += evidence.length
    return filed
  }

  function shift(rows: number): void {
    for (const filed of waiting.splice(0, rows)) {
      evidenceBytes -= filed.evidence?.length ?? 0
      restored.delete(filed)
    }
    forgetRestored()
  }

  function forgetRestored(): void {
    if (!isRestoring && restored.size === 0) file?.remove()
  }

  /** Reads results that an earlier process left. */
  async function restore(from: OutboxFile): Promise<void> {
    let results = 0
    try {
      for await (const filed of from.read()) {
        if (stop.signal.aborted) return
        results++
        restored.add(filed)
        put(filed)
      }
    } catch (err) {
      log.error({ err }, 'Not all results that an earlier process has left can be read.')
    }
    isRestoring = false
    forgetRestored()
    if (results > 0) log.info({ results }, 'Results that an earlier process could not store were read.')
  }

  function drop(rows: number): void {
    shift(rows)
    if (dropped === 0) log.error({ capacity }, 'The outbox is full: the oldest results are dropped.')
    dropped += rows
    onDropped(rows)
  }

  async function drain(): Promise<void> {
    busy = true
    while (waiting.length > 0 && !stop.signal.aborted) {
      const batch = waiting.slice(0, batchRows)
      const retryMs = await send(batch)
      if (retryMs === null) remove(batch)
      if (rejected.results > 0) logRejected()
      if (retryMs === null) continue
      if (closing.signal.aborted) await pause(clock, closingRetryMs, stop.signal)
      else await pause(clock, retryMs, closing.signal)
    }
    busy = false
  }

  /** Results may have been dropped from the front since, so the end of the batch is searched for. */
  function remove(batch: readonly FiledResult[]): void {
    const last = batch.at(-1)
    shift(last === undefined ? 0 : waiting.indexOf(last) + 1)
    onQueue(waiting.length)
  }

  /** How long to wait before the next try; null when the batch is done with. */
  async function send(batch: readonly FiledResult[]): Promise<number | null> {
    try {
      await append(batch)
    } catch (error) {
      if (error instanceof StoreUnavailable) return retryDelay(error)
      if (batch.length > 1) return sendHalves(batch)
      rejected.results++
      rejected.err = error
      return null
    }
    if (failures > 0) log.info({ dropped }, 'The store is available again.')
    failures = 0
    dropped = 0
    return null
  }

  /** Finds the result that the store rejects; those that are stored already are duplicates when all are tried again. */
  async function sendHalves(batch: readonly FiledResult[]): Promise<number | null> {
    const half = batch.length >> 1
    return (await send(batch.slice(0, half))) ?? (await send(batch.slice(half)))
  }

  function logRejected(): void {
    log.error(rejected, 'The store rejected results permanently.')
    rejected = { results: 0, err: null }
  }

  function retryDelay(error: StoreUnavailable): number {
    failures += 1
    if (failures === 1) log.warn({ err: error, waiting: waiting.length }, 'The store is unavailable. Results wait in memory.')
    return backoffMs(failures, { firstMs: Math.max(1, error.retryAfterSeconds) * 1000, maxMs: maxRetryMs })
  }

  async function close(signal: AbortSignal): Promise<void> {
    closing.abort()
    await Promise.race([restoring.then(() => sending), aborted(signal)])
    stop.abort()
    if (waiting.length > 0) save(waiting)
  }

  /** Those that were restored are still in the file that they came from. */
  function save(results: readonly FiledResult[]): void {
    try {
      if (!file) throw new Error('There is no file for them.')
      const { path, evidenceDropped } = file.write(results)
      if (!isRestoring) file.remove()
      log.warn({ results: results.length, path, evidenceDropped }, 'Results that could not be stored were saved for the next start.')
    } catch (err) {
      const lost = results.filter((filed) => !restored.has(filed)).length
      log.error({ err, results: lost }, 'Results were lost: the store was unavailable until shutdown, and they could not be saved.')
    }
  }

  const restoring = file ? restore(file) : Promise.resolve()
  return { put, close }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
