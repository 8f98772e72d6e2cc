import { type Check, refOf } from '../catalogue/catalogue.ts'
import { createSemaphore } from '../concurrency/semaphore.ts'
import { checkKey } from '../ids/check-ref.ts'
import type { RunnerStats } from '../stats/server-stats.ts'
import type { FiledResult } from '../store/store.ts'
import type { RunEnvironment } from './attempt.ts'
import { pause, type RunClock } from './clock.ts'
import { type ConcurrencyLimits, withSlowGate } from './concurrency.ts'
import { execute } from './execute.ts'
import { filedResult } from './filed-result.ts'
import type { RunnerLog } from './log.ts'
import { redactError } from './redact-result.ts'
import { createNotMadeLog } from './run-log.ts'

/** The runs in progress: at most one per check and location, and no more than the concurrency limits allow. */
type ActiveRuns = {
  /** Runs a check for a slot at a location; skipped while the previous run there is still in progress. */
  start(due: DueRun, environment: RunEnvironment): void
  /** Aborts the runs of a check; their results are not stored. */
  cancel(check: Pick<Check, 'account' | 'id'>): void
  /** Aborts runs that are still in progress after `graceMs`. */
  close(graceMs: number): Promise<void>
}

type DueRun = { readonly check: Check; readonly runLocation: string; readonly slotAt: number }

type ActiveRunsOptions = {
  readonly concurrency: ConcurrencyLimits
  readonly clock: RunClock
  readonly log: RunnerLog
  readonly put: (result: FiledResult) => void
  readonly stats: Pick<RunnerStats, 'inProgress' | 'missedOverlap' | 'notMade'>
}

type ActiveRun = DueRun & {
  readonly abort: AbortController
  /** Ends the run if it is only waiting for a permit or a retry. */
  readonly waiting: AbortController
  done: Promise<void>
  /** A later run was skipped because this one is still in progress, and a warning was logged. */
  skippedNext: boolean
}

export function createActiveRuns({ concurrency, clock, log, put, stats }: ActiveRunsOptions): ActiveRuns {
  const light = withSlowGate(createSemaphore(concurrency.light), createSemaphore(concurrency.slow), clock)
  const heavy = createSemaphore(concurrency.heavy)
  const logNotMade = createNotMadeLog(log, clock)
  /** By check and location: thousands of checks can leave the catalogue at once, while thousands of runs are in progress. */
  const active = new Map<string, Map<string, ActiveRun>>()
  let inProgress = 0

  function start(due: DueRun, environment: RunEnvironment): void {
    const { check, runLocation } = due
    const key = checkKey(refOf(check))
    const ofCheck = active.get(key) ?? new Map<string, ActiveRun>()
    const current = ofCheck.get(runLocation)
    if (current) {
      stats.missedOverlap.add(1)
      warnSkipped(current)
      return
    }
    const run: ActiveRun = { ...due, ...signals(), done: Promise.resolve(), skippedNext: false }
    active.set(key, ofCheck.set(runLocation, run))
    stats.inProgress.set(++inProgress)
    run.done = runAndStore(run, environment)
      .catch((error: unknown) => environment.onBug(check, redactError(error, check)))
      .finally(() => {
        ofCheck.delete(runLocation)
        if (ofCheck.size === 0) active.delete(key)
        stats.inProgress.set(--inProgress)
      })
  }

  function warnSkipped(current: ActiveRun): void {
    if (current.skippedNext) return
    current.skippedNext = true
    const { account, id, name } = current.check
    log.warn(
      { account, checkId: id, name, location: current.runLocation },
      'A run was skipped because the previous one is still in progress.',
    )
  }

  async function runAndStore({ check, runLocation, slotAt, abort, waiting }: ActiveRun, environment: RunEnvironment): Promise<void> {
    const { acquire } = check.checkType.heavy ? heavy : light
    const onNotMade = (reason: string) => {
      stats.notMade.add(1)
      logNotMade(check, reason)
    }
    const run = { check, runLocation, slotAt, signal: abort.signal, waitSignal: waiting.signal, acquire, onNotMade }
    const executed = await execute(run, environment)
    if (!executed) return
    put(filedResult(check, executed, environment))
  }

  function cancel(check: Pick<Check, 'account' | 'id'>): void {
    for (const current of active.get(checkKey(refOf(check)))?.values() ?? []) abortRun(current)
  }

  async function close(graceMs: number): Promise<void> {
    const left = allActive()
    for (const { waiting } of left) waiting.abort()
    const ended = Promise.all(left.map(({ done }) => done))
    const finished = new AbortController()
    await Promise.race([ended, pause(clock, graceMs, finished.signal)])
    finished.abort()
    for (const current of allActive()) abortRun(current)
    await ended
  }

  const allActive = () => [...active.values()].flatMap((ofCheck) => [...ofCheck.values()])

  return { start, cancel, close }
}

function signals(): Pick<ActiveRun, 'abort' | 'waiting'> {
  return { abort: new AbortController(), waiting: new AbortController() }
}

function abortRun({ abort, waiting }: ActiveRun): void {
  waiting.abort()
  abort.abort(new DOMException('The run was cancelled.', 'AbortError'))
}
