import type { EvidenceMode } from '../catalogue/catalogue.ts'
import type { Metrics } from '../checks/metric.ts'
import type { Measured } from '../checks/probe/run.ts'
import type { AttemptEvidence, Evidence } from '../store/evidence.ts'

type Attempt = { readonly measured: Measured<Metrics>; readonly startedAt: number; readonly error: string | null }

export function collectEvidence(mode: EvidenceMode) {
  const attempts: AttemptEvidence[] = []
  let screenshot: Uint8Array | null = null
  const isWanted = (failed: boolean) => mode === 'all' || (mode === 'failures' && failed)
  return {
    add(attempt: Attempt): void {
      if (!isWanted(attempt.error !== null)) return
      attempts.push(evidenceOf(attempt))
      screenshot = attempt.measured.screenshot ?? null
    },
    /** The evidence to keep, given how the last attempt ended. */
    of: (failed: boolean): Evidence | null => (isWanted(failed) ? { attempts, screenshot } : null),
  }
}

function evidenceOf({ measured, startedAt, error }: Attempt): AttemptEvidence {
  const { assertions = [], received = null, steps = [], notes = [] } = measured
  return { startedAt, error, assertions, response: received, steps, messages: notes }
}
