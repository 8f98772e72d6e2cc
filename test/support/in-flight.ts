/** Calls that are under way. */
export function createInFlight() {
  const calls = new Set<Promise<unknown>>()
  return {
    track<T>(call: Promise<T>): Promise<T> {
      calls.add(call)
      const ended = () => void calls.delete(call)
      call.then(ended, ended)
      return call
    },
    /** Resolves once none is under way, nor one that followed from another. */
    async idle(): Promise<void> {
      while (calls.size > 0) {
        await Promise.allSettled(calls)
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}
