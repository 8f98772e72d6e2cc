import { type HiddenReference, hideTexts, variableName, type WrittenDefinition } from '../../../catalogue/written-definition.ts'
import { changeLiterals, withLiterals } from '../../../text/variable-references.ts'
import type { VariableNames } from './variable-names.ts'

type Hiding = {
  readonly hidden: readonly string[]
  /** The owner of the values, such as the id of a check. */
  readonly owner: string
  readonly names: VariableNames
}

/** Replaces hidden texts of an exported part with variables. */
export function hideValues(part: WrittenDefinition, { hidden, owner, names }: Hiding): WrittenDefinition {
  const named = (text: string, field: string) =>
    `\${${names.nameOf({ name: `${variableName(owner)}_${variableName(field)}`, owner, value: withLiterals(text), isSecret: true })}}`
  const reference: HiddenReference = ({ text, field, variable }) => {
    if (variable === undefined) return changeLiterals(text, (literal) => (/^:?$/.test(literal) ? literal : named(literal, field)))
    if (names.isOpen(variable)) return `\${${variable}:-${text}}`
    return names.values().get(variable) ? `\${${variable}}` : named(text, variable)
  }
  return hideTexts(part, hidden, reference)
}
