import type { Check } from '../../catalogue/catalogue.ts'
import type { Clock } from '../../runner/clock.ts'

type PingerOptions = {
  readonly checks: readonly Check[]
  /** What is called for each ping. */
  readonly url: string
  readonly clock: Clock
}

/** Stands in for the jobs that the demo's pinged checks wait for: pings now, and once in each period. */
export function startPinger({ checks, url, clock }: PingerOptions): { close(): void } {
  const closing = new AbortController()
  const timers = new Map<number, () => void>()
  const periods = checks.flatMap(({ checkType, settings, activated }) => {
    const pinged = activated ? checkType.pinged?.(settings) : undefined
    return pinged ? [pinged.periodMs] : []
  })

  function ping(periodMs: number): void {
    timers.set(
      periodMs,
      clock.after(periodMs, () => ping(periodMs)),
    )
    fetch(url, { signal: closing.signal }).then(
      (answer) => answer.body?.cancel(),
      () => {},
    )
  }

  for (const periodMs of new Set(periods)) ping(periodMs)
  return {
    close() {
      for (const cancel of timers.values()) cancel()
      closing.abort()
    },
  }
}
