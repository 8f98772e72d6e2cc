import type { Clock } from '../../src/runner/clock.ts'

type VirtualClock = Clock & {
  /** Lets time pass: every callback due is called in its order, and what it set off runs on before the next. */
  advance(byMs: number): Promise<void>
  /** Moves the wall's time alone, as an operator or a time server does. */
  jump(byMs: number): void
  /** Time passes and no callback is called, as when a process is held up. */
  stall(byMs: number): void
  /** How many callbacks are waited for. */
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

/** Promises that wait for no timer are through after this. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
