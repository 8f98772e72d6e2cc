/** Remembers values up to a size in all; what was asked for longest ago is forgotten first. */
export function lruCache<Key, Value>(most: number, sizeOf: (value: Value) => number) {
  const known = new Map<Key, Value>()
  let size = 0
  const forget = (key: Key) => {
    const value = known.get(key)
    if (value === undefined) return
    size -= sizeOf(value)
    known.delete(key)
  }
  return {
    get(key: Key): Value | undefined {
      const value = known.get(key)
      if (value === undefined) return undefined
      known.delete(key)
      known.set(key, value)
      return value
    },
    set(key: Key, value: Value): void {
      forget(key)
      known.set(key, value)
      size += sizeOf(value)
      for (const oldest of known.keys()) {
        if (size <= most) break
        forget(oldest)
      }
    },
    forget,
  }
}
