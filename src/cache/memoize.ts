import { lruCache } from './lru-cache.ts'

/** Computes a value per key once, as long as it is among the `capacity` most recently used ones. */
export function memoize<T>(capacity: number): (key: string, compute: () => T) => T {
  return lruCache<string, T>(capacity).getOrCreate
}
