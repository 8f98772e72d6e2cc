import { lruCache } from './lru-cache.ts'

/** Computes a value per key once, as long as it is among the `capacity` most recently used ones. */
export function memoize<T>(capacity: number): (key: string, compute: () => T) => T {
  const cache = lruCache<string, T>(capacity)
  return (key, compute) => {
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const value = compute()
    cache.set(key, value)
    return value
  }
}

/** Computes what is derived from an object once, as long as the object lives. */
export function memoizeByIdentity<Key extends object, Value extends object>(): (key: Key, compute: () => Value) => Value {
  const cache = new WeakMap<Key, Value>()
  return (key, compute) => {
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const value = compute()
    cache.set(key, value)
    return value
  }
}
