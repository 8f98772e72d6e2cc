import type { FiledResult } from '../store/store.ts'

/** Returns the locations at which checks begin to fail with these results. */
type FirstFailures = (added: readonly Pick<FiledResult, 'check' | 'result'>[]) => ReadonlySet<string>

/** Tracks which checks fail at these locations, from results in order of arrival. */
export function createFirstFailures(locations: ReadonlySet<string>): FirstFailures {
  const failing = new Map<string, Set<string>>()
  return (added) => {
    const begun = new Set<string>()
    for (const { check, result } of added) {
      const { runLocation, hasFailures } = result
      const known = failing.get(runLocation)
      if (!hasFailures) {
        if (known?.delete(check.checkId) && known.size === 0) failing.delete(runLocation)
        continue
      }
      if (known?.has(check.checkId) || !locations.has(runLocation)) continue
      failing.set(runLocation, (known ?? new Set()).add(check.checkId))
      begun.add(runLocation)
    }
    return begun
  }
}
