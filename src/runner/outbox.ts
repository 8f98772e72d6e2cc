import { type FiledResult, type Store, StoreUnavailable } from '../store/store.ts'
import { type Clock, pause } from './clock.ts'
import type { Log } from './log.ts'

/** Sends results to the store, in batches, with retries while it is unavailable. */
type Outbox = {
  put(result: FiledResult): void
  /** Resolves when everything is stored, or once the signal is aborted. */
  close(signal: AbortSignal): Promise<void>
}

type OutboxOptions = {
  readonly append: Store['append']
  readonly clock: Clock
  readonly log: Log
  /** How many results are held while the store is unavailable; beyond that the oldest are dropped. */
  readonly capacity: number
  /** Told how many results wait, whenever that changes. */
  readonly onQueue?: (waiting: number) => void
  /** Told how many results were dropped, whenever some are. */
  readonly onDropped?: (rows: number) => void
}

const batchRows = 1000
const maxRetryMs = 30_000
/** Evidence that is held while the store is unavailable; beyond that, results wait without theirs. */
const maxEvidenceBytes = 64 * 2 ** 20

export function createOutbox({ append, clock, log, capacity, onQueue = () => {}, onDropped = () => {} }: OutboxOptions): Outbox {
  const waiting: FiledResult[] = []
  const stop = new AbortController()
  let sending: Promise<void> = Promise.resolve()
  let busy = false
  let failures = 0
  let dropped = 0
  let evidenceBytes = 0

  function put(result: FiledResult): void {
    waiting.push(withinLimit(result))
    if (waiting.length > capacity) drop(waiting.length - capacity)
    onQueue(waiting.length)
    if (!busy) sending = drain()
  }

  function withinLimit({ check, result, evidence }: FiledResult): FiledResult {
    if (!evidence || evidenceBytes + evidence.length > maxEvidenceBytes) return { check, result }
    evidenceBytes += evidence.length
    return { check, result, evidence }
  }

  function shift(rows: number): void {
    for (const { evidence } of waiting.splice(0, rows)) evidenceBytes -= evidence?.length ?? 0
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
      else await pause(clock, retryMs, stop.signal)
    }
    busy = false
  }

  /** Results may have been dropped from the front meanwhile, so the end of the batch is searched for. */
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
      log.error({ err: error, results: batch.length }, 'The store rejected results permanently.')
      return null
    }
    if (failures > 0) log.info({ dropped }, 'The store is available again.')
    failures = 0
    dropped = 0
    return null
  }

  function retryDelay(error: StoreUnavailable): number {
    failures += 1
    if (failures === 1) log.warn({ err: error, waiting: waiting.length }, 'The store is unavailable. Results wait in memory.')
    return Math.min(maxRetryMs, Math.max(1, error.retryAfterSeconds) * 1000 * 2 ** (failures - 1))
  }

  async function close(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => stop.abort(), { once: true })
    if (signal.aborted) stop.abort()
    await sending
    if (waiting.length > 0) log.error({ results: waiting.length }, 'Results were lost: the store was unavailable until shutdown.')
  }

  return { put, close }
}
