import { dayMs, hourMs } from '../time.ts'

type PauseOptions = {
  readonly clock: () => number
  readonly log: (problem: unknown) => void
  readonly monotonic?: () => number
}

/** A clock that went ahead by more than this may be wrong, and what a retention drops is gone: there is this much time to set it right. */
const jumpMs = dayMs
const pauseMs = hourMs

/** Returns a function that says whether the retention must wait because the clock went ahead since an earlier call. */
export function createRetentionPause({ clock, log, monotonic = () => performance.now() }: PauseOptions): () => boolean {
  let offsetMs = clock() - monotonic()
  let pausedUntil = Number.NEGATIVE_INFINITY
  return () => {
    const now = monotonic()
    const aheadMs = clock() - now - offsetMs
    offsetMs += aheadMs
    if (aheadMs > jumpMs) {
      pausedUntil = now + pauseMs
      log(`The system clock went ahead by ${Math.round(aheadMs / dayMs)} days. The retention drops nothing for an hour.`)
    }
    if (aheadMs < -jumpMs) pausedUntil = Number.NEGATIVE_INFINITY
    return now < pausedUntil
  }
}
