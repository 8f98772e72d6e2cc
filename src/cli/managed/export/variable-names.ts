import { isNamedSecret } from '../../../catalogue/secrets.ts'
import { variableName } from '../../../catalogue/written-definition.ts'
import { isReservedVariable } from '../../../text/reserved-variables.ts'

type Wanted = {
  readonly name: string
  /** Put before the name where it is taken. */
  readonly owner: string
  /** Null where it cannot be read. */
  readonly value: string | null
  readonly isSecret: boolean
}

/** The variables of an exported file: it has one set of them, that of the server, where accounts and groups have their own. */
export type VariableNames = {
  /** Whether a name stands for a variable of the server already. */
  isOpen(name: string): boolean
  /** The variable of the file for this one: the same for the same value. One that is secret has a name which says so. */
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
