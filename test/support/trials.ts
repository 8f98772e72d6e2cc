import type { Catalogue } from '../../src/catalogue/catalogue.ts'
import type { Deps } from '../../src/http/route.ts'
import { systemClock } from '../../src/runner/clock.ts'
import { createTrialRuns } from '../../src/runner/trial-runs.ts'
import { testProbe } from './checks.ts'
import { recordingLog } from './log.ts'

/** Runs trials in this thread. */
export function trialsOver(catalogue: Catalogue): NonNullable<Deps['trials']> {
  return { run: createTrialRuns({ catalogue, clock: systemClock, log: recordingLog(), probe: testProbe }), env: {} }
}
