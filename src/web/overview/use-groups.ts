import type { Problem } from '../api/client.ts'
import { useWatch } from '../api/use-resource.ts'
import { useChecks, useStatuses } from '../checks/use-checks.ts'
import { checksInState, groupsOf, type TagGroup } from './groups.ts'

type Groups = {
  /** Undefined until loaded. */
  readonly groups: readonly TagGroup[] | undefined
  readonly failing: number
  readonly problem: Problem | undefined
  retry(): void
}

export function useGroups(): Groups {
  const checks = useChecks()
  const statuses = useStatuses()
  useWatch('all', { alerts: true })
  const failed = [checks, statuses].filter(({ problem }) => problem !== undefined)
  const retry = () => {
    for (const one of failed) one.retry()
  }
  const trouble = { problem: failed[0]?.problem, retry }
  if (checks.data === undefined || statuses.data === undefined) return { groups: undefined, failing: 0, ...trouble }
  return { groups: groupsOf(checks.data, statuses.data), failing: checksInState(checks.data, statuses.data, 'failing'), ...trouble }
}
