import type { RunResult } from '../api/answers.ts'

type Failed = Pick<RunResult, 'hasFailures' | 'error'>

/** Whether a run failed with the same error as the run above it, so that the list need not repeat the error. */
export function repeatsError(runs: readonly Failed[], index: number): boolean {
  const [above, run] = [runs[index - 1], runs[index]]
  return run !== undefined && above !== undefined && run.error !== null && run.hasFailures && above.hasFailures && run.error === above.error
}
