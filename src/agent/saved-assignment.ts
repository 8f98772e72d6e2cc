import type { CheckType } from '../checks/define.ts'
import { type Assignment, checkFromServer } from '../locations/protocol.ts'
import { secretsOf } from '../runner/redact-result.ts'

/** An assignment as saved on disk: without secrets and scripts, and so without the checks that need them. */
export type SavedAssignment = { readonly assignment: Assignment; readonly withheld: readonly string[] }

type Options = {
  readonly checkTypes: readonly CheckType[]
  /** Whether the server sends the scripts, so that they are only in memory. */
  readonly scriptsAreSent: boolean
}

export function withoutSecrets(assignment: Assignment, { checkTypes, scriptsAreSent }: Options): SavedAssignment {
  const withheld = new Set(
    assignment.checks.filter((sent) => {
      const check = checkFromServer(sent, assignment.account, checkTypes)
      return check === undefined || secretsOf(check).length > 0 || (scriptsAreSent && sent.scripts !== null)
    }),
  )
  const { trials: _, ...lasting } = assignment
  return {
    assignment: {
      ...lasting,
      checks: assignment.checks.filter((sent) => !withheld.has(sent)).map((sent) => ({ ...sent, since: null })),
    },
    withheld: [...withheld].map(({ name }) => name),
  }
}
