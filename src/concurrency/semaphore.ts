/** Counting semaphore with a FIFO queue. */
export type Semaphore = {
  /** Resolves to a release function, or to undefined if the signal is aborted while waiting. */
  acquire(signal: AbortSignal): Promise<(() => void) | undefined>
  /** A release function, or undefined if no permit is free. */
  tryAcquire(): (() => void) | undefined
  waiting(): number
}

export function createSemaphore(permits: number): Semaphore {
  let held = 0
  const queue = new Set<() => void>()

  function release(): void {
    held -= 1
    const [next] = queue
    next?.()
  }

  function hold(): () => void {
    held += 1
    let released = false
    return () => {
      if (released) return
      released = true
      release()
    }
  }

  function wait(signal: AbortSignal): Promise<(() => void) | undefined> {
    return new Promise((resolve) => {
      const end = (outcome: (() => void) | undefined) => {
        queue.delete(proceed)
        signal.removeEventListener('abort', cancel)
        resolve(outcome)
      }
      const proceed = () => end(hold())
      const cancel = () => end(undefined)
      queue.add(proceed)
      signal.addEventListener('abort', cancel)
    })
  }

  return {
    async acquire(signal) {
      if (signal.aborted) return undefined
      return held < permits ? hold() : wait(signal)
    },
    tryAcquire: () => (held < permits ? hold() : undefined),
    waiting: () => queue.size,
  }
}
