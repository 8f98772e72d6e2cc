/** Turns of the event loop to wait while each one brings more items. */
const maxTurns = 1

/** Hands items that arrive within a few turns of the event loop to `handle` in one batch, so that they share its cost. */
export function coalesce<T>(handle: (batch: readonly T[]) => void): (item: T) => void {
  let batch: T[] = []
  const wait = (seen: number, turns: number) => {
    if (batch.length > seen && turns < maxTurns) {
      setImmediate(wait, batch.length, turns + 1)
      return
    }
    const ready = batch
    batch = []
    handle(ready)
  }
  return (item) => {
    if (batch.push(item) === 1) setImmediate(wait, 0, 0)
  }
}
