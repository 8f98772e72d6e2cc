import type { RunClock } from '../../src/runner/clock.ts'

type VirtualClock = RunClock & {
  /** Advances time and calls due callbacks in order. Callbacks of one instant run together, and promises settle before the next instant. */
  advance(byMs: number): Promise<void>
  /** Changes only the wall clock, like an operator or NTP. */
  jump(byMs: number): void
  /** Advances time without calling callbacks, like a suspended process. */
  stall(byMs: number): void
  pending(): number
}

type Timer = { readonly at: number; readonly callback: () => void }

/** `idle` resolves once no work is pending that promises do not show, such as a request to a server. */
export function virtualClock(startMs: number, idle: () => Promise<void> = async () => {}): VirtualClock {
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
      callDue(next.at)
      await settle()
    }
    steady = until
  }

  /** A callback may cancel another that is due at the same instant. */
  function callDue(at: number): void {
    for (const timer of [...timers].filter((timer) => timer.at === at)) if (timers.delete(timer)) timer.callback()
  }

  async function settle(): Promise<void> {
    await afterPromises()
    await idle()
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

/** Resolves after all promises that do not wait for a timer. */
function afterPromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
