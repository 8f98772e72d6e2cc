import type { Check } from '../catalogue/catalogue.ts'
import { createSemaphore } from '../concurrency/semaphore.ts'
import { decodeEvidence, type Evidence, encodeEvidence } from '../store/evidence.ts'
import type { Result } from '../store/store.ts'
import { timeoutOf } from './attempt.ts'
import { execute } from './execute.ts'
import { type EnvironmentOptions, environmentOf } from './runner.ts'

/** The outcome of a trial: `busy` at the limit of concurrent trials, `notMade` if this machine could not run it. */
export type Trial =
  | { readonly result: Result; readonly evidence: Evidence | null }
  | { readonly busy: true }
  | { readonly notMade: string }
  | { readonly aborted: true }

/** Runs a check once, now, within the limits of runs; without retries, and without storing anything. */
export type TrialRuns = (check: Check, signal: AbortSignal) => Promise<Trial>

/** Limit of concurrent trials, in addition to scheduled runs. */
const concurrentTrials = { light: 10, heavy: 1 }
/** Limited, since the caller keeps one connection open until the answer. */
const maxTrialMs = 100_000

export const trialTimeoutOf = (check: Check) => Math.min(timeoutOf(check), maxTrialMs)

export function createTrialRuns(options: EnvironmentOptions): TrialRuns {
  const light = createSemaphore(concurrentTrials.light)
  const heavy = createSemaphore(concurrentTrials.heavy)
  return async (check, signal) => {
    const release = (check.checkType.heavy ? heavy : light).tryAcquire()
    if (!release) return { busy: true }
    try {
      return await runOnce(check, signal, options)
    } finally {
      release()
    }
  }
}

async function runOnce(check: Check, signal: AbortSignal, options: EnvironmentOptions): Promise<Trial> {
  const environment = environmentOf(options)
  const tried: Check = { ...check, retry: null, evidence: 'all', timeoutMs: trialTimeoutOf(check) }
  let notMade = ''
  const executed = await execute(
    {
      check: tried,
      runLocation: check.locations[0] ?? 'default',
      signal,
      waitSignal: signal,
      acquire: async () => () => {},
      onNotMade: (reason) => {
        notMade = reason
      },
    },
    environment,
  )
  if (!executed) return notMade === '' ? { aborted: true } : { notMade }
  const kept = executed.evidence && encodeEvidence(executed.evidence, environment.evidence)
  return { result: executed.result, evidence: kept && decodeEvidence(kept) }
}
