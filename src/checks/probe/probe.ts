import type { CheckType } from '../define.ts'
import type { Metrics } from '../metric.ts'
import type { JudgeForCheck } from './judge/judge.ts'
import { type AddressRules, addressPolicy } from './net/addresses.ts'
import type { Measured, RunContext } from './run.ts'

/** Runs a check once, and rejects only where its type has a bug. */
export type Probe = (attempt: ProbeAttempt) => Promise<Measured<Metrics>>

export type ProbeAttempt = Pick<RunContext, 'signal' | 'timeoutMs' | 'secrets' | 'keepsReceived' | 'screenshotBytes'> & {
  readonly checkType: CheckType
  readonly settings: Readonly<Record<string, unknown>>
  /** The same for all runs of a check. */
  readonly key: string
  readonly addresses: AddressRules
  /** In place of the folder that the runs of this process share. */
  readonly configDir?: string
}

/** What all runs of a process share. */
export type ProbeSurroundings = Pick<RunContext, 'configDir' | 'chromium' | 'env'>

/** Runs checks in this thread: for a command that runs one check, and for tests. */
export function inlineProbe({ judge, ...surroundings }: ProbeSurroundings & { readonly judge: JudgeForCheck }): Probe {
  return async ({ checkType, settings, key, addresses, ...limits }) => {
    const loaded = await checkType.run?.()
    if (loaded === undefined) throw new TypeError(`checks of type ${checkType.type} are not run`)
    await loaded.warmUp?.()
    return loaded.run(settings, {
      ...surroundings,
      ...limits,
      admit: addressPolicy(addresses),
      judge: (type, input) => judge(type, input, { key, signal: limits.signal }),
    })
  }
}
