import { isNamedSecret } from '../../../catalogue/secrets.ts'
import { variableName } from '../../../catalogue/written-definition.ts'
import { isReservedVariable } from '../../../text/reserved-variables.ts'

type Wanted = {
  readonly name: string
  /** Prefix for the name if it is taken. */
  readonly owner: string
  /** Null if the value cannot be decrypted. */
  readonly value: string | null
  readonly isSecret: boolean
}

/** Merges variables of the server, accounts, groups and checks into the single namespace of a file. */
export type VariableNames = {
  /** Whether a variable of the server has this name. */
  isOpen(name: string): boolean
  /** Returns the file's variable for a value; equal values share one. Names of secrets show that they are secret. */
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
