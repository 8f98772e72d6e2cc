import { StoreUnavailable } from './store.ts'

type WriteHealthOptions = {
  readonly clock: () => number
  readonly probe: () => Promise<void>
  /** How long after a failure the next small write finds out. */
  readonly retryAfterMs: number
}

/** Whether results can be written, or why not: not while commits fail. Some time after the last failure, a small write finds out. */
export function createWriteHealth({ clock, probe, retryAfterMs }: WriteHealthOptions) {
  let failedAt: number | null = null
  let failure: unknown = null

  const observe = async <T>(write: Promise<T>): Promise<T> => {
    try {
      const outcome = await write
      failedAt = null
      return outcome
    } catch (error) {
      failedAt = clock()
      failure = error
      throw error
    }
  }
  const probed = () =>
    observe(probe()).then(
      () => true,
      () => false,
    )
  return {
    observe,
    /** Rejects with the last failure where that says why. */
    async isWritable(): Promise<boolean> {
      if (failedAt === null) return true
      if (clock() - failedAt >= retryAfterMs && (await probed())) return true
      if (failure instanceof StoreUnavailable) throw failure
      return false
    },
  }
}
