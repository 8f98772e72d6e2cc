import { StoreUnavailable } from './store.ts'

type WriteHealthOptions = {
  readonly clock: () => number
  readonly probe: () => Promise<void>
  /** How long after a failure the next small write finds out. */
  readonly retryAfterMs: number
  /** How long one success counts; for ever where no other process can take away the resources. */
  readonly trustMs?: number
}

/** Whether results can be written, or why not: not while commits fail. Some time after the last commit, a small write finds out. */
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
  const isTrusted = () => trustMs === Number.POSITIVE_INFINITY || (succeededAt !== null && clock() - succeededAt < trustMs)
  const isDue = () => (failedAt === null ? !isTrusted() : clock() - failedAt >= retryAfterMs)
  /** Concurrent callers share the same small write. */
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
    /** A write has failed, which others need not: the next small write finds out. */
    doubt(): void {
      succeededAt = null
    },
    /** Rejects with the last failure where that says why. */
    async isWritable(): Promise<boolean> {
      if (isDue()) await probeOnce()
      if (failedAt === null) return true
      if (failure instanceof StoreUnavailable) throw failure
      return false
    },
  }
}
