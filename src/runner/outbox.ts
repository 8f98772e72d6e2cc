import { type FiledResult, type Store, StoreUnavailable } from '../store/store.ts'
import { type Clock, pause } from './clock.ts'
import type { Log } from './log.ts'

/** Brings results to the store: at once, or as soon as it takes them again. */
type Outbox = {
  put(result: FiledResult): void
  /** Resolves when everything is stored, or once the signal is aborted. */
  close(signal: AbortSignal): Promise<void>
}

type OutboxOptions = {
  readonly append: Store['append']
  readonly clock: Clock
  readonly log: Log
  /** How many results are kept while the store is away; beyond, the oldest are given up. */
  readonly capacity: number
}

const batchRows = 1000
const longestPauseMs = 30_000

export function createOutbox({ append, clock, log, capacity }: OutboxOptions): Outbox {
  const waiting: FiledResult[] = []
  const giveUp = new AbortController()
  let sending: Promise<void> = Promise.resolve()
  let busy = false
  let failures = 0
  let lost = 0

  function put(result: FiledResult): void {
    waiting.push(result)
    if (waiting.length > capacity) drop(waiting.length - capacity)
    if (!busy) sending = drain()
  }

  function drop(rows: number): void {
    waiting.splice(0, rows)
    if (lost === 0) log.error({ capacity }, 'The store is away for so long that the oldest results waiting for it are given up.')
    lost += rows
  }

  async function drain(): Promise<void> {
    busy = true
    while (waiting.length > 0 && !giveUp.signal.aborted) {
      const batch = waiting.slice(0, batchRows)
      const retryMs = await send(batch)
      if (retryMs === null) remove(batch)
      else await pause(clock, retryMs, giveUp.signal)
    }
    busy = false
  }

  function remove(batch: readonly FiledResult[]): void {
    const last = batch.at(-1)
    waiting.splice(0, last === undefined ? 0 : waiting.indexOf(last) + 1)
  }

  /** How long to wait before another try; null when there is nothing to try again. */
  async function send(batch: readonly FiledResult[]): Promise<number | null> {
    try {
      await append(batch)
    } catch (error) {
      if (error instanceof StoreUnavailable) return afterRefusal(error)
      log.error({ err: error, results: batch.length }, 'The store refused results for good.')
      return null
    }
    if (failures > 0) log.info({ lost }, 'The store takes results again.')
    failures = 0
    lost = 0
    return null
  }

  function afterRefusal(error: StoreUnavailable): number {
    failures += 1
    if (failures === 1) log.warn({ err: error, waiting: waiting.length }, 'The store does not take results now. They wait in memory.')
    return Math.min(longestPauseMs, Math.max(1, error.retryAfterSeconds) * 1000 * 2 ** (failures - 1))
  }

  async function close(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => giveUp.abort(), { once: true })
    if (signal.aborted) giveUp.abort()
    await sending
    if (waiting.length > 0) log.error({ results: waiting.length }, 'Results were lost: the store did not take them before the end.')
  }

  return { put, close }
}
