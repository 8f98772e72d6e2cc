import { stringify } from 'yaml'
import type { WrittenDefinition } from '../../catalogue/written-definition.ts'
import { grouped } from '../../collections/grouped.ts'
import { checkKind, readDocument } from '../../managed/check-document.ts'
import type { LoggedVersion } from '../../store/documents/document-log.ts'

/** Managed checks as a config file, by account, in the order in which they were added. */
export function managedYaml(heads: readonly LoggedVersion[], account: string | null): string {
  const chosen = heads.flatMap((head) => {
    if (head.kind !== checkKind || head.body === null || (account !== null && head.account !== account)) return []
    return [{ account: head.account, ...readDocument(head.body) }]
  })
  const accounts = [...grouped(chosen, (check) => check.account)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const ordered = (checks: typeof chosen): readonly WrittenDefinition[] =>
    checks.toSorted((a, b) => a.createdAt - b.createdAt).map(({ definition }) => definition)
  return stringify(
    { accounts: accounts.map(([id, checks]) => ({ id, checks: ordered(checks) })) },
    { lineWidth: 0, aliasDuplicateObjects: false },
  )
}
