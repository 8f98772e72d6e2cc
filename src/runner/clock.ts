/** Wall-clock time stamps results; monotonic time drives schedules and timeouts. */
export type RunClock = {
  /** Epoch milliseconds; may jump either way. */
  now(): number
  /** Milliseconds since an arbitrary origin; never jumps. */
  monotonic(): number
  /** Calls back once after `delayMs`; returns a cancel function. */
  after(delayMs: number, callback: () => void): () => void
}

export const systemClock: RunClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after,
}

/** Resolves after `delayMs`, or as soon as the signal is aborted. */
export function pause(clock: RunClock, delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const end = () => {
      cancel()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const cancel = clock.after(delayMs, end)
    signal.addEventListener('abort', end)
  })
}

const maxTimerMs = 2 ** 31 - 1

function after(delayMs: number, callback: () => void): () => void {
  let timer: NodeJS.Timeout
  const arm = (leftMs: number) => {
    const stepMs = Math.min(leftMs, maxTimerMs)
    timer = setTimeout(() => (leftMs > stepMs ? arm(leftMs - stepMs) : callback()), stepMs)
  }
  arm(Math.max(0, delayMs))
  return () => clearTimeout(timer)
}
