/** Counts what each key has under way. */
export type KeyedSlots = {
  /** Takes one of `limit` slots of a key; returns what gives it back, or null where all are taken. */
  take(key: string, limit: number): (() => void) | null
}

export function createKeyedSlots(): KeyedSlots {
  const taken = new Map<string, number>()
  return {
    take(key, limit) {
      const count = taken.get(key) ?? 0
      if (count >= limit) return null
      taken.set(key, count + 1)
      let isTaken = true
      return () => {
        if (!isTaken) return
        isTaken = false
        const left = (taken.get(key) ?? 1) - 1
        if (left === 0) taken.delete(key)
        else taken.set(key, left)
      }
    },
  }
}
