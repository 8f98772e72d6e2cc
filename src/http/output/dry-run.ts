import { ApiError } from '../../errors.ts'
import type { Written } from '../../managed/writing.ts'

export const dryRunAnswer = ({ action, changes }: Pick<Written, 'action' | 'changes'>) => ({ valid: true, faults: [], action, changes })

/** The answer of a dry run that found faults. Rethrows any other error. */
export function faultyAnswer(problem: unknown) {
  if (!(problem instanceof ApiError) || problem.faults === null) throw problem
  return { valid: false, faults: problem.faults, action: 'none', changes: [] }
}
