import { inTurns } from '../concurrency/turns.ts'

/** A value that is recomputed after changes: once for all waiting callers, and at most once per interval. */
export type Renewal<T> = {
  /** Call when something has changed: the value is recomputed soon. */
  invalidate(): void
  /** The value; if it is stale, the next one. */
  current(): Promise<T>
  /** Resolves to true once the value differs from `seen`; to false if the signal is aborted or this is closed first. */
  changed(seen: T, signal: AbortSignal): Promise<boolean>
  /** Resolves all waiting calls. */
  close(): void
}

/** Callers are woken in turns, since each of them builds its own answer. */
const wokenPerTurn = 8

export function createRenewal<T>(compute: () => T, minIntervalMs: number): Renewal<T> {
  const waiting = new Set<() => void>()
  let latest: { readonly value: T } | null = null
  let isStale = false
  let isResting = false
  let isClosed = false

  function invalidate(): void {
    if (!isStale && !isResting) setImmediate(renew)
    isStale = true
  }

  function renew(): void {
    if (isClosed) return
    isStale = false
    isResting = true
    latest = { value: compute() }
    setTimeout(endRest, minIntervalMs).unref()
    wake()
  }

  function endRest(): void {
    isResting = false
    if (isStale) renew()
  }

  function wake(): void {
    const woken = [...waiting]
    waiting.clear()
    inTurns(woken, wokenPerTurn, (resolve) => resolve())
  }

  function next(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        waiting.delete(end)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      waiting.add(end)
      signal?.addEventListener('abort', end)
    })
  }

  return {
    invalidate,
    async current() {
      if (latest === null) invalidate()
      if (isStale && !isClosed) await next()
      latest ??= { value: compute() }
      return latest.value
    },
    async changed(seen, signal) {
      if (latest?.value === seen && !signal.aborted && !isClosed) await next(signal)
      return !signal.aborted && !isClosed
    },
    close() {
      isClosed = true
      wake()
    },
  }
}
