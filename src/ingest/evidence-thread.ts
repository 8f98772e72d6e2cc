import { type DecodedEvidence, decodeWithinBudget, type EvidenceJob } from './decode-evidence.ts'

export function decode(jobs: readonly EvidenceJob[]): readonly DecodedEvidence[] {
  return decodeWithinBudget(jobs)
}
