import type { CheckType } from '../checks/define.ts'
import { type Assignment, fromSent } from '../locations/protocol.ts'
import { secretsOf } from '../runner/redact-result.ts'

/** An assignment as it is kept on disk: without any secret, and so without the checks that need some. */
export type SavedAssignment = { readonly assignment: Assignment; readonly withheld: readonly string[] }

export function withoutSecrets(assignment: Assignment, checkTypes: readonly CheckType[]): SavedAssignment {
  const hasSecrets = new Set(
    assignment.checks.filter((sent) => {
      const check = fromSent(sent, assignment.account, checkTypes)
      return check === undefined || secretsOf(check).length > 0
    }),
  )
  return {
    assignment: {
      ...assignment,
      checks: assignment.checks.filter((sent) => !hasSecrets.has(sent)).map((sent) => ({ ...sent, since: null })),
    },
    withheld: [...hasSecrets].map(({ name }) => name),
  }
}
