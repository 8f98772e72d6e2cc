import type { Check } from '../catalogue/catalogue.ts'

/** Runs of one job that may be in progress at a time; of more, the oldest are forgotten. */
const maxRuns = 20

export type StartedRuns = {
  /** `runId` distinguishes overlapping runs; empty where a job sends none. */
  start(check: Check, runId: string, now: number): void
  /** How long the run took; null where its start is not known. */
  end(check: Check, runId: string, now: number): number | null
}

/** When jobs said that they began. In memory: of a job that began before this process, the run time is not known. */
export function createStartedRuns(): StartedRuns {
  const runs = new WeakMap<Check, Map<string, number>>()
  return {
    start(check, runId, now) {
      const own = runs.get(check) ?? new Map<string, number>()
      runs.set(check, own)
      own.delete(runId)
      own.set(runId, now)
      const [oldest] = own.keys()
      if (own.size > maxRuns && oldest !== undefined) own.delete(oldest)
    },
    end(check, runId, now) {
      const startedAt = runs.get(check)?.get(runId)
      runs.get(check)?.delete(runId)
      return startedAt === undefined || startedAt > now ? null : now - startedAt
    },
  }
}
