import { lruCache } from './lru-cache.ts'

/** Creates the value of a key once, and again only after `maxEntries` other keys were used. */
export function memoize<T>(maxEntries: number): (key: string, create: () => T) => T {
  return lruCache<string, T>(maxEntries).getOrCreate
}
