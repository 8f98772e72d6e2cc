type Options = {
  readonly act: () => Promise<void>
  /** Between two calls of `act`. */
  readonly pause: () => Promise<void>
  readonly signal: AbortSignal
}

/**
 * Returns a function that requests `act`: it runs immediately, and once more after a pause, to catch changes in between. A request during
 * these runs schedules both again, so that a run always begins after each request.
 */
export function createOnDemand({ act, pause, signal }: Options): () => void {
  let left = 0
  let isActing = false
  async function work(): Promise<void> {
    while (left > 0 && !signal.aborted) {
      left--
      await act()
      await pause()
    }
    isActing = false
  }
  return () => {
    left = 2
    if (isActing || signal.aborted) return
    isActing = true
    void work()
  }
}
