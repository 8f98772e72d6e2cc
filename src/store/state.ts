import type { Latest, Result } from './store.ts'

export const checkStates = ['passing', 'degraded', 'failing', 'paused', 'unknown'] as const
export type CheckState = (typeof checkStates)[number]

type Watched = { readonly activated: boolean; readonly everyMs: number; readonly locations: readonly string[] }

/** How a check stands: unknown where no result came for three periods, else as bad as the worst of its locations. */
export function checkState(check: Watched, latest: Latest | undefined, now: number): CheckState {
  if (!check.activated) return 'paused'
  const counted = currentResults(check, latest, now)
  if (!counted.some((result) => isFresh(check, result, now))) return 'unknown'
  if (counted.some(({ hasFailures }) => hasFailures)) return 'failing'
  if (counted.some(({ isDegraded }) => isDegraded)) return 'degraded'
  return 'passing'
}

/** The newest results of a check's locations, without places that it has been taken away from: they would be remembered for ever. */
export function currentResults(check: Watched, latest: Latest | undefined, now: number): readonly Result[] {
  const results = latest?.byLocation ?? []
  return results.filter((result) => check.locations.includes(result.runLocation) || isFresh(check, result, now))
}

/** The newest of some results; the first where several started together. */
export function newestOf(results: readonly Result[]): Result | null {
  return results.reduce<Result | null>((newest, result) => (newest && newest.startedAt >= result.startedAt ? newest : result), null)
}

function isFresh({ everyMs }: Watched, { startedAt }: Result, now: number): boolean {
  return startedAt >= now - 3 * everyMs
}
