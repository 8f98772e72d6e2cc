export type LruCache<Key, Value> = {
  /** Marks the value as used most recently. */
  get(key: Key): Value | undefined
  /** Evicts the values used least recently until the rest fits. */
  set(key: Key, value: Value): void
  /** The cached value; created and cached if missing. */
  getOrCreate(key: Key, create: () => Value): Value
  delete(key: Key): void
}

/** LRU cache bounded by the sum of its values' sizes; by default each counts 1. */
export function lruCache<Key, Value>(capacity: number, sizeOf: (value: Value) => number = () => 1): LruCache<Key, Value> {
  const values = new Map<Key, Value>()
  let size = 0
  /** Skips moving a key that is read repeatedly: moving it to the end of the map costs more than reading it. */
  let newest: Key | undefined
  const remove = (key: Key): void => {
    const value = values.get(key)
    if (value === undefined) return
    size -= sizeOf(value)
    values.delete(key)
  }
  const get = (key: Key): Value | undefined => {
    const value = values.get(key)
    if (value === undefined || key === newest) return value
    values.delete(key)
    values.set(key, value)
    newest = key
    return value
  }
  const set = (key: Key, value: Value): void => {
    remove(key)
    values.set(key, value)
    newest = key
    size += sizeOf(value)
    if (size > capacity) evict()
  }
  const evict = (): void => {
    for (const leastRecent of values.keys()) {
      remove(leastRecent)
      if (size <= capacity) break
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

/** In characters. Clients choose the keys, and `capacity` long ones would take much memory. */
const maxKeyLength = 4096

/** Memoizes a value per key, for the `capacity` most recently used keys. Values of long keys are not cached. */
export function memoize<T>(capacity: number): (key: string, compute: () => T) => T {
  const { getOrCreate } = lruCache<string, T>(capacity)
  return (key, compute) => (key.length > maxKeyLength ? compute() : getOrCreate(key, compute))
}

/** Computes a value when it is first needed. */
export function once<T>(create: () => T): () => T {
  let created: { readonly value: T } | null = null
  return () => {
    created ??= { value: create() }
    return created.value
  }
}
