import type { Check } from '../catalogue/catalogue.ts'
import type { CheckType } from '../checks/define.ts'
import type { Metrics } from '../checks/metric.ts'
import type { Measured, RunContext } from '../checks/probe/run.ts'
import { type Clock, pause } from './clock.ts'
import { errorWithoutSecrets, secretsOf, withoutSecrets } from './without-secrets.ts'

/** What a run needs beside its check: what all runs of a process share. */
export type RunEnvironment = Pick<RunContext, 'admit' | 'configDir' | 'chromium' | 'env'> & {
  readonly clock: Clock
  /** Told of a bug in a check type: its run threw, or did not end when its time was over. */
  readonly onBug: (check: Check, error: unknown) => void
}

/** Does a check once, within its time. */
export async function attempt(check: Check, signal: AbortSignal, environment: RunEnvironment): Promise<Measured<Metrics>> {
  const timeoutMs = timeoutOf(check)
  const time = new AbortController()
  const settled = new AbortController()
  const stop = () => time.abort(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop)
  const cancelTimer = environment.clock.after(timeoutMs, () =>
    time.abort(new DOMException('The time of this run is over.', 'TimeoutError')),
  )
  try {
    const overdue = overdueAfter(check, { timeoutMs, time: time.signal, settled: settled.signal }, environment)
    return await Promise.race([measure(check, { timeoutMs, signal: time.signal }, environment), overdue])
  } finally {
    cancelTimer()
    settled.abort()
    signal.removeEventListener('abort', stop)
  }
}

/** How long a run may take. One that hangs ends before its next slot, so that an outage yields as many results as health does. */
export function timeoutOf({ checkType, everyMs, timeoutMs }: Pick<Check, 'checkType' | 'everyMs' | 'timeoutMs'>): number {
  return checkType.heavy ? (timeoutMs ?? heavyTimeoutMs) : Math.min(timeoutMs ?? lightTimeoutMs, everyMs * 0.9)
}

const lightTimeoutMs = 30_000
const heavyTimeoutMs = 240_000
const graceMs = 5000

type Limits = { readonly timeoutMs: number; readonly signal: AbortSignal }

async function measure(check: Check, limits: Limits, environment: RunEnvironment): Promise<Measured<Metrics>> {
  const { admit, configDir, chromium, env } = environment
  try {
    const loaded = await check.checkType.run?.()
    if (loaded === undefined) throw new TypeError(`checks of type ${check.checkType.type} are not run`)
    await loaded.warmUp?.()
    const measured = await loaded.run(check.settings, { ...limits, admit, configDir, chromium, env, secrets: secretsOf(check) })
    return withoutSecrets(measured, check)
  } catch (error) {
    if (!limits.signal.aborted) environment.onBug(check, errorWithoutSecrets(error, check))
    return limits.signal.aborted ? unmeasured(check.checkType, noAnswer(limits.timeoutMs)) : unmeasured(check.checkType, bug)
  }
}

type Overdue = { readonly timeoutMs: number; readonly time: AbortSignal; readonly settled: AbortSignal }

/** For a run that does not end though its time is over. */
async function overdueAfter(check: Check, { timeoutMs, time, settled }: Overdue, environment: RunEnvironment): Promise<Measured<Metrics>> {
  await aborted(time, settled)
  await pause(environment.clock, graceMs, settled)
  if (!settled.aborted) environment.onBug(check, new Error('the run did not end when its time was over'))
  return unmeasured(check.checkType, noAnswer(timeoutMs))
}

function aborted(...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      for (const signal of signals) signal.removeEventListener('abort', end)
      resolve()
    }
    for (const signal of signals) signal.addEventListener('abort', end)
    if (signals.some((signal) => signal.aborted)) end()
  })
}

const bug = 'this check could not be run because of an error inside Tidemark; the log has the details'

function noAnswer(timeoutMs: number): string {
  return `no answer within ${timeoutMs.toLocaleString('en-US')} ms`
}

function unmeasured({ metrics }: CheckType, failure: string): Measured<Metrics> {
  const none = Object.fromEntries(Object.keys(metrics).map((name) => [name, null]))
  return { metrics: none as Measured<Metrics>['metrics'], failure, broken: true }
}
