import type { CheckType } from '../../checks/define.ts'
import { hasVariable } from '../../text/variable-references.ts'
import { configuredCheckSchema } from '../config-file/config-schema.ts'
import { partAt } from '../config-file/source.ts'
import { structureFindings } from '../config-file/structure.ts'
import { hiddenTexts, hideWritten, type WrittenDefinition } from '../written-definition.ts'
import { ownVariableFindings } from './group-findings.ts'

/** A faulty definition as responses may show it; null if its structure does not show which texts are secret. */
export function shownFaulty(written: WrittenDefinition, checkTypes: readonly CheckType[]): WrittenDefinition | null {
  const { groupId: _, variables: __, ...settings } = written
  if (ownVariableFindings(written, checkTypes).length > 0) return null
  const checkType = checkTypes.find(({ type }) => type === settings.type)
  if (!checkType) return null
  const found = structureFindings(configuredCheckSchema(checkType), settings, [])
  if (!found.every(({ path }) => isLeftOpen(partAt(settings, path)))) return null
  try {
    const hidden = hiddenTexts({ checkType, settings, secrets: [], written })
    return hideWritten(
      written,
      hidden.filter((text) => !hasVariable(text)),
    )
  } catch {
    // Fields that the type relies on are missing.
    return null
  }
}

/** Tolerates missing values, which may be inherited, and values with variables, which are replaced later. */
const isLeftOpen = (value: unknown) => value === undefined || (typeof value === 'string' && hasVariable(value))
