import type { Check, ServiceSettings } from '../catalogue/catalogue.ts'
import { refOf } from '../catalogue/catalogue.ts'
import { isMapping } from '../collections/mapping.ts'
import { decodeEvidence as decoded, type Evidence } from '../store/evidence.ts'
import { toResult } from '../store/query/parts/stored-result.ts'
import type { Result } from '../store/store.ts'
import type { EvidenceDecoder } from './decode-evidence.ts'
import { evidenceReader, type PostedEvidence, withEvidence } from './posted-evidence.ts'
import { isRejection, rowReader } from './row.ts'

/** An agent's answer to a trial. */
export type TriedByAgent = { readonly result: Result; readonly evidence: Evidence | null } | { readonly problem: string }

type TrialContext = {
  readonly check: Check
  readonly location: string
  readonly now: number
  readonly limits: ServiceSettings['limits']
  readonly decodeEvidence: EvidenceDecoder
}

const maxProblemLength = 500

/** Validates an answer by the rules for results; `invalid` is the reason for rejecting it, as a sentence. */
export async function readTrialAnswer(body: unknown, context: TrialContext): Promise<TriedByAgent | { readonly invalid: string }> {
  if (!isMapping(body)) return { invalid: 'The body must be an object.' }
  if (typeof body.problem === 'string') return { problem: body.problem.slice(0, maxProblemLength) }
  const { check, location, now, limits, decodeEvidence } = context
  const found: PostedEvidence[] = []
  const typeOf = (id: string) => (id === check.id ? check.checkType : undefined)
  const reader = rowReader({ account: check.account, now, cardinality: null, location, typeOf })
  const filed = evidenceReader(reader, () => ({ ...limits, mode: 'all' }), found).read(body.result, 0)
  if (isRejection(filed)) return { invalid: filed.message }
  const rows = await withEvidence({ filed: [filed], rejected: [] }, found, decodeEvidence)
  const [kept] = rows.filed
  if (!kept) return { invalid: rows.rejected[0]?.message ?? '' }
  return { result: toResult(refOf(check), kept.result), evidence: kept.evidence ? decoded(kept.evidence) : null }
}
