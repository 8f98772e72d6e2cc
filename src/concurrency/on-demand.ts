type Options = {
  readonly act: () => Promise<void>
  /** Between two calls of `act`. */
  readonly pause: () => Promise<void>
  readonly signal: AbortSignal
}

/**
 * Returns a function that asks for `act`: it is called at once and once more after a pause, for changes in between. Asked during
 * that, both calls follow again, so that one of them begins after each request.
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
