import type { CheckType } from '../checks/define.ts'
import { runLocationsOf } from '../checks/probe/pings.ts'
import type { Latest, Result } from './store.ts'

export const checkStates = ['passing', 'degraded', 'failing', 'paused', 'unknown'] as const
export type CheckState = (typeof checkStates)[number]

type CheckSchedule = {
  readonly activated: boolean
  readonly everyMs: number
  readonly locations: readonly string[]
  /** The locations whose runs are made by agents. */
  readonly agentLocations: readonly string[]
  readonly runParallel: boolean
  readonly checkType: Pick<CheckType, 'pingSettings'>
}

/** The only rule for a check's state: unknown without a result for three periods, otherwise the worst state of its locations. */
export function checkState(check: CheckSchedule, latest: Latest | undefined, now: number): CheckState {
  if (!check.activated) return 'paused'
  const current = currentResults(check, latest, now)
  return current.some((result) => isFresh(check, result, now)) ? worstOf(current) : 'unknown'
}

export type LocationState = { readonly runLocation: string; readonly state: CheckState; readonly newest: Result | null }

/**
 * The state of each location; the state of the check is the worst of them. A passing result holds for three runs of its location, a failing
 * or degraded one until the next.
 */
export function locationStates(
  check: CheckSchedule & { readonly runParallel: boolean },
  latest: Latest | undefined,
  now: number,
): readonly LocationState[] {
  const current = currentResults(check, latest, now)
  const whole = checkState(check, latest, now)
  const known = whole !== 'paused' && whole !== 'unknown'
  const everyMs = check.everyMs * (check.runParallel ? 1 : Math.max(1, check.locations.length))
  const names = new Set([...runLocationsOf(check), ...current.map(({ runLocation }) => runLocation)])
  return [...names].map((runLocation) => {
    const newest = current.find((result) => result.runLocation === runLocation) ?? null
    const state = newest === null ? 'unknown' : worstOf([newest])
    const holds = newest !== null && (state !== 'passing' || isFresh({ everyMs }, newest, now))
    return { runLocation, state: known ? (holds ? state : 'unknown') : whole, newest }
  })
}

/**
 * The newest result of each location. If the check no longer runs at a location, or no agent has run it there for three periods, the result
 * counts only while it is fresh.
 */
export function currentResults(check: CheckSchedule, latest: Latest | undefined, now: number): readonly Result[] {
  const results = latest?.byLocation ?? []
  const locations = runLocationsOf(check)
  return results.filter(
    (result) => (locations.includes(result.runLocation) && !isDeserted(check, result, now)) || isFresh(check, result, now),
  )
}

/** The newest result; of several with the same start, the first. */
export function newestOf<R extends Result>(results: readonly R[]): R | null {
  return results.reduce<R | null>((newest, result) => (newest && newest.startedAt >= result.startedAt ? newest : result), null)
}

function worstOf(results: readonly Result[]): 'failing' | 'degraded' | 'passing' {
  if (results.some(({ hasFailures }) => hasFailures)) return 'failing'
  return results.some(({ isDegraded }) => isDegraded) ? 'degraded' : 'passing'
}

function isFresh({ everyMs }: Pick<CheckSchedule, 'everyMs'>, { startedAt }: Result, now: number): boolean {
  return startedAt >= now - 3 * everyMs
}

/** Agents may deliver late, but they run on time: a location without a result for three periods has no agent to tell its state. */
function isDeserted(
  { agentLocations, locations, runParallel, everyMs }: CheckSchedule,
  { runLocation, startedAt }: Result,
  now: number,
): boolean {
  const turnMs = runParallel ? everyMs : everyMs * locations.length
  return agentLocations.includes(runLocation) && startedAt < now - 3 * turnMs
}
