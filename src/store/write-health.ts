type WriteHealthOptions = {
  readonly clock: () => number
  readonly probe: () => Promise<void>
  /** How long after a failure the next small write finds out. */
  readonly retryAfterMs: number
}

/** Whether results can be written: not while commits fail. Some time after the last failure, a small write finds out. */
export function createWriteHealth({ clock, probe, retryAfterMs }: WriteHealthOptions) {
  let failedAt: number | null = null

  const observe = async <T>(write: Promise<T>): Promise<T> => {
    try {
      const outcome = await write
      failedAt = null
      return outcome
    } catch (error) {
      failedAt = clock()
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
    async isWritable(): Promise<boolean> {
      if (failedAt === null) return true
      return clock() - failedAt >= retryAfterMs ? probed() : false
    },
  }
}
