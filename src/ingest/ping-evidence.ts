import type { Check, EvidenceMode } from '../catalogue/catalogue.ts'
import { hiddenTexts } from '../catalogue/written-definition.ts'
import { redactedEnd } from '../checks/probe/redact.ts'
import { type EvidenceLimits, encodeEvidence } from '../store/evidence.ts'

export type PingEvidenceRules = EvidenceLimits & { readonly mode: EvidenceMode }

/** The tail of an output is kept: it says how a job ended. */
const maxLength = 8000
const maxLines = 400

type Said = {
  readonly check: Check
  readonly token: string
  /** The body of the ping. */
  readonly body: string
  readonly startedAt: number
  readonly error: string | null
}

/** The body of a ping as evidence; null where none of it is kept. */
export function pingEvidence({ check, token, body, startedAt, error }: Said, { mode, ...limits }: PingEvidenceRules): Uint8Array | null {
  const wanted = check.evidence ?? mode
  if (body.trim() === '' || wanted === 'none' || (wanted === 'failures' && error === null)) return null
  const messages = redactedEnd(body, maxLength, [...hiddenTexts(check), token])
    .trimEnd()
    .split(/\r?\n/)
    .slice(-maxLines)
  return encodeEvidence({ attempts: [{ startedAt, error, assertions: [], response: null, steps: [], messages }], screenshot: null }, limits)
}
