/** Time comes in two kinds: the wall's, which results are stamped with, and a steady one, which decides when things happen. */
export type Clock = {
  /** Epoch milliseconds; may jump either way. */
  now(): number
  /** Milliseconds since some start; never jumps. */
  monotonic(): number
  /** Calls back once after that many milliseconds; what it returns calls it off. */
  after(delayMs: number, callback: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after,
}

/** Resolves after that many milliseconds, or at once when the signal is aborted. */
export function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
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

const longestTimerMs = 2 ** 31 - 1

function after(delayMs: number, callback: () => void): () => void {
  let timer: NodeJS.Timeout
  const arm = (leftMs: number) => {
    const stepMs = Math.min(leftMs, longestTimerMs)
    timer = setTimeout(() => (leftMs > stepMs ? arm(leftMs - stepMs) : callback()), stepMs)
  }
  arm(Math.max(0, delayMs))
  return () => clearTimeout(timer)
}
