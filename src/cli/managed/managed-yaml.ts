import { stringify } from 'yaml'
import { findGroup, groupIdOf, withGroup } from '../../catalogue/managed/check-group.ts'
import { createResourceIndex, type Resources } from '../../catalogue/managed/resources.ts'
import type { WrittenDefinition } from '../../catalogue/written-definition.ts'
import { checkTypes } from '../../checks/registry.ts'
import { grouped } from '../../collections/grouped.ts'
import { checkKind, readDocument } from '../../managed/managed-document.ts'
import { resourceChange } from '../../managed/resources/active-resources.ts'
import type { LoggedVersion } from '../../store/documents/document-log.ts'

/** Managed checks as a config file, by account, in the order in which they were added; each with what it inherits from its group. */
export function managedYaml(heads: readonly LoggedVersion[], account: string | null): string {
  const resources = createResourceIndex()
  resources.apply(heads.filter(({ kind }) => kind !== checkKind).map(resourceChange))
  const chosen = heads.flatMap((head) => {
    if (head.kind !== checkKind || head.body === null || (account !== null && head.account !== account)) return []
    const { definition, createdAt } = readDocument(head.body)
    return [{ account: head.account, definition: withoutGroup(definition, head.account, resources), createdAt }]
  })
  const accounts = [...grouped(chosen, (check) => check.account)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const ordered = (checks: typeof chosen): readonly WrittenDefinition[] =>
    checks.toSorted((a, b) => a.createdAt - b.createdAt).map(({ definition }) => definition)
  return stringify(
    { accounts: accounts.map(([id, checks]) => ({ id, checks: ordered(checks) })) },
    { lineWidth: 0, aliasDuplicateObjects: false },
  )
}

function withoutGroup(definition: WrittenDefinition, account: string, resources: Resources): WrittenDefinition {
  const { groupId: _, ...own } = definition
  const group = findGroup(resources, account, groupIdOf(definition))
  return group ? withGroup(own, group, checkTypes) : own
}
