import { type Check, refOf } from '../catalogue/catalogue.ts'
import { encodeEvidence } from '../store/evidence.ts'
import type { FiledResult } from '../store/store.ts'
import type { RunEnvironment } from './attempt.ts'
import type { Executed } from './execute.ts'

/** The stored form of a run: its result, and its evidence if that is kept. */
export function filedResult(check: Check, executed: Executed, { evidence: limits }: RunEnvironment): FiledResult {
  const evidence = executed.evidence && encodeEvidence(executed.evidence, limits)
  return { check: refOf(check), result: executed.result, ...(evidence && { evidence }) }
}
