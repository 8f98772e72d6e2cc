import { lruCache } from '../cache/cache.ts'
import { type Check, refOf } from '../catalogue/catalogue.ts'
import { checkKey } from '../ids/check-ref.ts'
import { sha256 } from '../ids/sha256.ts'

/** Maximum number of runs in progress per job; beyond it, the oldest are forgotten. */
const maxRuns = 20
/** Maximum number of jobs with a run in progress; beyond it, the least recently used are forgotten. */
const maxJobs = 50_000

type StartedRuns = {
  /** `runId` distinguishes overlapping runs; empty if a job sends none. */
  start(check: Check, runId: string, now: number): void
  /** How long the run took; null if its start is unknown. */
  end(check: Check, runId: string, now: number): number | null
}

/**
 * Start times that jobs have reported, by check id, since a definition may change during a run. In memory only: the run time of a job that
 * started before this process is unknown.
 */
export function createStartedRuns(): StartedRuns {
  const jobs = lruCache<string, Map<string, number>>(maxJobs)
  const keyOf = (check: Check) => checkKey(refOf(check))
  return {
    start(check, runId, now) {
      const runs = jobs.getOrCreate(keyOf(check), () => new Map())
      // Hashed, since ids can have any length.
      const run = sha256(runId)
      runs.delete(run)
      runs.set(run, now)
      const [oldest] = runs.keys()
      if (runs.size > maxRuns && oldest !== undefined) runs.delete(oldest)
    },
    end(check, runId, now) {
      const runs = jobs.get(keyOf(check))
      if (!runs) return null
      const run = sha256(runId)
      const startedAt = runs.get(run)
      runs.delete(run)
      if (runs.size === 0) jobs.delete(keyOf(check))
      return startedAt === undefined || startedAt > now ? null : now - startedAt
    },
  }
}
