type Entry = { consumed: number; active: number; readonly parts: Ledger }

/**
 * Fair-share accounting of consumption on several levels: the path of a key is its account and the key. An idle consumer starts again level
 * with the one served last, so idling earns no credit.
 */
type Ledger = {
  /** Counts a queued or running call of this consumer. */
  enter(path: readonly string[]): void
  charge(path: readonly string[], cost: number): void
  /** Ends a call; removes a consumer without calls. */
  leave(path: readonly string[]): void
  /** Compares consumption on the first level on which the paths differ; negative if `a` has consumed less. */
  compare(a: readonly string[], b: readonly string[]): number
}

export function createLedger(): Ledger {
  const entries = new Map<string, Entry>()
  let lastServed = 0
  const entryOf = (name: string): Entry => {
    const entry = entries.get(name) ?? { consumed: lastServed, active: 0, parts: createLedger() }
    entries.set(name, entry)
    return entry
  }
  return {
    enter([name, ...rest]) {
      if (name === undefined) return
      const entry = entryOf(name)
      entry.active++
      entry.parts.enter(rest)
    },
    charge([name, ...rest], cost) {
      if (name === undefined) return
      const entry = entryOf(name)
      lastServed = Math.max(lastServed, entry.consumed)
      entry.consumed += cost
      entry.parts.charge(rest, cost)
    },
    leave([name, ...rest]) {
      if (name === undefined) return
      const entry = entryOf(name)
      entry.active--
      entry.parts.leave(rest)
      if (entry.active === 0) entries.delete(name)
    },
    compare([a, ...restA], [b, ...restB]) {
      if (a === undefined || b === undefined) return 0
      return a === b ? entryOf(a).parts.compare(restA, restB) : entryOf(a).consumed - entryOf(b).consumed
    },
  }
}
