import { type GroupDefinition, groupKind, shownGroup } from '../../catalogue/managed/check-group.ts'
import { checkTypes } from '../../checks/registry.ts'
import type { ResourceKind } from './resource-kind.ts'

export const checkGroups: ResourceKind = {
  kind: groupKind,
  noun: 'check group',
  limit: { count: 5000, characters: 16 * 2 ** 20 },
  maxLength: 65_536,
  shown: (definition) => shownGroup(definition as GroupDefinition, checkTypes),
}
