import { type Check, type EvidenceMode, refOf } from '../catalogue/catalogue.ts'
import type { Metrics } from '../checks/metric.ts'
import type { AddressRules } from '../checks/probe/net/addresses.ts'
import { type Probe, unmeasured } from '../checks/probe/probe.ts'
import type { Measured } from '../checks/probe/run.ts'
import { checkKey } from '../ids/check-ref.ts'
import type { EvidenceLimits } from '../store/evidence.ts'
import { pause, type RunClock } from './clock.ts'
import { redactError, redactResult, secretsOf } from './redact-result.ts'

/** Dependencies that all runs of a process share. */
export type RunEnvironment = {
  readonly probe: Probe
  readonly addresses: AddressRules
  readonly clock: RunClock
  /** Reports a bug in a check type: its run threw, or did not end after its timeout. */
  readonly onBug: (check: Check, error: unknown) => void
  /** The evidence mode of checks without one of their own, and the size limits of evidence. */
  readonly evidence: EvidenceLimits & { readonly mode: EvidenceMode }
}

export function evidenceModeOf(check: Check, { evidence }: RunEnvironment): EvidenceMode {
  return check.evidence ?? evidence.mode
}

/** Runs a check once, within its timeout. */
export async function attempt(check: Check, signal: AbortSignal, environment: RunEnvironment): Promise<Measured<Metrics>> {
  const timeoutMs = timeoutOf(check)
  const timeout = new AbortController()
  const settled = new AbortController()
  const stop = () => timeout.abort(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop)
  const cancelTimer = environment.clock.after(timeoutMs, () => timeout.abort(new DOMException('The run timed out.', 'TimeoutError')))
  try {
    const overdue = overdueAfter(check, { timeoutMs, timedOut: timeout.signal, settled: settled.signal }, environment)
    return await Promise.race([measure(check, { timeoutMs, signal: timeout.signal }, environment), overdue])
  } finally {
    cancelTimer()
    settled.abort()
    signal.removeEventListener('abort', stop)
  }
}

/** A light run times out before its next slot, so that an outage yields as many results as normal operation. */
export function timeoutOf({ checkType, everyMs, timeoutMs }: Pick<Check, 'checkType' | 'everyMs' | 'timeoutMs'>): number {
  return checkType.heavy ? (timeoutMs ?? heavyTimeoutMs) : Math.min(timeoutMs ?? lightTimeoutMs, everyMs * 0.9)
}

const lightTimeoutMs = 30_000
const heavyTimeoutMs = 240_000
const graceMs = 5000

type Limits = { readonly timeoutMs: number; readonly signal: AbortSignal }

async function measure(check: Check, limits: Limits, environment: RunEnvironment): Promise<Measured<Metrics>> {
  const { checkType, settings } = check
  const { probe, addresses, evidence } = environment
  const key = checkKey(refOf(check))
  const keeps = evidenceModeOf(check, environment) !== 'none'
  const kept = { keepsReceived: keeps, screenshotBytes: keeps ? evidence.screenshotBytes : 0 }
  try {
    const measured = await probe({ checkType, settings, key, addresses, secrets: secretsOf(check), ...kept, ...limits })
    return redactResult(measured, check)
  } catch (error) {
    if (!limits.signal.aborted) environment.onBug(check, redactError(error, check))
    return limits.signal.aborted ? unmeasured(check.checkType, timeoutMessage(limits.timeoutMs)) : unmeasured(check.checkType, bugMessage)
  }
}

type Overdue = { readonly timeoutMs: number; readonly timedOut: AbortSignal; readonly settled: AbortSignal }

/** The result of a run that ignores its abort signal. */
async function overdueAfter(
  check: Check,
  { timeoutMs, timedOut, settled }: Overdue,
  environment: RunEnvironment,
): Promise<Measured<Metrics>> {
  await anyAborted(timedOut, settled)
  await pause(environment.clock, graceMs, settled)
  if (!settled.aborted) environment.onBug(check, new Error('the run did not stop after its timeout'))
  return unmeasured(check.checkType, timeoutMessage(timeoutMs))
}

function anyAborted(...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      for (const signal of signals) signal.removeEventListener('abort', end)
      resolve()
    }
    for (const signal of signals) signal.addEventListener('abort', end)
    if (signals.some((signal) => signal.aborted)) end()
  })
}

const bugMessage = 'this check could not be run because of an internal error; see the log'

function timeoutMessage(timeoutMs: number): string {
  return `no answer within ${timeoutMs.toLocaleString('en-US')} ms`
}
