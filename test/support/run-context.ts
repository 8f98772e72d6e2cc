import { judgeInline } from '../../src/checks/probe/judge/judge.ts'
import { addressPolicy } from '../../src/checks/probe/net/addresses.ts'
import type { RunContext } from '../../src/checks/probe/run.ts'

/** The context of a run, by default with a long timeout and the default address policy. */
export function runContext({ timeoutMs = 10_000, ...rest }: Partial<RunContext> = {}): RunContext {
  return {
    signal: AbortSignal.timeout(timeoutMs),
    timeoutMs,
    admit: addressPolicy({ allow: [], deny: [] }),
    judge: judgeInline,
    configDir: '.',
    chromium: null,
    env: process.env,
    secrets: [],
    ...rest,
  }
}
