/** A cache bounded by the total size of its values; the least recently used are evicted first. */
export type LruCache<Key, Value> = {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
  /** The cached value, or else a new one, which is cached. */
  getOrCreate(key: Key, create: () => Value): Value
  delete(key: Key): void
}

export function lruCache<Key, Value>(maxSize: number, sizeOf: (value: Value) => number = () => 1): LruCache<Key, Value> {
  const entries = new Map<Key, Value>()
  let size = 0
  const remove = (key: Key) => {
    const value = entries.get(key)
    if (value === undefined) return
    size -= sizeOf(value)
    entries.delete(key)
  }
  const get = (key: Key): Value | undefined => {
    const value = entries.get(key)
    if (value === undefined) return undefined
    entries.delete(key)
    entries.set(key, value)
    return value
  }
  const set = (key: Key, value: Value): void => {
    remove(key)
    entries.set(key, value)
    size += sizeOf(value)
    for (const oldest of entries.keys()) {
      if (size <= maxSize) break
      remove(oldest)
    }
  }
  return {
    get,
    set,
    getOrCreate(key, create) {
      const cached = get(key)
      if (cached !== undefined) return cached
      const created = create()
      set(key, created)
      return created
    },
    delete: remove,
  }
}
