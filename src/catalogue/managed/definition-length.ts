import type { CheckType } from '../../checks/define.ts'
import type { WrittenDefinition } from '../written-definition.ts'

const maxDefinitionLength = 65_536
const maxCodeLength = 262_144

/** Why a definition is too long, as a sentence. Checked before it is parsed, since parsing a long one is slow. */
export function lengthFault(definition: WrittenDefinition, checkType: CheckType | undefined): string | null {
  const limit = holdsCode(definition, checkType) ? maxCodeLength : maxDefinitionLength
  if (JSON.stringify(definition).length <= limit) return null
  return `the definition must have at most ${limit} characters as JSON`
}

/** `codeSettings` only looks at which settings there are. */
function holdsCode(definition: WrittenDefinition, checkType: CheckType | undefined): boolean {
  return (checkType?.codeSettings?.(definition as Parameters<NonNullable<CheckType['codeSettings']>>[0]) ?? []).length > 0
}
