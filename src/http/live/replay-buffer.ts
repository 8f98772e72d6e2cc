type Slot<T> = { readonly item: T; readonly bytes: number }

/** The newest items in the order in which they were added, each with a number; the oldest ones are dropped beyond the limits. */
export type ReplayBuffer<T> = {
  /** The number of the oldest item that is kept. */
  first(): number
  /** The number that the next item will have. */
  end(): number
  push(item: T, bytes: number): void
  at(number: number): T | undefined
}

export function createReplayBuffer<T>({ items: maxItems, bytes: maxBytes }: { items: number; bytes: number }): ReplayBuffer<T> {
  const ring: (Slot<T> | undefined)[] = []
  let first = 0
  let end = 0
  let bytes = 0
  const dropOldest = () => {
    bytes -= ring[first % maxItems]?.bytes ?? 0
    ring[first % maxItems] = undefined
    first++
  }
  return {
    first: () => first,
    end: () => end,
    push(item, size) {
      if (end - first === maxItems) dropOldest()
      ring[end % maxItems] = { item, bytes: size }
      end++
      bytes += size
      while (bytes > maxBytes) dropOldest()
    },
    at: (number) => (number >= first && number < end ? ring[number % maxItems]?.item : undefined),
  }
}
