import { ApiError } from '../../errors.ts'
import type { Written } from '../../managed/writing.ts'

/** What a write that was only tried would do. */
export const dryRunAnswer = ({ action, changes }: Pick<Written, 'action' | 'changes'>) => ({ valid: true, faults: [], action, changes })

/** What is wrong with a definition that was only tried. */
export function faultyAnswer(problem: unknown) {
  if (!(problem instanceof ApiError) || problem.faults === null) throw problem
  return { valid: false, faults: problem.faults, action: 'none', changes: [] }
}
