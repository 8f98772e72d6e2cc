type SharedCache<Value> = {
  /** Marks the value as used most recently. */
  get(key: string): Value | undefined
  set(key: string, value: Value, owner: string): void
}

type Entry<Value> = { readonly value: Value; readonly owner: string }
type Share<Value> = { size: number; readonly entries: Map<string, Entry<Value>> }

/**
 * LRU cache shared by several owners, bounded by the sum of its values' sizes. Evicts from the owner with the largest share first, so that
 * each can have an equal share, regardless of how much others store.
 */
export function sharedCache<Value>(capacity: number, sizeOf: (value: Value) => number): SharedCache<Value> {
  const owners = new Map<string, string>()
  const shares = new Map<string, Share<Value>>()
  let size = 0

  function remove(key: string): void {
    const owner = owners.get(key)
    const share = owner === undefined ? undefined : shares.get(owner)
    const entry = share?.entries.get(key)
    if (!share || !entry) return
    const freed = sizeOf(entry.value)
    size -= freed
    share.size -= freed
    owners.delete(key)
    share.entries.delete(key)
    if (share.entries.size === 0) shares.delete(entry.owner)
  }
  function add(key: string, entry: Entry<Value>): void {
    const share = shares.get(entry.owner) ?? { size: 0, entries: new Map<string, Entry<Value>>() }
    const added = sizeOf(entry.value)
    size += added
    share.size += added
    owners.set(key, entry.owner)
    share.entries.set(key, entry)
    shares.set(entry.owner, share)
  }
  function evict(): void {
    const largest = [...shares.values()].reduce((most, share) => (share.size > most.size ? share : most))
    const [oldest] = largest.entries.keys()
    if (oldest !== undefined) remove(oldest)
  }
  return {
    get(key) {
      const entries = shares.get(owners.get(key) ?? '')?.entries
      const entry = entries?.get(key)
      if (!entries || !entry) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    set(key, value, owner) {
      remove(key)
      add(key, { value, owner })
      while (size > capacity) evict()
    },
  }
}
