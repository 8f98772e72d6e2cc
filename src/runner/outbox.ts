import { backoffMs } from '../concurrency/backoff.ts'
import { checkKey } from '../ids/check-ref.ts'
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
  /** The maximum number of waiting results. Beyond it the oldest are dropped, first those that are set aside. */
  readonly capacity: number
  /** Keeps results that cannot be stored before shutdown until the next start; without it they are lost. */
  readonly file?: OutboxFile
  /** Called when the number of waiting results changes. */
  readonly onQueue?: (waiting: number) => void
  readonly onDropped?: (rows: number) => void
}

const batchRows = 1000
const maxRetryMs = 30_000
const closingRetryMs = 500
/**
 * Limit of waiting evidence. Beyond it, results that are set aside lose their evidence, oldest first; then new results are queued without
 * theirs.
 */
const maxEvidenceBytes = 64 * 2 ** 20

/** `checks` are the keys of the refused checks, if the results of all others are stored; null if the whole batch is refused. */
type Refusal = { readonly error: StoreUnavailable; readonly checks: ReadonlySet<string> | null }

export function createOutbox({ append, clock, log, capacity, file, onQueue = () => {}, onDropped = () => {} }: OutboxOptions): Outbox {
  const waiting: FiledResult[] = []
  /** Results of refused checks, set aside so that they do not block others; in order per check. */
  let aside: FiledResult[] = []
  /** The keys of refused checks, least recently tried first. */
  const refusedChecks = new Set<string>()
  /** Results from the file that are not stored yet; `isRestoring` while there may be more. */
  const restored = new Set<FiledResult>()
  let isRestoring = file !== undefined
  const closing = new AbortController()
  const stop = new AbortController()
  let sending: Promise<void> = Promise.resolve()
  let retrying: Promise<void> = Promise.resolve()
  let busy = false
  let isRetrying = false
  let isRefused = false
  let dropped = 0
  let evidenceBytes = 0
  let rejected = { results: 0, err: null as unknown }

  function put(result: FiledResult): void {
    queue(withinLimit(result))
    if (size() > capacity) drop(size() - capacity)
    onQueue(size())
    if (!busy) sending = drain()
  }

  const size = () => waiting.length + aside.length
  const isSetAside = ({ check }: FiledResult) => refusedChecks.size > 0 && refusedChecks.has(checkKey(check))
  const queue = (filed: FiledResult) => void (isSetAside(filed) ? aside : waiting).push(filed)

  function withinLimit(filed: FiledResult): FiledResult {
    const { evidence, ...bare } = filed
    if (!evidence) return filed
    for (let at = 0; at < aside.length && evidenceBytes + evidence.length > maxEvidenceBytes; at++) dropEvidence(at)
    if (evidenceBytes + evidence.length > maxEvidenceBytes) return bare
    evidenceBytes += evidence.length
    return filed
  }

  function dropEvidence(at: number): void {
    const filed = aside[at]
    if (!filed?.evidence) return
    const { evidence, ...bare } = filed
    evidenceBytes -= evidence.length
    aside[at] = bare
    if (restored.delete(filed)) restored.add(bare)
  }

  function forget(results: readonly FiledResult[]): void {
    for (const filed of results) {
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
      log.error({ err }, 'Could not read all results left by an earlier process.')
    }
    isRestoring = false
    forgetRestored()
    if (results > 0) log.info({ results }, 'Read results that an earlier process could not store.')
  }

  function drop(rows: number): void {
    forget(aside.splice(0, rows))
    forget(waiting.splice(0, size() - capacity))
    if (dropped === 0) log.error({ capacity }, 'The outbox is full: the oldest results are dropped.')
    dropped += rows
    onDropped(rows)
  }

  async function drain(): Promise<void> {
    busy = true
    for (let failures = 0; waiting.length > 0 && !stop.signal.aborted; ) {
      const batch = waiting.slice(0, batchRows)
      const refusal = await send(batch)
      logRejected()
      if (refusal?.checks === null) await beforeRetry(++failures, refusal.error)
      else {
        failures = 0
        settle(batch, refusal)
      }
    }
    busy = false
  }

  /** Results may have been dropped from the front meanwhile, so this searches for the end of the batch. */
  function settle(batch: readonly FiledResult[], refusal: Refusal | null): void {
    const last = batch.at(-1)
    const sent = waiting.splice(0, last === undefined ? 0 : waiting.indexOf(last) + 1)
    for (const key of refusal?.checks ?? []) refusedChecks.add(key)
    forget(sent.filter((filed) => !isSetAside(filed)))
    aside.push(...sent.filter(isSetAside))
    if (refusal) for (const later of waiting.splice(0)) queue(later)
    if (!isRetrying && refusal) retrying = retryRefused(refusal.error)
    onStored()
  }

  /** Tries the oldest result of each refused check; once that is stored, the other results of the check follow. */
  async function retryRefused(first: StoreUnavailable): Promise<void> {
    isRetrying = true
    let error: StoreUnavailable | undefined = first
    for (let failures = 1; aside.length > 0 && !stop.signal.aborted; ) {
      if (error) await beforeRetry(failures, error)
      if (stop.signal.aborted || aside.length === 0) break
      const batch = oldestRefused()
      const refusal = await send(batch)
      logRejected()
      const isRefusedAgain = ({ check }: FiledResult) => refusal?.checks === null || refusal?.checks.has(checkKey(check))
      const stored = batch.filter((filed) => !isRefusedAgain(filed))
      for (const { check } of batch) refusedChecks.delete(checkKey(check))
      for (const { check } of batch.filter(isRefusedAgain)) refusedChecks.add(checkKey(check))
      error = refusal?.error
      failures = stored.length > 0 ? 1 : failures + 1
      if (stored.length > 0) release(stored)
    }
    isRetrying = false
    if (aside.length === 0) refusedChecks.clear()
  }

  function oldestRefused(): readonly FiledResult[] {
    const oldest = new Map<string, FiledResult>()
    for (const filed of aside) {
      const key = checkKey(filed.check)
      if (!oldest.has(key)) oldest.set(key, filed)
    }
    for (const key of refusedChecks) if (!oldest.has(key)) refusedChecks.delete(key)
    return Array.from(refusedChecks, (key) => oldest.get(key) ?? [])
      .flat()
      .slice(0, batchRows)
  }

  /** Some results may have been dropped meanwhile. */
  function release(stored: readonly FiledResult[]): void {
    const done = new Set(stored)
    const before = aside
    aside = []
    forget(before.filter((filed) => done.has(filed)))
    for (const filed of before) if (!done.has(filed)) queue(filed)
    onStored()
    if (!busy) sending = drain()
  }

  /** Returns why results must be sent again; null if all are stored or permanently rejected. */
  async function send(batch: readonly FiledResult[]): Promise<Refusal | null> {
    try {
      await append(batch)
    } catch (error) {
      if (error instanceof StoreUnavailable) return onRefused({ error, checks: error.partly?.refusedChecks ?? null })
      if (batch.length > 1) return sendHalves(batch)
      rejected.results++
      rejected.err = error
    }
    return null
  }

  /** Bisects the batch to find the rejected result. When results that are already stored are sent again, they are duplicates. */
  async function sendHalves(batch: readonly FiledResult[]): Promise<Refusal | null> {
    const half = batch.length >> 1
    const first = await send(batch.slice(0, half))
    if (first?.checks === null) return first
    const second = await send(batch.slice(half))
    if (!first || !second?.checks) return second ?? first
    return { ...second, checks: new Set([...first.checks, ...second.checks]) }
  }

  async function beforeRetry(failures: number, { retryAfterSeconds }: StoreUnavailable): Promise<void> {
    const firstMs = Math.max(1, retryAfterSeconds) * 1000
    if (closing.signal.aborted) await pause(clock, closingRetryMs, stop.signal)
    else await pause(clock, backoffMs(failures, { firstMs, maxMs: maxRetryMs }), closing.signal)
  }

  function logRejected(): void {
    if (rejected.results === 0) return
    log.error(rejected, 'The store rejected results permanently.')
    rejected = { results: 0, err: null }
  }

  function onRefused(refusal: Refusal): Refusal {
    const { error: err, checks } = refusal
    const words = checks === null ? 'The store is unavailable. Results wait' : 'The store rejects results of some checks. They wait'
    if (!isRefused) log.warn({ err, waiting: size() }, `${words} in memory.`)
    isRefused = true
    return refusal
  }

  function onStored(): void {
    onQueue(size())
    if (aside.length > 0) return
    if (isRefused) log.info({ dropped }, 'The store is available again.')
    isRefused = false
    dropped = 0
  }

  /** Loops, since retrying returns results to the queue of `drain`. */
  async function allSent(): Promise<void> {
    while (busy || isRetrying) await Promise.all([sending, retrying])
  }

  async function close(signal: AbortSignal): Promise<void> {
    closing.abort()
    await Promise.race([restoring.then(allSent), aborted(signal)])
    stop.abort()
    if (size() > 0) save([...aside, ...waiting])
  }

  /** If saving fails, restored results are not lost: they are still in the file that they came from. */
  function save(results: readonly FiledResult[]): void {
    try {
      if (!file) throw new Error('There is no file to save them to.')
      const { path, evidenceDropped } = file.write(results)
      if (!isRestoring) file.remove()
      log.warn({ results: results.length, path, evidenceDropped }, 'Results that could not be stored were saved for the next start.')
    } catch (err) {
      const lost = results.filter((filed) => !restored.has(filed)).length
      log.error({ err, results: lost }, 'Results were lost: the store was unavailable until shutdown, and saving them failed.')
    }
  }

  const restoring = file ? restore(file) : Promise.resolve()
  return { put, close }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
