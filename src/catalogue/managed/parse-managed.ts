import { isAbsolute } from 'node:path'
import type { CheckType } from '../../checks/define.ts'
import { redactor } from '../../checks/probe/redact.ts'
import { checkTypes as registry } from '../../checks/registry.ts'
import type { DefinitionFault } from '../../checks/wire-reader.ts'
import { AnyCheckEntry, type CheckEntry } from '../config-file/config-schema.ts'
import type { Finding, Path } from '../config-file/faults.ts'
import { interpolate, type Variables } from '../config-file/interpolate.ts'
import { checkFindings, checkSecrets } from '../config-file/parse.ts'
import { partAt } from '../config-file/source.ts'
import { type CheckDefinition, definitionOf, withSecrets } from '../definitions.ts'
import { secretTexts } from '../secrets.ts'
import { jsonPointer } from '../wire/pointers.ts'
import { declaredSecrets, variablesOf, type WrittenDefinition } from '../written-definition.ts'
import { findGroup, type GroupDefinition, groupIdOf, hiddenParts, noGroup, unknownGroupText, withGroup } from './check-group.ts'
import { ownVariableFindings } from './group-findings.ts'
import { noResources } from './resources.ts'
import { managedVariables, type VariableSources } from './variables.ts'

export type ParsedCheck = { readonly check: CheckDefinition } | { readonly faults: readonly DefinitionFault[] }

type ManagedContext = VariableSources & { readonly checkTypes?: readonly CheckType[] | undefined }

const maxFaults = 100

/** Parses a managed definition, with everything it inherits from its group, as an entry of `checks:`. */
export function parseManagedCheck(definition: WrittenDefinition, context: ManagedContext): ParsedCheck {
  const { account, checkTypes = registry, resources = noResources } = context
  const { groupId: _, variables: __, ...own } = definition
  const misshapen = ownVariableFindings(definition, checkTypes)
  if (misshapen.length > 0) return { faults: misshapen.slice(0, maxFaults).map(faultOf) }
  const groupId = groupIdOf(definition)
  const group = groupId === undefined ? null : findGroup(resources, account.id, groupId)
  if (groupId !== undefined && !group) return { faults: [{ pointer: '/groupId', message: unknownGroupText(groupId) }] }
  const whole = withGroup(own, group ?? noGroup, checkTypes)
  const variables = managedVariables(context, { check: variablesOf(definition), group })
  const { value, missing, substituted } = interpolate(whole, variables, [])
  const entry = { ...(value as WrittenDefinition), ...literalPart(definition) }
  const found = [
    ...missing.map(({ path, text }): Finding => ({ path, at: 'value', text })),
    ...checkFindings(entry, [], { checkTypes, isThere: () => true }),
    ...shownSecrets(whole, variables),
  ]
  const checkType = checkTypes.find(({ type }) => type === entry.type)
  if (found.length > 0 || !checkType) {
    const ofGroup = group ? Object.values(hiddenParts(group, checkTypes)).flat() : []
    const redact = redactor([...secretTexts(substituted), ...ofGroup, ...declaredSecrets(entry, checkType)])
    return { faults: found.slice(0, maxFaults).map(({ path, text }) => ({ pointer: jsonPointer(path), message: redact(text) })) }
  }
  const check = definitionOf(account.id, entry as CheckEntry, checkType)
  const misplaced = [...outsideFiles(check), ...(group ? elsewhere(check, group, variables) : [])]
  if (misplaced.length > 0) return { faults: misplaced.map(faultOf) }
  const substitutions = (path: Path) => interpolate(partAt(whole, path), variables, path).substituted
  const origin = { file: null, group: groupId === undefined ? null : String(groupId) }
  const made = withSecrets({ ...check, written: definition, origin }, checkSecrets([], checkType, substitutions))
  lengths.set(made, lengthOf(entry))
  return { check: made }
}

const lengths = new WeakMap<CheckDefinition, number>()

/** Approximate size in characters of a managed check, including values of variables and inherited fields. It estimates memory use. */
export const effectiveLength = (check: CheckDefinition): number => lengths.get(check) ?? 0

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 1
  if (typeof value !== 'object' || value === null) return 1
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + lengthOf(item), 1)
  return Object.entries(value).reduce((sum, [name, item]) => sum + name.length + lengthOf(item), 1)
}

/** The common fields of checks are shown without redaction, so they must not contain secrets. */
function shownSecrets(definition: WrittenDefinition, variables: Variables): readonly Finding[] {
  if (!variables.secretNames?.size) return []
  return Object.keys(AnyCheckEntry.properties).flatMap((name) => {
    const { substituted } = interpolate(definition[name], variables, [name])
    const secret = substituted.find(({ isSecret }) => isSecret)
    return secret
      ? [{ path: [name], at: 'value', text: `${name} is shown to everyone: it must not have the secret variable ${secret.name}` }]
      : []
  })
}

/** Hidden values of a group are only sent to the address of the group: otherwise anyone who may add a check could send them elsewhere. */
function elsewhere({ checkType, settings }: CheckDefinition, group: GroupDefinition, variables: Variables): readonly Finding[] {
  const { groupRequest } = checkType
  if (!groupRequest) return []
  const { url: _, ...parts } = hiddenParts(group, [checkType])
  const hidden = Object.keys(parts).filter((part) => (parts[part] ?? []).length > 0)
  const address = interpolate(group.request?.url ?? '', variables, []).value
  if (hidden.length === 0 || groupRequest.isAt(settings, String(address))) return []
  const text = `the group has ${hidden.join(' and ')} with values that answers hide, which are sent only to the scheme, host and port of its url: this check calls another address. Use variables for them, or another group`
  return [{ path: ['groupId'], at: 'value', text }]
}

/** `id` and `type` are taken literally, because they are decided before variables are known. */
function literalPart(definition: WrittenDefinition): WrittenDefinition {
  return Object.fromEntries(['id', 'type'].flatMap((name) => (Object.hasOwn(definition, name) ? [[name, definition[name]]] : [])))
}

function faultOf({ path, text }: Finding): DefinitionFault {
  return { pointer: jsonPointer(path), message: text }
}

/** Scripts must be within the folder of the config file: definitions must not run or show other files. */
function outsideFiles({ checkType, settings }: CheckDefinition): readonly Finding[] {
  const isOutside = (path: string) => isAbsolute(path) || path.split(/[\\/]/).includes('..')
  return (checkType.files?.(settings) ?? [])
    .filter(({ path }) => isOutside(path))
    .map(({ setting }) => ({ path: [setting], at: 'value', text: `${setting} must be within the folder of the config file` }))
}
