import { isNamedSecret } from '../../../catalogue/secrets.ts'
import { variableName } from '../../../catalogue/written-definition.ts'
import { isReservedVariable } from '../../../text/reserved-variables.ts'

type Wanted = {
  readonly name: string
  /** Prefix if the name is taken. */
  readonly owner: string
  /** Null if it cannot be read. */
  readonly value: string | null
  readonly isSecret: boolean
}

/** Merges the variables of the server, accounts, groups and checks into the one namespace of a file. */
export type VariableNames = {
  /** Whether a name is taken by a variable of the server. */
  isOpen(name: string): boolean
  /** The variable of the file for this one, shared by equal values. Names of secrets say so. */
  nameOf(wanted: Wanted): string
  values(): ReadonlyMap<string, string | null>
}

export function createVariableNames(open: ReadonlySet<string>): VariableNames {
  const values = new Map<string, string | null>()
  const isFree = (name: string, value: string | null) =>
    !open.has(name) && !isReservedVariable(name) && (!values.has(name) || (value !== null && values.get(name) === value))
  return {
    isOpen: (name) => open.has(name),
    nameOf({ name, owner, value, isSecret }) {
      const plain = isSecret && !isNamedSecret({ name }) ? `${name}_SECRET` : name
      for (let count = 0; ; count++) {
        const prefix = count === 0 ? '' : `${variableName(owner)}_${count === 1 ? '' : `${count}_`}`
        const found = `${prefix}${plain}`.replace(/^(?=[0-9])/, '_')
        if (!isFree(found, value)) continue
        values.set(found, value)
        return found
      }
    },
    values: () => values,
  }
}
