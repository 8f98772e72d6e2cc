import type { Check } from '../catalogue/catalogue.ts'
import type { Metrics } from '../checks/metric.ts'
import type { Measured } from '../checks/probe/run.ts'
import type { Evidence } from '../store/evidence.ts'
import type { Result } from '../store/store.ts'
import { attempt, evidenceModeOf, type RunEnvironment } from './attempt.ts'
import { pause } from './clock.ts'
import { collectEvidence } from './collect-evidence.ts'
import { evaluateRun, resultOf } from './evaluate.ts'
import { retryDelayMs } from './retry.ts'

type RunRequest = {
  readonly check: Check
  readonly runLocation: string
  /** The time of its slot; absent for a run outside of the schedule. */
  readonly slotAt?: number | undefined
  /** Aborts the run; it then has no result. */
  readonly signal: AbortSignal
  /** Ends the run if it is only waiting for a permit or for its next attempt. */
  readonly waitSignal: AbortSignal
  /** Resolves to a release function when an attempt may start; undefined if `waitSignal` was aborted before. */
  readonly acquire: (waitSignal: AbortSignal) => Promise<(() => void) | undefined>
  /** Called with the resource that this machine lacked; the run then has no result. */
  readonly onNotMade: (reason: string) => void
  readonly onAttempt?: (measured: Measured<Metrics>, retryInMs: number | null) => void
}

export type Executed = { readonly result: Result; readonly measured: Measured<Metrics>; readonly evidence: Evidence | null }

/** One run with its retries; undefined if it was aborted before it had an outcome. */
export async function execute(run: RunRequest, environment: RunEnvironment): Promise<Executed | undefined> {
  const { check, runLocation, slotAt, signal, waitSignal } = run
  const evidence = collectEvidence(evidenceModeOf(check, environment))
  let startedAt: number | undefined
  for (let attempts = 1; ; attempts++) {
    const release = await run.acquire(waitSignal)
    if (release === undefined) return undefined
    const attemptedAt = Math.floor(environment.clock.now())
    startedAt ??= attemptedAt
    const measured = await attempt(check, signal, environment).finally(release)
    if (signal.aborted) return undefined
    if (measured.exhausted !== undefined) {
      run.onNotMade(measured.exhausted)
      return undefined
    }
    const { hasFailures: failed, error } = evaluateRun(check, measured)
    evidence.add({ measured, startedAt: attemptedAt, error })
    const retryInMs = retryDelayMs(check.retry, attempts, { failed, broken: measured.broken })
    run.onAttempt?.(measured, retryInMs)
    if (retryInMs === null)
      return { result: resultOf(check, { runLocation, slotAt, startedAt, attempts }, measured), measured, evidence: evidence.of(failed) }
    await pause(environment.clock, retryInMs, waitSignal)
  }
}
