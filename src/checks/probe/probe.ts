import type { CheckType } from '../define.ts'
import type { Metrics } from '../metric.ts'
import { asExhaustion, MachineExhausted } from './exhaustion.ts'
import type { JudgeForCheck } from './judge/judge.ts'
import { type AddressRules, addressPolicy } from './net/addresses.ts'
import type { Measured, RunContext } from './run.ts'

/** Runs a check once; rejects only if its type has a bug. */
export type Probe = (attempt: ProbeAttempt) => Promise<Measured<Metrics>>

export type ProbeAttempt = Pick<RunContext, 'signal' | 'timeoutMs' | 'secrets' | 'keepsReceived' | 'screenshotBytes'> & {
  readonly checkType: CheckType
  readonly settings: Readonly<Record<string, unknown>>
  /** The same for all runs of a check. */
  readonly key: string
  readonly addresses: AddressRules
  /** Overrides the folder that the runs of this process share. */
  readonly configDir?: string
}

/** Dependencies that all runs of a process share. */
export type ProbeContext = Pick<RunContext, 'configDir' | 'chromium' | 'env'>

/** Runs checks in this thread: for a command that runs one check, and for tests. */
export function inlineProbe({ judge, ...shared }: ProbeContext & { readonly judge: JudgeForCheck }): Probe {
  const run: Probe = async ({ checkType, settings, key, addresses, ...limits }) => {
    const loaded = await checkType.run?.()
    if (loaded === undefined) throw new TypeError(`checks of type ${checkType.type} are not run`)
    await loaded.warmUp?.()
    const context: RunContext = {
      ...shared,
      ...limits,
      admit: addressPolicy(addresses),
      judge: (type, input) => judge(type, input, { key, signal: limits.signal }),
    }
    return loaded.run(settings, context)
  }
  return (attempt) => run(attempt).catch((error: unknown) => exhaustedRun(attempt.checkType, error))
}

/** The result of a run that this machine had no resources for; rethrows any other error. */
export function exhaustedRun(checkType: CheckType, error: unknown): Measured<Metrics> {
  const exhaustion = asExhaustion(error, 'the start of the run')
  if (!(exhaustion instanceof MachineExhausted)) throw error
  return { ...unmeasured(checkType, exhaustion.message), exhausted: exhaustion.message }
}

/** The measurements of a run that could not be done. */
export function unmeasured({ metrics }: CheckType, failure: string): Measured<Metrics> {
  const none = Object.fromEntries(Object.keys(metrics).map((name) => [name, null]))
  return { metrics: none as Measured<Metrics>['metrics'], failure, broken: true }
}
