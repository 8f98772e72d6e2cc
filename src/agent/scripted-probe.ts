import type { Probe, ProbeAttempt } from '../checks/probe/probe.ts'
import { exhaustedRun, unmeasured } from '../checks/probe/probe.ts'
import type { HeldScripts } from './script-cache.ts'
import { withScriptFolder } from './script-folder.ts'

/** Runs checks with the scripts from the server. A check whose scripts the server does not send fails with the reason. */
export function scriptedProbe(probe: Probe, scriptsOf: (settings: ProbeAttempt['settings']) => HeldScripts | undefined): Probe {
  return async (attempt) => {
    const scripts = scriptsOf(attempt.settings)
    if (scripts === undefined) return probe(attempt)
    if ('problem' in scripts) return unmeasured(attempt.checkType, problemText(scripts))
    return withScriptFolder(scripts, (configDir) => probe({ ...attempt, configDir })).catch((error: unknown) =>
      exhaustedRun(attempt.checkType, error),
    )
  }
}

export function problemText({ problem }: { readonly problem: string }): string {
  return `the files of this check are not sent to agents: ${problem}`
}
