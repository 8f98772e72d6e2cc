import type { DefinitionFault } from '../../checks/wire-reader.ts'
import { isMapping } from '../../collections/mapping.ts'
import { isReservedVariable } from '../../text/reserved-variables.ts'
import type { ServiceSettings } from '../catalogue.ts'
import type { CheckDefinition } from '../definitions.ts'
import { jsonPointer } from '../wire/pointers.ts'

/**
 * Rejects invalid environment variables, and code unless the config file allows it. Scripts run on the server and its agents. A check could
 * name any file next to the config file as its script, and errors show parts of the text. Environment variables are only for scripts.
 */
export function codeFaults(
  { checkType, settings }: CheckDefinition,
  { allowUploadedCode }: Pick<ServiceSettings, 'allowUploadedCode'>,
): readonly DefinitionFault[] {
  const environment = isMapping(settings.environment) ? settings.environment : {}
  const ofNames = Object.entries(environment).flatMap(([name, value]) => variableFaults(name, value))
  if (allowUploadedCode || ofNames.length > 0) return ofNames
  const code = [
    ...(checkType.codeSettings?.(settings) ?? []),
    ...(checkType.files?.(settings) ?? []).map(({ setting }) => setting),
    ...(Object.keys(environment).length > 0 ? ['environment'] : []),
  ]
  return code.map((setting) => ({
    pointer: jsonPointer([setting]),
    message: `${setting}: code, and files and variables of it, are accepted only where the config file says allowUploadedCode: true`,
  }))
}

/** Without an equals sign, which would end the name. */
const variableName = /^[A-Z_][A-Z0-9_]*$/

function variableFaults(name: string, value: unknown): readonly DefinitionFault[] {
  const pointer = jsonPointer(['environment', name])
  const upper = name.toUpperCase()
  if (!variableName.test(upper)) return [{ pointer, message: 'a variable must have a name of letters, digits and underscores' }]
  if (isReservedVariable(upper))
    return [
      {
        pointer,
        message: `${upper.slice(0, 100)} is not allowed for checks: it changes how programs load code, find files or reach the network`,
      },
    ]
  return String(value).includes('\0') ? [{ pointer, message: 'the value of a variable must not have a NUL character' }] : []
}
