import type { Clock } from '../../src/runner/clock.ts'

type VirtualClock = Clock & {
  /** Advances time: due callbacks are called in order, and promises settle before the next one. */
  advance(byMs: number): Promise<void>
  /** Changes only the wall clock, as an operator or NTP does. */
  jump(byMs: number): void
  /** Advances time without calling callbacks, as when a process is suspended. */
  stall(byMs: number): void
  /** How many timers are pending. */
  pending(): number
}

type Timer = { readonly at: number; readonly callback: () => void }

export function virtualClock(startMs: number): VirtualClock {
  const timers = new Set<Timer>()
  let steady = 5000
  let wallOffset = startMs - steady

  function after(delayMs: number, callback: () => void): () => void {
    const timer = { at: steady + Math.max(0, delayMs), callback }
    timers.add(timer)
    return () => timers.delete(timer)
  }

  async function advance(byMs: number): Promise<void> {
    const until = steady + byMs
    await settle()
    for (let next = earliest(); next && next.at <= until; next = earliest()) {
      steady = Math.max(steady, next.at)
      timers.delete(next)
      next.callback()
      await settle()
    }
    steady = until
  }

  function earliest(): Timer | undefined {
    let first: Timer | undefined
    for (const timer of timers) if (!first || timer.at < first.at) first = timer
    return first
  }

  return {
    now: () => steady + wallOffset,
    monotonic: () => steady,
    after,
    advance,
    jump: (byMs) => {
      wallOffset += byMs
    },
    stall: (byMs) => {
      steady += byMs
    },
    pending: () => timers.size,
  }
}

/** Promises that do not wait for a timer are settled after this. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
