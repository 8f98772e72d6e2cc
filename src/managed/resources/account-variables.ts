import { type StoredVariable, variableKind } from '../../catalogue/managed/variables.ts'
import type { ResourceKind } from './resource-kind.ts'

export const accountVariables: ResourceKind = {
  kind: variableKind,
  noun: 'variable',
  limit: { count: 1000, characters: 8 * 2 ** 20 },
  maxLength: 65_536,
  shown: (definition) => ({ ...definition, ...hiddenValues(definition as StoredVariable) }),
}

/** A hidden value is shown as a reference to its own variable. */
function hiddenValues({ key, value, sealed, locked, secret }: StoredVariable) {
  const variable = `\${${key}}`
  return { ...(value !== undefined && { value: locked || secret ? variable : value }), ...(sealed !== undefined && { sealed: variable }) }
}
