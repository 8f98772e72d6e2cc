/** Lets at most so many pass at a time; the others wait in the order they came. */
type Gate = {
  /** Resolves to what gives the place back, or to undefined if the signal was aborted while waiting. */
  enter(signal: AbortSignal): Promise<(() => void) | undefined>
  waiting(): number
}

export function createGate(places: number): Gate {
  let taken = 0
  const queue = new Set<() => void>()

  function leave(): void {
    taken -= 1
    const [next] = queue
    next?.()
  }

  function take(): () => void {
    taken += 1
    let left = false
    return () => {
      if (left) return
      left = true
      leave()
    }
  }

  function wait(signal: AbortSignal): Promise<(() => void) | undefined> {
    return new Promise((resolve) => {
      const end = (outcome: (() => void) | undefined) => {
        queue.delete(admit)
        signal.removeEventListener('abort', giveUp)
        resolve(outcome)
      }
      const admit = () => end(take())
      const giveUp = () => end(undefined)
      queue.add(admit)
      signal.addEventListener('abort', giveUp)
    })
  }

  return {
    async enter(signal) {
      if (signal.aborted) return undefined
      return taken < places ? take() : wait(signal)
    },
    waiting: () => queue.size,
  }
}
