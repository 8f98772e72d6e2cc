import { isRecent } from '../time.ts'
import { StoreUnavailable } from './store.ts'

type WriteHealthOptions = {
  readonly clock: () => number
  readonly probe: () => Promise<void>
  /** Delay between a failure and the next probe. */
  readonly retryAfterMs: number
  /** The time for which a success is trusted; forever if no other process can use up the resources. */
  readonly trustMs?: number
}

/** Tracks whether results can be written. A small write probes it some time after a failure, or when the last success is too old. */
export function createWriteHealth({ clock, probe, retryAfterMs, trustMs = Number.POSITIVE_INFINITY }: WriteHealthOptions) {
  let succeededAt: number | null = null
  let failedAt: number | null = null
  let failure: unknown = null
  let probing: Promise<void> | null = null

  const succeeded = () => {
    succeededAt = clock()
    failedAt = null
  }
  const observe = async <T>(write: Promise<T>): Promise<T> => {
    try {
      const outcome = await write
      succeeded()
      return outcome
    } catch (error) {
      failedAt = clock()
      failure = error
      throw error
    }
  }
  const isTrusted = () => trustMs === Number.POSITIVE_INFINITY || (succeededAt !== null && isRecent(succeededAt, trustMs, clock()))
  const isDue = () => (failedAt === null ? !isTrusted() : !isRecent(failedAt, retryAfterMs, clock()))
  /** Concurrent callers share one probe. */
  const probeOnce = () => {
    probing ??= observe(probe())
      .catch(() => {})
      .finally(() => {
        probing = null
      })
    return probing
  }
  return {
    observe,
    succeeded,
    /** A write has failed for a reason that may not affect others: the next check probes. */
    doubt(): void {
      succeededAt = null
    },
    /** Rejects with the last failure if it states the reason. */
    async isWritable(): Promise<boolean> {
      if (isDue()) await probeOnce()
      if (failedAt === null) return true
      if (failure instanceof StoreUnavailable) throw failure
      return false
    },
  }
}
