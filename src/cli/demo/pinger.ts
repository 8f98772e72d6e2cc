import type { Check } from '../../catalogue/catalogue.ts'
import type { RunClock } from '../../runner/clock.ts'

type PingerOptions = {
  readonly checks: readonly Check[]
  readonly url: string
  readonly clock: RunClock
}

/** Simulates the jobs that ping the demo's checks: pings now, and once per period. */
export function startPinger({ checks, url, clock }: PingerOptions): { close(): void } {
  const closing = new AbortController()
  const timers = new Map<number, () => void>()
  const periods = checks.flatMap(({ checkType, settings, activated }) => {
    const expected = activated ? checkType.pingSettings?.(settings) : undefined
    return expected ? [expected.periodMs] : []
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
