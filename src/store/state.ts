import type { Latest, Result } from './store.ts'

export const checkStates = ['passing', 'degraded', 'failing', 'paused', 'unknown'] as const
export type CheckState = (typeof checkStates)[number]

type Watched = { readonly activated: boolean; readonly everyMs: number; readonly locations: readonly string[] }

/** How a check stands: unknown where no result came for three periods, else as bad as the worst of its locations. */
export function checkState(check: Watched, latest: Latest | undefined, now: number): CheckState {
  if (!check.activated) return 'paused'
  const freshFrom = now - 3 * check.everyMs
  const results = latest?.byLocation ?? []
  if (!results.some(({ startedAt }) => startedAt >= freshFrom)) return 'unknown'
  const counted = currentResults(check, results, freshFrom)
  if (counted.some(({ hasFailures }) => hasFailures)) return 'failing'
  if (counted.some(({ isDegraded }) => isDegraded)) return 'degraded'
  return 'passing'
}

/** Leaves out places that a check has been taken away from: they would be remembered for ever. */
function currentResults({ locations }: Watched, results: readonly Result[], freshFrom: number): readonly Result[] {
  return results.filter(({ runLocation, startedAt }) => locations.includes(runLocation) || startedAt >= freshFrom)
}
