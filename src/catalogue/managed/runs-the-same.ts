import { isDeepStrictEqual } from 'node:util'
import type { Check } from '../catalogue.ts'
import type { CheckDefinition } from '../definitions.ts'

/** Whether two definitions make the same check, with variables replaced, however each is written. */
export function runsTheSame(one: Check, other: CheckDefinition): boolean {
  return isDeepStrictEqual(whatRuns(one), whatRuns(other))
}

function whatRuns(check: Omit<Check, 'createdAt' | 'updatedAt' | 'agentLocations'>) {
  const { id, account, name, checkType, activated, muted, everyMs, failingEveryMs, locations, tags, dependsOn, alerts } = check
  const { runParallel, retry, timeoutMs, degradedResponseTimeMs, maxResponseTimeMs, evidence, settings } = check
  return [
    { id, account, name, type: checkType.type, activated, muted, everyMs, failingEveryMs, locations, tags, dependsOn, alerts },
    { runParallel, retry, timeoutMs, degradedResponseTimeMs, maxResponseTimeMs, evidence, settings },
  ]
}
