import { isDeepStrictEqual } from 'node:util'
import type { CheckType } from '../../checks/define.ts'
import { isMapping } from '../../collections/mapping.ts'
import { shortened } from '../../text/shortened.ts'
import { hasVariable, variableReferences } from '../../text/variable-references.ts'
import type { ClientFields } from '../config-file/config-schema.ts'
import { inherit } from '../config-file/inherit.ts'
import type { CheckDefinition } from '../definitions.ts'
import { destinationOf } from '../wire/merge.ts'
import { hidesTexts, hideTexts, shownVariables, type VariableSet, type WrittenDefinition } from '../written-definition.ts'
import type { Resources } from './resources.ts'
import { groupAddress } from './variables.ts'

export const groupKind = 'check-group'

/**
 * A group of managed checks. Checks inherit its `defaults`, as with `groups:` of the config file, and can use its variables and the parts
 * of its request.
 */
export type GroupDefinition = VariableSet & {
  readonly name: string
  /** Fields for all checks of the group, and mappings of fields by check type. */
  readonly defaults?: WrittenDefinition
  /** The locations in `defaults` that clients send as `privateLocations`. */
  readonly privateLocations?: readonly string[]
  /** Parts of requests, for the check type that inherits them. */
  readonly request?: WrittenDefinition
  /** Alert settings that the checks inherit, and fields that are only stored, because clients compare responses with their requests. */
  readonly clientFields?: Pick<
    ClientFields,
    'alertChannelSubscriptions' | 'alertSettings' | 'useGlobalAlertSettings' | 'runtimeId' | 'variables'
  > & {
    readonly concurrency?: number
    readonly retryStrategy?: 'FALLBACK'
  }
}

/** The id of the group that a definition names; undefined for none. */
export function groupIdOf({ groupId }: WrittenDefinition): unknown {
  return groupId ?? undefined
}

export function findGroup(resources: Resources, account: string, id: unknown): GroupDefinition | null {
  if (typeof id !== 'number') return null
  return (resources.find({ kind: groupKind, account, id: String(id) })?.definition as GroupDefinition | undefined) ?? null
}

export const unknownGroupText = (id: unknown) => `there is no check group with the id ${shortened(String(id))}`

/** The group of checks without a group. */
export const noGroup: GroupDefinition = { name: '' }

/** Merges a check with its group. Fields of the check take precedence; null means that a field is not set. */
export function withGroup(own: WrittenDefinition, group: GroupDefinition, checkTypes: readonly CheckType[]): WrittenDefinition {
  const typeOf = ({ type }: WrittenDefinition) => checkTypes.find((one) => one.type === type)
  const { check } = inherit(own, [{ defaults: group.defaults ?? {}, place: { file: null, path: [] } }], typeOf)
  const checkType = typeOf(own)
  const merged = checkType?.groupRequest && group.request ? checkType.groupRequest.merge(check, group.request) : check
  const takesVariables = checkType && Object.hasOwn(checkType.settings.properties, 'environment')
  const names = takesVariables ? Object.keys(group.environment ?? {}) : []
  const given = merged.environment ?? {}
  const environment = { ...Object.fromEntries(names.map((name) => [name, `\${${name}}`])), ...given }
  const alertFields = hasAlertFields(check.clientFields) ? withAlerts(check.clientFields, group.clientFields) : null
  const whole = {
    ...merged,
    ...(alertFields && { clientFields: alertFields }),
    ...(names.length > 0 && isMapping(given) && { environment }),
  }
  return withAddress(whole, group) as WrittenDefinition
}

/** Merges a check with everything except the defaults of its group: for export to a group of the config file, which has only defaults. */
export function withGroupParts(own: WrittenDefinition, group: GroupDefinition, checkTypes: readonly CheckType[]): WrittenDefinition {
  const { defaults: _, ...parts } = group
  const unset = Object.fromEntries(Object.entries(own).filter(([, value]) => value === null))
  return { ...unset, ...withGroup(own, parts, checkTypes) }
}

/** The defaults of a group, with its address filled in. */
export function defaultsOf(group: GroupDefinition): WrittenDefinition {
  return withAddress(group.defaults ?? {}, group) as WrittenDefinition
}

/** Fields of another shape stay unchanged, so that validation reports them. */
function hasAlertFields(value: unknown): value is ClientFields | undefined {
  if (value === undefined) return true
  if (!isMapping(value)) return false
  const { alertChannelSubscriptions: named = [] } = value
  return Array.isArray(named) && named.every(isMapping)
}

/** Checks inherit the channels and alert settings of their group. Their own settings take precedence. */
function withAlerts(own: ClientFields = {}, group: GroupDefinition['clientFields'] = {}): ClientFields | null {
  const named = own.alertChannelSubscriptions ?? []
  const isNamed = (channel: number) => named.some(({ alertChannelId }) => alertChannelId === channel)
  const inherited = (group.alertChannelSubscriptions ?? []).filter(({ alertChannelId }) => !isNamed(alertChannelId))
  const { alertSettings } = group
  const isOfGroup = own.useGlobalAlertSettings !== false && group.useGlobalAlertSettings === false
  const fields = {
    ...own,
    ...(isOfGroup && { useGlobalAlertSettings: false, ...(alertSettings && { alertSettings }) }),
    ...(inherited.length > 0 && { alertChannelSubscriptions: [...inherited, ...named] }),
  }
  return Object.keys(fields).length > 0 ? fields : null
}

/** Limits the characters that the address of a group adds to one check. */
const maxAddressCharacters = 65_536

/** Inserts the address of the group before variables are replaced: its variables and secrets are then treated like the check's own. */
function withAddress(value: unknown, { request }: GroupDefinition): unknown {
  const address = typeof request?.url === 'string' ? request.url : null
  if (address === null) return value
  let left = maxAddressCharacters
  const isCounted = () => {
    left -= address.length
    return left >= 0
  }
  const replaced = (part: unknown): unknown => {
    if (typeof part === 'string')
      return part.replace(variableReferences, (whole, doubled: string, name?: string) =>
        !doubled && name === groupAddress && isCounted() ? address : whole,
      )
    if (Array.isArray(part)) return part.map(replaced)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([name, item]) => [name, replaced(item)]))
  }
  return replaced(value)
}

/** A group as responses show it: variables replace literal secrets. */
export function shownGroup(group: GroupDefinition, checkTypes: readonly CheckType[]): GroupDefinition {
  return shownVariables(hideTexts(group, Object.values(hiddenParts(group, checkTypes)).flat()) as GroupDefinition)
}

/** Literal secrets by part of the request. Texts with variables are not included. */
export function hiddenParts({ request }: GroupDefinition, checkTypes: readonly CheckType[]): Readonly<Record<string, readonly string[]>> {
  const groupRequest = checkTypes.find((one) => one.groupRequest)?.groupRequest
  if (!groupRequest || !request) return {}
  const parts = Object.entries(groupRequest.secrets(request))
  return Object.fromEntries(parts.map(([part, texts]) => [part, texts.filter((text) => text !== '' && !hasVariable(text))]))
}

type Moved = Pick<CheckDefinition, 'checkType' | 'settings' | 'secrets' | 'written'>

/**
 * Whether a check with literal secrets would call another address than before. Write access to the group or variables of a check does not
 * include its secrets, so they must not be sent elsewhere.
 */
export function movesSecrets(before: Moved, after: Moved): boolean {
  if (isDeepStrictEqual(destinationOf(before.settings), destinationOf(after.settings))) return false
  return hidesTexts(before)
}
