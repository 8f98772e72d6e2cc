import { inTurns } from '../concurrency/turns.ts'

/** A value that is computed once per change, however many wait for it, and no more often than once per interval. */
export type Renewal<T> = {
  /** Something has changed: the value is computed again soon. */
  invalidate(): void
  /** The value; where something has changed since it was computed, the next one. */
  current(): Promise<T>
  /** Resolves to true once there is another value than this one; to false where the signal is aborted or this is closed before. */
  changed(seen: T, signal: AbortSignal): Promise<boolean>
  /** Ends all waiting. */
  close(): void
}

/** Each waiting caller makes its own answer. */
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
