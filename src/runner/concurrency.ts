import type { Semaphore } from '../concurrency/semaphore.ts'
import type { RunClock } from './clock.ts'

/**
 * Limits of concurrent runs: `heavy` for browsers and test runners, `light` for all others. A light run that takes long, such as one whose
 * target hangs, counts as `slow` instead, so that it does not delay other runs.
 */
export type ConcurrencyLimits = { readonly light: number; readonly slow: number; readonly heavy: number }

type Machine = { readonly cores: number; readonly memoryBytes: number }
type Configured = { readonly light: number | null; readonly heavy: number | null }

const mebibyte = 2 ** 20
const perCore = { light: 250, heavy: 1 }
const bytesPerRun = { light: 16 * mebibyte, heavy: 1024 * mebibyte }

/** The configured limits; by default from the cores and memory of the machine. */
export function concurrencyLimits({ cores, memoryBytes }: Machine, configured: Configured): ConcurrencyLimits {
  const capacity = (kind: 'light' | 'heavy') => Math.floor(Math.min(cores * perCore[kind], memoryBytes / bytesPerRun[kind]))
  const light = configured.light ?? clamp(capacity('light'), 100, 500)
  return { light, slow: 4 * light, heavy: configured.heavy ?? clamp(capacity('heavy'), 1, 8) }
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value))
}

const slowAfterMs = 2000

/** A permit of `semaphore` that is held for long is exchanged for one of `slow`, if one is free. */
export function withSlowGate(semaphore: Semaphore, slow: Semaphore, clock: RunClock): Pick<Semaphore, 'acquire'> {
  return {
    async acquire(signal) {
      const releaseFast = await semaphore.acquire(signal)
      if (releaseFast === undefined) return undefined
      let release = releaseFast
      const cancelTimer = clock.after(slowAfterMs, () => {
        const releaseSlow = slow.tryAcquire()
        if (releaseSlow === undefined) return
        release()
        release = releaseSlow
      })
      return () => {
        cancelTimer()
        release()
      }
    },
  }
}
