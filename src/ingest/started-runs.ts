import { lruCache } from '../cache/cache.ts'
import { type Check, refOf } from '../catalogue/catalogue.ts'
import { checkKey } from '../ids/check-ref.ts'
import { sha256 } from '../ids/sha256.ts'

/** Runs of one job that may be in progress at a time; of more, the oldest are forgotten. */
const maxRuns = 20
/** Jobs with a run in progress; of more, those are forgotten that began least recently. */
const maxJobs = 50_000

type StartedRuns = {
  /** `runId` distinguishes overlapping runs; empty where a job sends none. */
  start(check: Check, runId: string, now: number): void
  /** How long the run took; null where its start is not known. */
  end(check: Check, runId: string, now: number): number | null
}

/**
 * When jobs said that they began, by the id of their check: a definition may change in between. In memory: of a job that began before this
 * process, the run time is not known.
 */
export function createStartedRuns(): StartedRuns {
  const jobs = lruCache<string, Map<string, number>>(maxJobs)
  const keyOf = (check: Check) => checkKey(refOf(check))
  return {
    start(check, runId, now) {
      const runs = jobs.getOrCreate(keyOf(check), () => new Map())
      // Hashed: the ids are of any length.
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
