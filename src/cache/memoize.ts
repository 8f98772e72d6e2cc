import { lruCache } from './lru-cache.ts'

/** In characters: clients choose the keys, and `capacity` long ones would take much memory. */
const maxKeyLength = 4096

/** Computes a value per key once, as long as it is among the `capacity` most recently used ones. Values of long keys are not cached. */
export function memoize<T>(capacity: number): (key: string, compute: () => T) => T {
  const { getOrCreate } = lruCache<string, T>(capacity)
  return (key, compute) => (key.length > maxKeyLength ? compute() : getOrCreate(key, compute))
}
