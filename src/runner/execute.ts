import type { Check } from '../catalogue/catalogue.ts'
import type { Metrics } from '../checks/metric.ts'
import type { Measured } from '../checks/probe/run.ts'
import type { Result } from '../store/store.ts'
import { attempt, type RunEnvironment } from './attempt.ts'
import { pause } from './clock.ts'
import { judge, resultOf } from './judge.ts'
import { backoffMs } from './retry.ts'

export type Run = {
  readonly check: Check
  readonly runLocation: string
  /** Ends the run where it stands; it is then no result. */
  readonly signal: AbortSignal
  /** Ends the run if it is only waiting: for a place, or for its next attempt. */
  readonly patience: AbortSignal
  /** Resolves when an attempt may start, to what is called at its end; undefined if it will not. */
  readonly place: (patience: AbortSignal) => Promise<(() => void) | undefined>
  readonly onAttempt?: (measured: Measured<Metrics>, retryInMs: number | null) => void
}

export type Executed = { readonly result: Result; readonly measured: Measured<Metrics> }

/** One run with its retries; undefined if it was ended before it had an outcome. */
export async function execute(run: Run, environment: RunEnvironment): Promise<Executed | undefined> {
  const { check, runLocation, signal, patience } = run
  let startedAt: number | undefined
  for (let attempts = 1; ; attempts++) {
    const leave = await run.place(patience)
    if (leave === undefined) return undefined
    startedAt ??= Math.floor(environment.clock.now())
    const measured = await attempt(check, signal, environment).finally(leave)
    if (signal.aborted) return undefined
    const retryInMs = backoffMs(check.retry, attempts, { failed: judge(check, measured).hasFailures, broken: measured.broken })
    run.onAttempt?.(measured, retryInMs)
    if (retryInMs === null) return { result: resultOf(check, { runLocation, startedAt, attempts }, measured), measured }
    await pause(environment.clock, retryInMs, patience)
  }
}
