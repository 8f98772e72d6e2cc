/** Tracks pending calls. */
export function createInFlight() {
  const calls = new Set<Promise<unknown>>()
  return {
    track<T>(call: Promise<T>): Promise<T> {
      calls.add(call)
      const ended = () => void calls.delete(call)
      call.then(ended, ended)
      return call
    },
    /** Resolves once no call is pending, including calls that followed from others. */
    async idle(): Promise<void> {
      while (calls.size > 0) {
        await Promise.allSettled(calls)
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}
