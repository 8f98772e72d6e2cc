import type { Objective } from '../../catalogue/policies/policies.ts'
import { apiError } from '../../errors.ts'

/** Overrides of the configured objective; null keeps the configured value. */
export type ObjectiveOverride = {
  readonly target: number | null
  readonly thresholdMs: number | null
  readonly by: 'runs' | 'time' | null
}

export function overrideObjective(objective: Objective, { target, thresholdMs, by }: ObjectiveOverride): Objective {
  if (target !== null && !(target > 0 && target < 100))
    throw apiError('INVALID_PARAMETER', { name: 'target', expected: 'a percentage above 0 and below 100' })
  const aim = { target: target ?? objective.target }
  if (objective.kind === 'latency') {
    if (by === 'time') throw apiError('INVALID_PARAMETER', { name: 'by', expected: 'runs for a latency objective' })
    return { ...objective, ...aim, thresholdMs: thresholdMs ?? objective.thresholdMs }
  }
  if (thresholdMs !== null) throw apiError('INVALID_PARAMETER', { name: 'thresholdMs', expected: 'absent for an availability objective' })
  return { ...objective, ...aim, by: by ?? objective.by }
}
