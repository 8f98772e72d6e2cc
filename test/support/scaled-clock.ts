import { type RunClock, systemClock } from '../../src/runner/clock.ts'

/** A clock that runs `factor` times as fast as the system clock. */
export function scaledClock(factor: number): RunClock {
  const begun = { now: systemClock.now(), monotonic: systemClock.monotonic() }
  const elapsed = () => (systemClock.monotonic() - begun.monotonic) * factor
  return {
    now: () => begun.now + elapsed(),
    monotonic: () => begun.monotonic + elapsed(),
    after: (delayMs, callback) => systemClock.after(delayMs / factor, callback),
  }
}
